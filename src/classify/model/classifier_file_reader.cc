// Everything in a file is checked before it is used: options against their
// ranges, sizes of tensors against each other, and values against a limit that
// keeps every sum over a text finite.

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/quote.h"
#include "classify/model/classifier_file.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "io/formats/safetensors_rows.h"
#include "io/tensors/checked_tensors.h"
#include "lm/model/json_section.h"
#include "vectors/product_quantizer.h"

namespace firth {
namespace {

// Returns whether a value is allowed; false for NaN.
bool IsModerate(float value) { return std::abs(value) <= kMostTableValue; }

absl::Status CheckForm(const FloatTable& table, absl::string_view place) {
  for (size_t row = 0; row < table.rows(); ++row) {
    const absl::Span<const float> values = table.Row(row);
    if (std::all_of(values.begin(), values.end(), IsModerate)) continue;
    return CheckValues(values, absl::StrCat(place, ", row ", row));
  }
  return absl::OkStatus();
}

absl::Status CheckForm(const Float16Rows& /*rows*/, absl::string_view place) {
  return absl::DataLossError(
      absl::StrCat(place, ": expected float32, int8 or pq, found float16"));
}

absl::Status CheckForm(const Int8Rows& rows, absl::string_view place) {
  return CheckForm(rows.scales, absl::StrCat(place, ", scales"));
}

absl::Status CheckForm(const PqRows& rows, absl::string_view place) {
  FIRTH_RETURN_IF_ERROR(CheckForm(rows.quantizer->codebooks(),
                                  absl::StrCat(place, ", codebooks")));
  return CheckForm(rows.norms, absl::StrCat(place, ", norms"));
}

// Reads the tensors of a file, one after another.
class TensorReader {
 public:
  explicit TensorReader(const CheckedReader& reader) : reader_(reader) {}

  bool Has(absl::string_view name) const {
    return reader_.Has(name) || reader_.Has(absl::StrCat(name, "_codes"));
  }

  // Returns no values if there is no such tensor, unless `count` values are
  // required.
  template <class Value>
  absl::StatusOr<std::vector<Value>> Values(absl::string_view name,
                                            const char* dtype,
                                            uint64_t count) const {
    const TensorEntry* const tensor = reader_.header().Find(name);
    if (tensor == nullptr && (count == kAnySize || count == 0)) {
      return std::vector<Value>();
    }
    if (tensor == nullptr || !IsOfShape(tensor, dtype, {count})) {
      return Bad(name, dtype, count);
    }
    return CopyValues<Value>(*reader_.file(), *tensor);
  }

  absl::StatusOr<std::vector<float>> Floats(absl::string_view name,
                                            uint64_t count) const {
    FIRTH_ASSIGN_OR_RETURN(std::vector<float> values,
                           Values<float>(name, "F32", count));
    FIRTH_RETURN_IF_ERROR(CheckValues(values, Place(name)));
    return values;
  }

  absl::StatusOr<std::vector<uint32_t>> Narrow(absl::string_view name,
                                               uint64_t count) const {
    const TensorEntry* const tensor = reader_.header().Find(name);
    const auto widened = [](const auto& numbers) {
      return std::vector<uint32_t>(numbers.begin(), numbers.end());
    };
    if (tensor != nullptr && tensor->dtype == "U8") {
      FIRTH_ASSIGN_OR_RETURN(const auto numbers,
                             Values<uint8_t>(name, "U8", count));
      return widened(numbers);
    }
    if (tensor != nullptr && tensor->dtype == "U16") {
      FIRTH_ASSIGN_OR_RETURN(const auto numbers,
                             Values<uint16_t>(name, "U16", count));
      return widened(numbers);
    }
    return Values<uint32_t>(name, "U32", count);
  }

  absl::StatusOr<absl::string_view> Bytes(absl::string_view name) const {
    const TensorEntry* const tensor = reader_.header().Find(name);
    if (tensor == nullptr) return absl::string_view();
    if (!IsOfShape(tensor, "U8", {kAnySize})) {
      return reader_.BadTensor(name, "U8 [bytes]", tensor);
    }
    return reader_.file()->bytes().substr(tensor->begin,
                                          tensor->end - tensor->begin);
  }

