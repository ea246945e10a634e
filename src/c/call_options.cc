// Describes the options of a call by the table of fields that reads them.

#include "c/call_options.h"

#include <cmath>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/fields_json.h"
#include "c/call.h"
#include "firth/contextualizer.h"
#include "firth/labelled_text.h"
#include "firth/phrases.h"
#include "firth/query.h"
#include "firth/sentence_vectors.h"
#include "firth/tune.h"
#include "firth/vector_training.h"
#include "nlohmann/json.hpp"

namespace firth::c {
namespace {

absl::string_view TypeOf(FieldKind kind) {
  switch (kind) {
    case FieldKind::kFlag:
      return "boolean";
    case FieldKind::kWhole:
      return "integer";
    case FieldKind::kReal:
      return "number";
    case FieldKind::kWholes:
      return "integers";
    case FieldKind::kTexts:
      return "texts";
    case FieldKind::kTerms:
      return "words or vectors";
    default:
      return "text";
  }
}

OrderedJson Describe(const Field& field) {
  OrderedJson json = {{"name", field.name},
                      {"type", TypeOf(field.kind)},
                      {"default", DefaultOf(field)},
                      {"help", field.help}};
  const bool is_number = field.kind == FieldKind::kWhole ||
                         field.kind == FieldKind::kReal ||
                         field.kind == FieldKind::kWholes;
  if (is_number) json["min"] = field.min;
  if (is_number && std::isfinite(field.max)) json["max"] = field.max;
  if (!field.choices.empty()) json["choices"] = field.choices;
  return json;
}

template <class Options>
OrderedJson DescribeAll() {
  Options options;
  const FieldEditor fields(&options);
  OrderedJson json = OrderedJson::array();
  for (const std::string& name : fields.names()) {
    json.push_back(Describe(*fields.Find(name)));
  }
  return json;
}

struct Described {
  absl::string_view call;
  OrderedJson (*describe)();
};
constexpr Described kCalls[] = {
    {"load", DescribeAll<VectorOpening>},
    {"save", DescribeAll<VectorSaving>},
    {"sums", DescribeAll<SumSettings>},
    {"perplexity", DescribeAll<MeasureOptions>},
    {"tagger", DescribeAll<TaggerOpening>},
    {"train", DescribeAll<VectorTraining>},
    {"query", DescribeAll<SearchSettings>},
    {"lm-train", DescribeAll<LanguageModelCall>},
    {"embed", DescribeAll<EmbedOptions>},
    {"generate", DescribeAll<GenerateCall>},
    {"sentence-vectors", DescribeAll<SentenceOptions>},
    {"hnsw", DescribeAll<HnswOptions>},
    {"phrases", DescribeAll<PhraseCall>},
    {"documents-train", DescribeAll<DocumentCall>},
    {"documents-infer", DescribeAll<InferOptions>},
    {"labelled-text", DescribeAll<LabelledTextOptions>},
    {"classify-train", DescribeAll<ClassifierCall>},
    {"classify-load", DescribeAll<ClassifierOpening>},
    {"classify-probabilities", DescribeAll<ProbabilityCall>},
    {"classify-predict", DescribeAll<PredictionCall>},
    {"classify-quantize", DescribeAll<QuantizationCall>},
    {"classify-tune", DescribeAll<TuneOptions>}};

}  // namespace

extern "C" FirthStatus* firth_describe_options(const char* call,
                                               int64_t call_size,
                                               FirthBuffer** json) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto name, TextOf("call", call, call_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("json", json));
    for (const Described& known : kCalls) {
      if (known.call != name) continue;
      *json = MakeHandle(MakeBuffer(known.describe()));
      return absl::OkStatus();
    }
    const auto name_of = [](std::string* out, const Described& known) {
      absl::StrAppend(out, known.call);
    };
    return absl::NotFoundError(absl::StrCat(
        "call: there is no call \"", Utf8SafeCHexEscape(name),
        "\"; the calls are ", absl::StrJoin(kCalls, ", ", name_of)));
  });
}

}  // namespace firth::c
