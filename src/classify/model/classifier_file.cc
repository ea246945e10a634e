#include "classify/model/classifier_file.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/json.h"
#include "firth/fields.h"
#include "io/formats/safetensors_rows.h"
#include "io/tensors/checked_tensors.h"
#include "vectors/product_quantizer.h"

namespace firth {
namespace {

// Numbers, each in as few bytes as the largest one requires.
struct NarrowNumbers {
  const char* dtype = "U8";
  std::string bytes;
};

template <class Number>
std::string Narrowed(const std::vector<uint32_t>& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto number = static_cast<Number>(numbers[i]);
    std::memcpy(bytes.data() + i * sizeof(number), &number, sizeof(number));
  }
  return bytes;
}

NarrowNumbers Narrow(const std::vector<uint32_t>& numbers) {
  const uint32_t most =
      numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end());
  if (most <= 0xff) return {"U8", Narrowed<uint8_t>(numbers)};
  if (most <= 0xffff) return {"U16", Narrowed<uint16_t>(numbers)};
  return {"U32", Narrowed<uint32_t>(numbers)};
}

// The parts of a model that have another form in the file.
struct FileParts {
  std::string labels;
  std::vector<uint64_t> label_ends;
  std::string words;
  std::string character_ngrams;
  NarrowNumbers prefixes;
  NarrowNumbers last_words;
  std::vector<float> idf_values;
  NarrowNumbers idf;
};

std::string Lines(const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) absl::StrAppend(&lines, text, "\n");
  return lines;
}

void SetIdf(const std::vector<float>& idf, FileParts* parts) {
  parts->idf_values = idf;
  std::sort(parts->idf_values.begin(), parts->idf_values.end());
  const auto end =
      std::unique(parts->idf_values.begin(), parts->idf_values.end());
  parts->idf_values.erase(end, parts->idf_values.end());
  std::vector<uint32_t> codes;
  codes.reserve(idf.size());
  for (const float value : idf) {
    const auto at = std::lower_bound(parts->idf_values.begin(),
                                     parts->idf_values.end(), value);
    codes.push_back(static_cast<uint32_t>(at - parts->idf_values.begin()));
  }
  parts->idf = Narrow(codes);
}

FileParts PartsOf(const ClassifierModel& model) {
  FileParts parts;
  for (const std::string& label : model.labels) {
    parts.labels += label;
    parts.label_ends.push_back(parts.labels.size());
  }
  const FeatureParts& features = model.features.parts();
  parts.words = Lines(features.words);
  parts.character_ngrams = Lines(features.character_ngrams);
  std::vector<uint32_t> prefixes, last_words;
  for (const auto& [prefix, last] : features.word_ngrams) {
    prefixes.push_back(prefix);
    last_words.push_back(last);
  }
  parts.prefixes = Narrow(prefixes);
  parts.last_words = Narrow(last_words);
  SetIdf(model.idf, &parts);
  return parts;
}

// Returns the number of bytes of the values of rows.
uint64_t BytesIn(const FloatTable& table) {
  return table.rows() * table.cols() * sizeof(float);
}
uint64_t BytesIn(const Float16Rows& rows) {
  return rows.values.rows() * rows.values.cols() * sizeof(uint16_t);
}
uint64_t BytesIn(const Int8Rows& rows) {
  return rows.codes.rows() * rows.codes.cols() + BytesIn(rows.scales);
}
uint64_t BytesIn(const PqRows& rows) {
  return rows.codes.rows() * rows.codes.cols() +
         BytesIn(rows.quantizer->codebooks()) +
         BytesIn(rows.quantizer->rotation()) + BytesIn(rows.norms);
}