  absl::StatusOr<std::vector<std::string>> Lines(absl::string_view name) const {
    FIRTH_ASSIGN_OR_RETURN(const absl::string_view bytes, Bytes(name));
    if (bytes.empty()) return std::vector<std::string>();
    const auto lines =
        static_cast<uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
    FIRTH_ASSIGN_OR_RETURN(
        const std::vector<absl::string_view> texts,
        ReadTexts(*reader_.file(), *reader_.header().Find(name), lines, name));
    return std::vector<std::string>(texts.begin(), texts.end());
  }

  // `cols` is the required number of columns, or kAnySize.
  absl::StatusOr<RowStore> Rows(absl::string_view name, uint64_t rows,
                                uint64_t cols) const {
    FIRTH_ASSIGN_OR_RETURN(
        const RowTensors tensors,
        FindRowTensors(*reader_.file(), reader_.header(), name));
    if (tensors.words() != rows ||
        (cols != kAnySize && tensors.dim() != cols) ||
        tensors.rows->dtype == "F16") {
      return reader_.BadTensor(
          name,
          absl::StrCat("float32, int8 or pq of [", rows, ", ",
                       cols == kAnySize ? "any" : absl::StrCat(cols), "]"),
          tensors.rows);
    }
    FIRTH_ASSIGN_OR_RETURN(RowStore store,
                           ReadRowTensors(reader_.file(), tensors));
    FIRTH_RETURN_IF_ERROR(CheckValues(store, Place(name)));
    return store;
  }

  absl::Status Bad(absl::string_view name, absl::string_view dtype,
                   uint64_t count) const {
    return reader_.BadTensor(
        name,
        absl::StrCat(dtype, " [",
                     count == kAnySize ? "any" : absl::StrCat(count), "]"),
        reader_.header().Find(name));
  }
  std::string Place(absl::string_view name) const {
    return absl::StrCat(reader_.path(), ": tensor ", Quote(name));
  }

 private:
  const CheckedReader& reader_;
};

absl::Status ReadLabels(const TensorReader& tensors, ClassifierModel* model) {
  FIRTH_ASSIGN_OR_RETURN(const absl::string_view bytes,
                         tensors.Bytes("labels"));
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<uint64_t> ends,
      tensors.Values<uint64_t>("label_ends", "U64", kAnySize));
  uint64_t begin = 0;
  for (const uint64_t end : ends) {
    if (end < begin || end > bytes.size()) break;
    model->labels.emplace_back(bytes.substr(begin, end - begin));
    begin = end;
  }
  if (ends.empty() || model->labels.size() < ends.size() ||
      begin != bytes.size()) {
    return absl::DataLossError(absl::StrCat(
        tensors.Place("label_ends"), ": expected increasing numbers up to ",
        bytes.size(), ", the size of \"labels\", found other numbers"));
  }
  FIRTH_ASSIGN_OR_RETURN(
      model->label_counts,
      tensors.Values<uint64_t>("label_counts", "I64", ends.size()));
  FIRTH_ASSIGN_OR_RETURN(
      model->thresholds,
      tensors.Floats("thresholds",
                     tensors.Has("thresholds") ? ends.size() : 0));
  const bool has_bias = model->link != LabelLink::kTree;
  FIRTH_ASSIGN_OR_RETURN(model->bias,
                         tensors.Floats("bias", has_bias ? ends.size() : 0));
  return absl::OkStatus();
}

absl::StatusOr<FeatureOptions> ReadFeatureOptions(
    const JsonSection& root, const ClassifierOptions& options) {
  FeatureOptions features = FeaturesOf(options);
  FIRTH_ASSIGN_OR_RETURN(features.hashing, root.Flag("hashing"));
  if (!features.hashing) {
    features.buckets = 0;
    return features;
  }
  FIRTH_ASSIGN_OR_RETURN(features.buckets,
                         root.Size("buckets", 0, uint64_t{1} << 31));
  const Json prefix = root.json.value("label_prefix", Json());
  if (!prefix.is_string()) return root.Bad("label_prefix", "a text");
  features.label_prefix = prefix.get<std::string>();
  return features;
}

absl::Status ReadFeatures(const TensorReader& tensors, const JsonSection& root,
                          ClassifierModel* model) {
  FeatureParts parts;
  FIRTH_ASSIGN_OR_RETURN(parts.options,
                         ReadFeatureOptions(root, model->options));
  FIRTH_ASSIGN_OR_RETURN(parts.words, tensors.Lines("words"));
  FIRTH_ASSIGN_OR_RETURN(parts.character_ngrams,
                         tensors.Lines("character_ngrams"));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<uint32_t> prefixes,
                         tensors.Narrow("word_ngrams", kAnySize));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<uint32_t> last_words,
                         tensors.Narrow("word_ngram_words", prefixes.size()));
  for (size_t i = 0; i < prefixes.size(); ++i) {
    parts.word_ngrams.push_back({prefixes[i], last_words[i]});
  }
  FIRTH_ASSIGN_OR_RETURN(
      parts.kept_buckets,
      tensors.Values<uint32_t>("kept_buckets", "U32", kAnySize));
  FIRTH_ASSIGN_OR_RETURN(model->features, FeatureIndex::Of(std::move(parts)));
  return absl::OkStatus();
}

