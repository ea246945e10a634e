// Reads supervised models of fastText (io/formats/fasttext_parts.h) as
// classifiers with only a deep part, and writes such classifiers as fastText
// models.
//
// fastText and ClassifierModel represent some things differently:
//
//   labels       have the prefix "__label__" in fastText
//   ova and ns   are one sigmoid for each label, in fastText from a table
//   deep_scale   is multiplied into the output matrix
//   bias         becomes an additional dimension, unless it is 0: 1 in each row
//                of the input, so that the mean has a 1 there, too
//
// The numbers that fastText prints are larger by 1e-5 than a probability, and
// with hs by up to 1e-5 for each node on the path, because it adds that before
// it takes logarithms.
//
// Matrices of both formats, .bin and .ftz, become rows of a ClassifierModel.
// Differences are kept as options: hashed n-grams, the word at the end of a
// text, the table of sigmoids, and the tree of labels in fastText's order.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/output_file.h"
#include "base/quote.h"
#include "classify/model/classifier_file.h"
#include "firth/status_macros.h"
#include "io/codecs/byte_reader.h"
#include "io/codecs/vector_rows.h"
#include "io/formats/fasttext_parts.h"

namespace firth {
namespace {

constexpr absl::string_view kLabelPrefix = "__label__";
constexpr int32_t kMostWordNgrams = 10;
constexpr int32_t kMostCharacters = 20;

absl::Status CheckKind(const FasttextHeader& header, const std::string& path) {
  if (header.architecture != kFasttextSupervised || header.labels.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path,
                     ": this fastText model contains word vectors; a "
                     "classifier needs a supervised model"));
  }
  if (header.word_n_grams > kMostWordNgrams || header.max_n > kMostCharacters) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": n-grams must have at most ", kMostWordNgrams,
                     " words and ", kMostCharacters, " characters, found ",
                     header.word_n_grams, " and ", header.max_n));
  }
  return header.loss == kFasttextTree
             ? CheckTreeCounts(header.label_counts, path)
             : absl::OkStatus();
}

LabelLoss LossOf(const FasttextHeader& header) {
  switch (header.loss) {
    case kFasttextTree:
      return TreeLabelLoss();
    case kFasttextSampled:
      return SampledLabelLoss{.negatives = static_cast<uint64_t>(
                                  std::clamp(header.negatives, 1, 1000))};
    case kFasttextSoftmax:
      return SoftmaxLabelLoss();
    default:
      return OneVsAllLoss();
  }
}

LabelLink LinkOf(const FasttextHeader& header) {
  return header.loss == kFasttextTree      ? LabelLink::kTree
         : header.loss == kFasttextSoftmax ? LabelLink::kSoftmax
                                           : LabelLink::kTableSigmoid;
}

ClassifierOptions OptionsOf(const FasttextHeader& header) {
  ClassifierOptions options;
  options.word_ngrams = static_cast<uint64_t>(std::max(header.word_n_grams, 1));
  // fastText treats every length from 0 as 1.
  const int32_t min_n = std::max(header.min_n, 1);
  const bool has_characters = min_n <= header.max_n;
  options.min_n = has_characters ? static_cast<uint64_t>(min_n) : 0;
  options.max_n = has_characters ? static_cast<uint64_t>(header.max_n) : 0;
  options.min_count = static_cast<uint64_t>(std::max(header.min_count, 1));
  options.buckets = static_cast<uint64_t>(header.buckets);
  options.parts = ClassifierParts::kDeep;
  options.dim = static_cast<uint64_t>(header.dim);
  options.loss = LossOf(header);
  options.epochs = static_cast<uint64_t>(std::min(header.epochs, 10000));
  return options;
}

// Returns the labels without the prefix, unless some label lacks it.
std::vector<std::string> LabelNames(const FasttextHeader& header) {
  const bool prefixed = std::all_of(
      header.labels.begin(), header.labels.end(), [](absl::string_view label) {
        return absl::StartsWith(label, kLabelPrefix) &&
               label.size() > kLabelPrefix.size();
      });
  std::vector<std::string> names;
  for (const absl::string_view label : header.labels) {
    names.emplace_back(label.substr(prefixed ? kLabelPrefix.size() : 0));
  }
  return names;
}

// Returns the bucket of each row. Errors: DataLoss, two buckets of one row.
absl::StatusOr<std::vector<uint32_t>> KeptBuckets(const FasttextHeader& header,
                                                  const std::string& path) {
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> buckets(header.kept.size(), kNone);
  for (const auto& [bucket, row] : header.kept) {
    if (buckets[row] != kNone) {
      return absl::DataLossError(absl::StrCat(
          path, ": expected a row for each kept n-gram, found row ", row,
          " of buckets ", buckets[row], " and ", bucket));
    }
    buckets[row] = bucket;
  }
  return buckets;
}