// Calls visit(name, dtype, bytes) or visit(name, rows) for each tensor of the
// file, of which empty ones are left out.
template <class Visit>
void VisitTensors(const ClassifierModel& model, const FileParts& parts,
                  const Visit& visit) {
  const auto add = [&](const char* name, const char* dtype,
                       absl::string_view bytes) {
    if (!bytes.empty()) visit(name, dtype, bytes);
  };
  const auto add_narrow = [&](const char* name, const NarrowNumbers& numbers) {
    add(name, numbers.dtype, numbers.bytes);
  };
  const auto add_values = [&](const char* name, const char* dtype,
                              const auto& values) {
    add(name, dtype, BytesOf(absl::MakeConstSpan(values)));
  };
  const auto add_rows = [&](const char* name, const RowStore& rows) {
    if (NumRows(rows) > 0) visit(name, rows);
  };
  add("labels", "U8", parts.labels);
  add_values("label_ends", "U64", parts.label_ends);
  add_values("label_counts", "I64", model.label_counts);
  add("words", "U8", parts.words);
  add_narrow("word_ngrams", parts.prefixes);
  add_narrow("word_ngram_words", parts.last_words);
  add("character_ngrams", "U8", parts.character_ngrams);
  add_values("kept_buckets", "U32", model.features.parts().kept_buckets);
  add_values("bias", "F32", model.bias);
  add_values("thresholds", "F32", model.thresholds);
  add_rows("wide", model.wide);
  add_values("idf_values", "F32", parts.idf_values);
  add_narrow("idf", parts.idf);
  add_rows("input", model.input);
  add_rows("output", model.output);
  add_values("context_mean", "F32", model.context_mean);
  add_values("context_scale", "F32", model.context_scale);
  if (model.tuned_contextualizer != nullptr) {
    add(kTunedContextualizer, "U8", model.tuned_contextualizer->bytes());
  }
}

// Adds the tensors to a file.
struct TensorWriter {
  void operator()(const char* name, const char* dtype,
                  absl::string_view bytes) const {
    writer.Add(name, dtype, bytes);
  }
  void operator()(const char* name, const RowStore& rows) const {
    AddRowTensors(rows, name, &writer);
  }
  CheckedWriter& writer;
};

// Counts the bytes of the tensors. Each takes at most about 80 bytes of the
// header and 40 bytes of the checksums.
struct ByteCounter {
  static constexpr uint64_t kPerTensor = 120;

  void operator()(const char*, const char*, absl::string_view bytes) const {
    count += kPerTensor + bytes.size();
  }
  void operator()(const char*, const RowStore& rows) const {
    count += kPerTensor +
             std::visit([](const auto& form) { return BytesIn(form); }, rows);
  }
  uint64_t& count;
};

Json ContentOf(const ClassifierModel& model) {
  Json content = {{"options", ParseJson(FieldsJson(model.options))},
                  {"link", kLinkNames[static_cast<size_t>(model.link)]},
                  {"several_labels", model.several_labels},
                  {"wide_scale", model.wide_scale},
                  {"deep_scale", model.deep_scale}};
  if (model.texts > 0) content["texts"] = model.texts;
  if (model.interrupted) content["interrupted"] = true;
  const FeatureOptions& features = model.features.options();
  if (features.hashing) {
    content["hashing"] = true;
    content["buckets"] = features.buckets;
    content["label_prefix"] = features.label_prefix;
  }
  if (!model.contextualizer_name.empty()) {
    content["contextualizer"] = {
        {"name", model.contextualizer_name},
        {"bytes", model.contextualizer_size},
        {"checksum", HexChecksum(model.contextualizer_checksum)}};
  }
  return content;
}

}  // namespace

absl::Status SaveClassifierModel(const ClassifierModel& model,
                                 const std::string& path) {
  const FileParts parts = PartsOf(model);
  CheckedWriter writer;
  VisitTensors(model, parts, TensorWriter{writer});
  return std::move(writer).Write({}, kClassifierKind,
                                 DumpJson(ContentOf(model)), path);
}

uint64_t ClassifierFileBytes(const ClassifierModel& model) {
  uint64_t bytes = 300;
  VisitTensors(model, PartsOf(model), ByteCounter{bytes});
  return bytes + DumpJson(ContentOf(model)).size();
}

}  // namespace firth