absl::Status ReadWide(const TensorReader& tensors, ClassifierModel* model) {
  if (!tensors.Has("wide")) return absl::OkStatus();
  const uint64_t rows = model->features.rows();
  FIRTH_ASSIGN_OR_RETURN(model->wide,
                         tensors.Rows("wide", rows, model->labels.size()));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<float> values,
                         tensors.Floats("idf_values", kAnySize));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<uint32_t> codes,
                         tensors.Narrow("idf", rows));
  model->idf.reserve(rows);
  for (const uint32_t code : codes) {
    if (code >= values.size() || values[code] < 0) {
      return absl::DataLossError(absl::StrCat(
          tensors.Place("idf"), ": expected numbers of \"idf_values\" from 0 ",
          "up, found ", code));
    }
    model->idf.push_back(values[code]);
  }
  return absl::OkStatus();
}

absl::Status ReadDeep(const TensorReader& tensors, ClassifierModel* model) {
  if (!tensors.Has("output")) return absl::OkStatus();
  FIRTH_ASSIGN_OR_RETURN(model->context_mean,
                         tensors.Floats("context_mean", kAnySize));
  const uint64_t context = model->context_mean.size();
  FIRTH_ASSIGN_OR_RETURN(model->context_scale,
                         tensors.Floats("context_scale", context));
  FIRTH_ASSIGN_OR_RETURN(
      model->input, tensors.Rows("input", model->features.rows(), kAnySize));
  const bool is_tree = model->link == LabelLink::kTree;
  FIRTH_ASSIGN_OR_RETURN(
      model->output,
      tensors.Rows("output", model->labels.size() - (is_tree ? 1 : 0),
                   RowDim(model->input) + context));
  return absl::OkStatus();
}

absl::Status ReadContextualizer(const CheckedReader& reader,
                                const JsonSection& root,
                                ClassifierModel* model) {
  if (!root.json.contains("contextualizer")) return absl::OkStatus();
  FIRTH_ASSIGN_OR_RETURN(const JsonSection file, root.Sub("contextualizer"));
  const Json name = file.json.value("name", Json());
  const Json sum = file.json.value("checksum", Json());
  if (!name.is_string() || name.get<std::string>().empty()) {
    return file.Bad("name", "a file's name");
  }
  model->contextualizer_name = name.get<std::string>();
  FIRTH_ASSIGN_OR_RETURN(model->contextualizer_size,
                         file.Size("bytes", 0, UINT64_MAX));
  if (!sum.is_string() ||
      !absl::SimpleHexAtoi(sum.get<std::string>(),
                           &model->contextualizer_checksum)) {
    return file.Bad("checksum", "16 hexadecimal digits");
  }
  if (!reader.Has(kTunedContextualizer)) return absl::OkStatus();
  FIRTH_ASSIGN_OR_RETURN(model->tuned_contextualizer,
                         reader.ReadFile(kTunedContextualizer));
  return absl::OkStatus();
}