absl::StatusOr<FeatureIndex> IndexOf(const FasttextHeader& header,
                                     const ClassifierOptions& options,
                                     const std::string& path) {
  FeatureParts parts;
  parts.options = FeaturesOf(options);
  parts.options.hashing = true;
  parts.options.label_prefix = std::string(kLabelPrefix);
  parts.words = {header.words.begin(), header.words.end()};
  FIRTH_ASSIGN_OR_RETURN(parts.kept_buckets, KeptBuckets(header, path));
  // No bucket has a row, rather than all.
  if (header.pruned && header.kept.empty()) parts.options.buckets = 0;
  auto index = FeatureIndex::Of(std::move(parts));
  if (index.ok()) return index;
  return absl::DataLossError(
      absl::StrCat(path, ": ", index.status().message()));
}

absl::Status ReadTables(const MappedFilePtr& file, const FasttextHeader& header,
                        ByteReader& reader, ClassifierModel* model) {
  FIRTH_ASSIGN_OR_RETURN(
      model->input,
      ReadFasttextMatrix(file, reader, header, header.input_rows(),
                         /*may_lack=*/false, "the input matrix"));
  FIRTH_ASSIGN_OR_RETURN(
      const FloatTable output,
      ReadFasttextMatrix(file, reader, header, header.labels.size(),
                         /*may_lack=*/false, "the output matrix"));
  FIRTH_RETURN_IF_ERROR(reader.CheckEnd());
  FIRTH_RETURN_IF_ERROR(CheckValues(
      model->input, absl::StrCat(file->path(), ": the input matrix")));
  FIRTH_RETURN_IF_ERROR(
      CheckValues(output, absl::StrCat(file->path(), ": the output matrix")));
  // A tree has one node less than labels, but fastText stores a row that it
  // never uses.
  model->output =
      output.Rows(0, output.rows() - (model->link == LabelLink::kTree ? 1 : 0));
  return absl::OkStatus();
}

absl::Status CannotSay(const std::string& path, absl::string_view expected,
                       absl::string_view found) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": a fastText .bin file cannot hold ", found,
                   ", only ", expected, "; write a .safetensors file instead"));
}

absl::Status CheckFeatures(const FeatureIndex& index, const std::string& path) {
  const FeatureOptions& options = index.options();
  const bool normalizes = options.normalize != Normalization::kNone;
  if (options.lowercase || options.split_punctuation || normalizes) {
    return CannotSay(path, "one that uses words as written",
                     options.lowercase ? "a classifier that lowercases words"
                     : normalizes      ? "a classifier that normalizes words"
                                  : "a classifier that splits punctuation");
  }
  if (index.num_word_ngrams() + index.num_character_ngrams() > 0) {
    return CannotSay(path, "n-grams in buckets",
                     "n-grams with rows of their own (see --buckets)");
  }
  if (!index.parts().kept_buckets.empty()) {
    return CannotSay(path, "one with all buckets", "a pruned classifier");
  }
  return absl::OkStatus();
}

// Returns whether fastText would end a word or label within `text`.
bool HasSpace(absl::string_view text) {
  return text.find_first_of(absl::string_view("\n\r\t\v\f \0", 7)) != text.npos;
}

absl::Status CheckTexts(const std::vector<std::string>& texts, const char* what,
                        const std::string& path) {
  for (const std::string& text : texts) {
    if (!HasSpace(text)) continue;
    return CannotSay(path, absl::StrCat(what, "s without white space and NUL"),
                     absl::StrCat("the ", what, " ", Quote(text)));
  }
  return absl::OkStatus();
}

absl::Status CheckSayable(const ClassifierModel& model,
                          const std::string& path) {
  if (model.has_wide()) {
    return CannotSay(path, "a deep part", "a wide part (see --parts deep)");
  }
  if (!model.context_mean.empty()) {
    return CannotSay(path, "one that reads words and n-grams",
                     "a classifier that reads a contextualizer");
  }
  FIRTH_RETURN_IF_ERROR(CheckFeatures(model.features, path));
  FIRTH_RETURN_IF_ERROR(CheckTexts(model.features.parts().words, "word", path));
  FIRTH_RETURN_IF_ERROR(CheckTexts(model.labels, "label", path));
  constexpr uint64_t kMost = std::numeric_limits<int32_t>::max();
  if (model.features.rows() <= kMost && model.labels.size() <= kMost) {
    return absl::OkStatus();
  }
  return CannotSay(
      path, "fewer than 2^31 of each",
      absl::StrCat(model.features.rows(), " words and buckets and ",
                   model.labels.size(), " labels"));
}

bool HasBias(const ClassifierModel& model) {
  return std::any_of(model.bias.begin(), model.bias.end(),
                     [](float bias) { return bias != 0; });
}