absl::StatusOr<float> ReadScale(const JsonSection& root, const char* key) {
  FIRTH_ASSIGN_OR_RETURN(const double scale, root.Limit(key));
  if (scale <= kMostTableValue) return static_cast<float>(scale);
  return root.Bad(key, absl::StrCat("at most ", kMostTableValue));
}

absl::Status ReadContent(const CheckedReader& reader, const JsonSection& root,
                         ClassifierModel* model) {
  FIRTH_ASSIGN_OR_RETURN(const JsonSection options, root.Sub("options"));
  FIRTH_ASSIGN_OR_RETURN(model->options, ReadFieldsJson<ClassifierOptions>(
                                             DumpJson(options.json)));
  FIRTH_RETURN_IF_ERROR(model->options.Validate());
  FIRTH_ASSIGN_OR_RETURN(const size_t link, root.Choice("link", kLinkNames));
  model->link = static_cast<LabelLink>(link);
  FIRTH_ASSIGN_OR_RETURN(model->several_labels, root.Flag("several_labels"));
  FIRTH_ASSIGN_OR_RETURN(model->interrupted, root.Flag("interrupted"));
  if (root.json.contains("texts")) {
    FIRTH_ASSIGN_OR_RETURN(model->texts, root.Size("texts", 1, UINT64_MAX));
  }
  FIRTH_ASSIGN_OR_RETURN(model->wide_scale, ReadScale(root, "wide_scale"));
  FIRTH_ASSIGN_OR_RETURN(model->deep_scale, ReadScale(root, "deep_scale"));
  return ReadContextualizer(reader, root, model);
}

// A model that reads a contextualizer must have columns for it, and the
// reverse.
absl::Status CheckParts(const ClassifierModel& model, const std::string& path) {
  const bool is_tree = model.link == LabelLink::kTree;
  const char* bad =
      !model.has_wide() && !model.has_deep() ? "\"wide\" or \"output\""
      : is_tree && (model.has_wide() || !model.has_deep())
          ? "no \"wide\" together with a tree of labels"
      : model.contextualizer_name.empty() != model.context_mean.empty()
          ? "\"context_mean\" with a contextualizer and only with one"
          : nullptr;
  if (bad != nullptr) {
    return absl::DataLossError(
        absl::StrCat(path, ": expected ", bad, ", found other tensors"));
  }
  return is_tree ? CheckTreeCounts(model.label_counts, path) : absl::OkStatus();
}

absl::StatusOr<ClassifierModel> ReadModel(const CheckedReader& reader) {
  const std::string place =
      absl::StrCat(reader.path(), ": metadata \"", kClassifierKind, "\"");
  const Json json = reader.ContentJson();
  if (!json.is_object()) {
    return absl::DataLossError(absl::StrCat(place, ": expected a JSON object"));
  }
  const JsonSection root{place, "", json};
  const TensorReader tensors(reader);
  ClassifierModel model;
  FIRTH_RETURN_IF_ERROR(ReadContent(reader, root, &model));
  FIRTH_RETURN_IF_ERROR(ReadLabels(tensors, &model));
  FIRTH_RETURN_IF_ERROR(ReadFeatures(tensors, root, &model));
  FIRTH_RETURN_IF_ERROR(ReadWide(tensors, &model));
  FIRTH_RETURN_IF_ERROR(ReadDeep(tensors, &model));
  FIRTH_RETURN_IF_ERROR(CheckParts(model, reader.path()));
  return model;
}

// Malformed content with correct checksums also counts as damage.
absl::Status AsDamage(const absl::Status& status, const std::string& path) {
  if (!absl::IsInvalidArgument(status)) return status;
  const absl::string_view message = status.message();
  return absl::DataLossError(absl::StartsWith(message, path)
                                 ? std::string(message)
                                 : absl::StrCat(path, ": ", message));
}

uint64_t NumValues(const RowStore& rows) {
  return uint64_t{NumRows(rows)} * RowDim(rows);
}

std::vector<FileFact> Facts(const ClassifierModel& model) {
  const FeatureIndex& features = model.features;
  std::vector<FileFact> facts = {
      {"labels", uint64_t{model.labels.size()}},
      {"several_labels", model.several_labels},
      {"interrupted", model.interrupted},
      {"link", std::string(kLinkNames[static_cast<size_t>(model.link)])},
      {"words", uint64_t{features.num_words()}},
      {"word_ngrams", uint64_t{features.num_word_ngrams()}},
      {"character_ngrams", uint64_t{features.num_character_ngrams()}}};
  if (features.options().hashing) {
    facts.push_back({"buckets", features.options().buckets});
  }
  if (model.has_wide()) facts.push_back({"wide", FormOf(model.wide)});
  if (model.has_deep()) {
    facts.push_back({"deep", FormOf(model.input)});
    facts.push_back({"dim", uint64_t{RowDim(model.input)}});
  }
  facts.push_back(
      {"parameters", NumValues(model.wide) + NumValues(model.input) +
                         NumValues(model.output) + model.bias.size()});
  if (!model.contextualizer_name.empty()) {
    facts.push_back(
        {"contextualizer",
         absl::StrCat(model.contextualizer_name, " of ",
                      model.contextualizer_size, " bytes and checksum ",
                      HexChecksum(model.contextualizer_checksum))});
  }
  if (model.tuned_contextualizer != nullptr) {
    facts.push_back({kTunedContextualizer, true});
  }
  return facts;
}

}  // namespace

absl::StatusOr<ClassifierModel> LoadClassifierModel(const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(
      const CheckedReader reader,
      CheckedReader::Open(file, kClassifierKind,
                          "a classifier as \"firth classify\" writes it"));
  auto model = ReadModel(reader);
  FIRTH_RETURN_IF_ERROR(AsDamage(model.status(), reader.path()));
  return model;
}

absl::StatusOr<std::optional<FileInfo>> DescribeClassifier(
    const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const auto reader,
                         CheckedReader::OpenIfKind(file, kClassifierKind));
  if (!reader.has_value()) return std::nullopt;
  const auto model = ReadModel(*reader);
  FIRTH_RETURN_IF_ERROR(AsDamage(model.status(), reader->path()));
  FileInfo info;
  info.kind = "classifier";
  info.facts = Facts(*model);
  info.options = FieldsJson(model->options);
  info.metadata = reader->Metadata();
  return info;
}

absl::Status CheckValues(absl::Span<const float> values,
                         absl::string_view place) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (IsModerate(values[i])) continue;
    return absl::DataLossError(absl::StrCat(
        place, ", value ", i, ": expected a number from ", -kMostTableValue,
        " to ", kMostTableValue, ", found ", values[i]));
  }
  return absl::OkStatus();
}

absl::Status CheckValues(const RowStore& rows, absl::string_view place) {
  return std::visit(
      [place](const auto& form) { return CheckForm(form, place); }, rows);
}

absl::Status CheckTreeCounts(absl::Span<const uint64_t> label_counts,
                             absl::string_view path) {
  if (label_counts.size() >= 2 && label_counts.back() > 0 &&
      std::is_sorted(label_counts.begin(), label_counts.end(),
                     std::greater<>())) {
    return absl::OkStatus();
  }
  return absl::DataLossError(
      absl::StrCat(path,
                   ": a tree of labels needs at least 2 labels with counts of "
                   "1 or more in descending order"));
}

}  // namespace firth