int32_t FasttextLossOf(const ClassifierModel& model) {
  if (model.link == LabelLink::kTree) return kFasttextTree;
  if (model.link == LabelLink::kSoftmax) return kFasttextSoftmax;
  return std::holds_alternative<SampledLabelLoss>(model.options.loss)
             ? kFasttextSampled
             : kFasttextOneVsAll;
}

// `labels` are those of the file. Words have no counts, so each gets 1;
// fastText uses counts only for further training.
FasttextHeader HeaderOf(const ClassifierModel& model,
                        const std::vector<std::string>& labels) {
  const ClassifierOptions& options = model.options;
  const FeatureOptions& features = model.features.options();
  FasttextHeader header;
  header.dim =
      static_cast<int32_t>(RowDim(model.input) + (HasBias(model) ? 1 : 0));
  header.epochs = static_cast<int32_t>(options.epochs);
  header.min_count = static_cast<int32_t>(std::min<uint64_t>(
      options.min_count, std::numeric_limits<int32_t>::max()));
  if (const auto* sampled = std::get_if<SampledLabelLoss>(&options.loss)) {
    header.negatives = static_cast<int32_t>(sampled->negatives);
  }
  header.loss = FasttextLossOf(model);
  header.architecture = kFasttextSupervised;
  header.buckets = static_cast<int32_t>(features.buckets);
  if (header.buckets > 0) {  // otherwise fastText would divide by 0
    header.word_n_grams = static_cast<int32_t>(features.word_ngrams);
    header.min_n = static_cast<int32_t>(features.min_n);
    header.max_n = static_cast<int32_t>(features.max_n);
  }
  const std::vector<std::string>& words = model.features.parts().words;
  header.words.assign(words.begin(), words.end());
  header.counts.assign(words.size(), 1);
  header.tokens = words.size();
  header.labels.assign(labels.begin(), labels.end());
  header.label_counts = model.label_counts;
  return header;
}

// Writes `rows` rows, one after another, with zeros after those of the table.
// Each is multiplied by `scale`, and followed by last(row) if `has_last`.
template <class Last>
absl::Status WriteRows(const RowStore& table, size_t rows, float scale,
                       bool has_last, Last last, OutputFile& out) {
  const size_t dim = RowDim(table);
  std::vector<float> row(dim + (has_last ? 1 : 0));
  FIRTH_RETURN_IF_ERROR(
      out.WriteNumbers(uint8_t{0}, uint64_t{rows}, uint64_t{row.size()}));
  for (size_t i = 0; i < rows; ++i) {
    std::fill(row.begin(), row.end(), 0.0f);
    if (i < NumRows(table)) CopyRow(table, i, {row.data(), dim});
    for (float& value : row) value *= scale;
    if (has_last) row.back() = last(i);
    FIRTH_RETURN_IF_ERROR(out.Write(BytesOf(absl::MakeConstSpan(row))));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ClassifierModel> LoadFasttextClassifier(
    const MappedFilePtr& file) {
  ByteReader reader(*file);
  FIRTH_ASSIGN_OR_RETURN(const FasttextHeader header,
                         ReadFasttextHeader(reader));
  FIRTH_RETURN_IF_ERROR(CheckKind(header, file->path()));
  ClassifierModel model;
  model.options = OptionsOf(header);
  model.labels = LabelNames(header);
  model.label_counts = header.label_counts;
  model.link = LinkOf(header);
  model.several_labels = header.loss == kFasttextOneVsAll;
  if (model.link != LabelLink::kTree) model.bias.resize(model.labels.size());
  FIRTH_RETURN_IF_ERROR(ReadTables(file, header, reader, &model));
  FIRTH_ASSIGN_OR_RETURN(model.features,
                         IndexOf(header, model.options, file->path()));
  return model;
}

absl::Status SaveFasttextClassifier(const ClassifierModel& model,
                                    const std::string& path) {
  FIRTH_RETURN_IF_ERROR(CheckSayable(model, path));
  std::vector<std::string> labels;
  for (const std::string& label : model.labels) {
    labels.push_back(absl::StrCat(kLabelPrefix, label));
  }
  const bool has_bias = HasBias(model);
  FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path));
  FIRTH_RETURN_IF_ERROR(WriteFasttextHeader(HeaderOf(model, labels), out));
  FIRTH_RETURN_IF_ERROR(WriteRows(
      model.input, model.features.rows(), 1, has_bias,
      [](size_t) { return 1.0f; }, out));
  FIRTH_RETURN_IF_ERROR(WriteRows(
      model.output, labels.size(), model.deep_scale, has_bias,
      [&](size_t label) { return model.bias[label]; }, out));
  return out.Commit();
}

}  // namespace firth
