// Requests for vectors of texts in the forms of other services, so that their
// clients work unchanged: OpenAI's /v1/embeddings, and /embed and /similarity
// of Hugging Face's text-embeddings-inference. A text has the vector that
// "firth sentence-vectors" gives it.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "firth/answer.h"
#include "firth/json_reader.h"
#include "firth/query.h"
#include "firth/sentence_vectors.h"
#include "firth/status_macros.h"
#include "serve/route.h"

namespace firth::tools {
namespace {

constexpr size_t kMostTexts = 2048;  // As OpenAI.
constexpr int kMostLevels = 8;       // Of nested objects and arrays.

// Reads the members of a JSON object, and in the end refuses any other.
class Members {
 public:
  // Errors: InvalidArgument, the body is not an object.
  static absl::StatusOr<Members> Parse(absl::string_view body) {
    JsonFaults faults;
    Json json = ReadJson<Json>(body, kMostLevels, &faults);
    if (!faults.twice.empty()) {
      return ErrorAt(faults.twice, "this name is given twice in one object");
    }
    if (json.is_object()) return Members(std::move(json), "");
    return absl::InvalidArgumentError(absl::StrCat(
        "the body: expected a JSON object in UTF-8, found ",
        json.is_discarded()
            ? FoundInsteadOfJson(faults, body.size())
            : absl::StrCat(json.is_array() ? "an array" : "a value")));
  }

  // Removes a member and returns it, or returns null.
  Json Take(const std::string& name) {
    const auto found = json_.find(name);
    if (found == json_.end()) return nullptr;
    Json value = std::move(*found);
    json_.erase(found);
    return value;
  }

  absl::StatusOr<std::string> TakeText(const std::string& name,
                                       const std::string& initial) {
    const Json value = Take(name);
    if (value.is_null()) return initial;
    if (value.is_string()) return value.get<std::string>();
    return Wrong(name, "a text", value);
  }

  // Removes a member that clients send, but that must have no value here.
  absl::Status TakeNull(const std::string& name) {
    const Json value = Take(name);
    if (value.is_null()) return absl::OkStatus();
    return Wrong(name, "null, as these models have no prompts", value);
  }

  absl::StatusOr<bool> TakeFlag(const std::string& name, bool initial) {
    const Json value = Take(name);
    if (value.is_null()) return initial;
    if (value.is_boolean()) return value.get<bool>();
    return Wrong(name, "true or false", value);
  }

  // Returns `initial` if there is no such member.
  absl::StatusOr<size_t> TakeSize(const std::string& name, size_t most,
                                  size_t initial) {
    const Json value = Take(name);
    if (value.is_null()) return initial;
    if (value.is_number_unsigned() && value.get<uint64_t>() >= 1 &&
        value.get<uint64_t>() <= most) {
      return value.get<size_t>();
    }
    return Wrong(name, absl::StrCat("1 to ", most), value);
  }

  // Takes a list of texts or, if `is_one` is not null, one text.
  absl::StatusOr<std::vector<std::string>> TakeTexts(const std::string& name,
                                                     bool* is_one = nullptr) {
    const Json value = Take(name);
    if (is_one != nullptr) *is_one = value.is_string();
    if (is_one != nullptr && *is_one) {
      return std::vector<std::string>{value.get<std::string>()};
    }
    const std::string expected =
        absl::StrCat(is_one != nullptr ? "a text or " : "", "a list of 1 to ",
                     kMostTexts, " texts");
    if (!value.is_array() || value.empty() || value.size() > kMostTexts) {
      return Wrong(name, expected, value);
    }
    std::vector<std::string> texts;
    for (const Json& text : value) {
      if (!text.is_string()) {
        return Wrong(absl::StrCat(name, "[", texts.size(), "]"), "a text",
                     text);
      }
      texts.push_back(text.get<std::string>());
    }
    return texts;
  }

  absl::StatusOr<Members> TakeMembers(const std::string& name) {
    Json value = Take(name);
    if (value.is_object()) return Members(std::move(value), name + ".");
    return Wrong(name, "an object", value);
  }

  // Returns an error if members remain.
  absl::Status CheckEmpty() const {
    if (json_.empty()) return absl::OkStatus();
    return ErrorAt(absl::StrCat(place_, json_.begin().key()),
                   "there is no such field");
  }

  absl::Status Wrong(const std::string& name, absl::string_view expected,
                     const Json& found) const {
    constexpr size_t kMostShown = 60;
    std::string shown = OneLine(found);
    if (shown.size() > kMostShown) {
      shown = found.is_array()
                  ? absl::StrCat("a list of ", found.size(), " items")
                  : absl::StrCat("a long ", found.type_name());
    }
    return ErrorAt(absl::StrCat(place_, name),
                   absl::StrCat("expected ", expected, ", found ",
                                found.is_null() ? "nothing" : shown));
  }

 private:
  Members(Json json, std::string place)
      : json_(std::move(json)), place_(std::move(place)) {}

  Json json_;
  std::string place_;  // Prefix of the names in errors.
};

// The vectors of texts, and how many words of all texts have vectors.
struct Embeddings {
  std::vector<std::vector<float>> rows;
  size_t words = 0;
};

void ScaleToUnit(std::vector<float>* row) {
  double square = 0;
  for (const float value : *row) square += double{value} * value;
  if (!(square > 0)) return;
  const double factor = 1 / std::sqrt(square);
  for (float& value : *row) value = static_cast<float>(value * factor);
}

// Takes the name of the model, which may be omitted if there is only one.
absl::StatusOr<const OpenedModel*> TakeModel(const ServedFiles& files,
                                             Members* members) {
  FIRTH_ASSIGN_OR_RETURN(const std::string name,
                         members->TakeText("model", ""));
  absl::StatusOr<const OpenedModel*> model =
      files.models.Find(ModelKind::kVectors, name);
  if (model.ok()) return model;
  return ErrorAt("model", model.status().message(), model.status().code());
}

const OpenedVectors& VectorsOf(const OpenedModel& model) {
  return *std::get<std::shared_ptr<const OpenedVectors>>(model.content);
}

absl::StatusOr<Embeddings> Embed(const OpenedVectors& model,
                                 absl::Span<const std::string> texts,
                                 size_t dim, bool normalize) {
  FIRTH_ASSIGN_OR_RETURN(const SentenceEncoder encoder,
                         SentenceEncoder::Create(model.vectors(), {}));
  Embeddings embeddings;
  for (const std::string& text : texts) {
    std::vector<float>& row = embeddings.rows.emplace_back(encoder.dim());
    FIRTH_ASSIGN_OR_RETURN(const size_t words,
                           encoder.Encode(text, absl::MakeSpan(row)));
    embeddings.words += words;
    row.resize(dim);
    if (normalize) ScaleToUnit(&row);
  }
  return embeddings;
}

// Appends numbers as JSON, or as base64 of little-endian float32.
void AppendNumbers(absl::Span<const float> row, bool as_base64,
                   std::string* json) {
  if (as_base64) {
    absl::StrAppend(
        json, "\"",
        absl::Base64Escape({reinterpret_cast<const char*>(row.data()),
                            row.size() * sizeof(float)}),
        "\"");
    return;
  }
  char separator = '[';
  for (const float value : row) {
    json->push_back(separator);
    AppendJsonNumber(value, json);
    separator = ',';
  }
  json->push_back(']');
}

absl::StatusOr<Response> OpenAiEmbeddings(const ServedFiles& files,
                                          absl::string_view body) {
  FIRTH_ASSIGN_OR_RETURN(Members members, Members::Parse(body));
  FIRTH_ASSIGN_OR_RETURN(const OpenedModel* opened, TakeModel(files, &members));
  const OpenedVectors& model = VectorsOf(*opened);
  bool is_one = false;
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::string> texts,
                         members.TakeTexts("input", &is_one));
  FIRTH_ASSIGN_OR_RETURN(const std::string format,
                         members.TakeText("encoding_format", "float"));
  if (format != "float" && format != "base64") {
    return members.Wrong("encoding_format", "\"float\" or \"base64\"", format);
  }
  const size_t all = model.vectors().dim();
  FIRTH_ASSIGN_OR_RETURN(const size_t dim,
                         members.TakeSize("dimensions", all, all));
  FIRTH_RETURN_IF_ERROR(members.TakeText("user", "").status());
  FIRTH_RETURN_IF_ERROR(members.CheckEmpty());
  FIRTH_ASSIGN_OR_RETURN(const Embeddings embeddings,
                         Embed(model, texts, dim, /*normalize=*/true));
  std::string json = R"({"object":"list","data":[)";
  for (size_t i = 0; i < embeddings.rows.size(); ++i) {
    absl::StrAppend(&json, i == 0 ? "" : ",",
                    R"({"object":"embedding","index":)", i, R"(,"embedding":)");
    AppendNumbers(embeddings.rows[i], format == "base64", &json);
    json.push_back('}');
  }
  json += R"(],"model":)";
  AppendJsonText(opened->name, &json);
  absl::StrAppend(&json, R"(,"usage":{"prompt_tokens":)", embeddings.words,
                  R"(,"total_tokens":)", embeddings.words, "}}");
  return JsonResponse(std::move(json));
}

absl::StatusOr<Response> InferenceEmbed(const ServedFiles& files,
                                        absl::string_view body) {
  FIRTH_ASSIGN_OR_RETURN(Members members, Members::Parse(body));
  FIRTH_ASSIGN_OR_RETURN(const OpenedModel* opened, TakeModel(files, &members));
  const OpenedVectors& model = VectorsOf(*opened);
  bool is_one = false;
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::string> texts,
                         members.TakeTexts("inputs", &is_one));
  FIRTH_ASSIGN_OR_RETURN(const bool normalize,
                         members.TakeFlag("normalize", true));
  const size_t all = model.vectors().dim();
  FIRTH_ASSIGN_OR_RETURN(const size_t dim,
                         members.TakeSize("dimensions", all, all));
  // Texts may have any length, so that none is truncated.
  FIRTH_RETURN_IF_ERROR(members.TakeFlag("truncate", false).status());
  FIRTH_RETURN_IF_ERROR(members.TakeNull("prompt_name"));
  FIRTH_RETURN_IF_ERROR(members.CheckEmpty());
  FIRTH_ASSIGN_OR_RETURN(const Embeddings embeddings,
                         Embed(model, texts, dim, normalize));
  std::string json;
  for (const std::vector<float>& row : embeddings.rows) {
    json.push_back(json.empty() ? '[' : ',');
    AppendNumbers(row, /*as_base64=*/false, &json);
  }
  json.push_back(']');
  return JsonResponse(std::move(json));
}

absl::StatusOr<Response> InferenceSimilarity(const ServedFiles& files,
                                             absl::string_view body) {
  FIRTH_ASSIGN_OR_RETURN(Members members, Members::Parse(body));
  FIRTH_ASSIGN_OR_RETURN(const OpenedModel* opened, TakeModel(files, &members));
  const OpenedVectors& model = VectorsOf(*opened);
  FIRTH_ASSIGN_OR_RETURN(Members inputs, members.TakeMembers("inputs"));
  FIRTH_RETURN_IF_ERROR(members.CheckEmpty());
  const Json source = inputs.Take("source_sentence");
  if (!source.is_string()) {
    return inputs.Wrong("source_sentence", "a text", source);
  }
  FIRTH_ASSIGN_OR_RETURN(std::vector<std::string> texts,
                         inputs.TakeTexts("sentences"));
  FIRTH_RETURN_IF_ERROR(inputs.CheckEmpty());
  texts.push_back(source.get<std::string>());
  FIRTH_ASSIGN_OR_RETURN(const Embeddings embeddings,
                         Embed(model, texts, model.vectors().dim(), false));
  std::vector<float> cosines;
  for (size_t i = 0; i + 1 < texts.size(); ++i) {
    cosines.push_back(Similarity(embeddings.rows.back(), embeddings.rows[i]));
  }
  std::string json;
  AppendNumbers(cosines, /*as_base64=*/false, &json);
  return JsonResponse(std::move(json));
}

constexpr char kTexts[] = R"("anyOf":[{"type":"array","minItems":1,
  "maxItems":2048,"items":{"type":"string"}},{"type":"string"}])";
constexpr char kModel[] = R"("model":{"type":"string","description":
  "name of a model of vectors; may be omitted if there is only one"},)";
constexpr char kDimensions[] = R"("dimensions":{"type":"integer","minimum":1,
  "description":"number of leading dimensions; all by default"})";

std::string OpenAiSchema() {
  return absl::StrCat(
      R"({"type":"object","required":["input"],"properties":{)", kModel,
      R"("input":{"description":"texts",)", kTexts,
      R"(},"encoding_format":{"enum":["float","base64"],
        "default":"float","description":
        "numbers, or base64 of little-endian float32"},)",
      kDimensions, R"(,"user":{"type":"string","description":"not used"}}})");
}

std::string InferenceSchema() {
  return absl::StrCat(
      R"({"type":"object","required":["inputs"],"properties":{)", kModel,
      R"("inputs":{"description":"texts",)", kTexts,
      R"(},"normalize":{"type":"boolean","default":true,"description":
        "scale vectors to length 1"},"truncate":{"type":"boolean",
        "description":"not used, because texts may have any length"},)",
      kDimensions, "}}");
}

constexpr char kOpenAiAnswer[] = R"({"type":"object","properties":{
  "object":{"const":"list","type":"string"},
  "data":{"type":"array","items":{"type":"object","properties":{
    "object":{"type":"string"},"index":{"type":"integer"},
    "embedding":{"anyOf":[{"type":"array","items":{"type":"number"}},
      {"type":"string"}],"description":
      "vector of length 1; zeros if no word of the text has a vector"}}}},
  "model":{"type":"string"},
  "usage":{"type":"object","properties":{
    "prompt_tokens":{"type":"integer","description":
      "number of words, or of word pieces, that have a vector"},
    "total_tokens":{"type":"integer"}}}}})";

}  // namespace

std::vector<Route> EmbeddingRoutes() {
  return {
      {.method = "POST",
       .path = "/embeddings",
       .usual_path = "/v1/embeddings",
       .summary = "compute vectors of texts, in the form of OpenAI's "
                  "/v1/embeddings, which is also the path of this request",
       .parameters = &TableFor<NoParameters>(),
       .example = R"({"input":["the king spoke","a river"]})",
       .schema = kOpenAiAnswer,
       .body_schema = OpenAiSchema(),
       .post = &OpenAiEmbeddings},
      {.method = "POST",
       .path = "/inference/embed",
       .usual_path = "/embed",
       .summary = "compute vectors of texts, in the form of /embed of "
                  "text-embeddings-inference, which is also the path of this "
                  "request",
       .parameters = &TableFor<NoParameters>(),
       .example = R"({"inputs":["the king spoke","a river"]})",
       .schema = R"({"type":"array","items":{"type":"array","items":
           {"type":"number"}}})",
       .body_schema = InferenceSchema(),
       .post = &InferenceEmbed},
      {.method = "POST",
       .path = "/inference/similarity",
       .usual_path = "/similarity",
       .summary = "compute the cosines of a text with others, in the form of "
                  "/similarity of text-embeddings-inference, which is also the "
                  "path of this request",
       .parameters = &TableFor<NoParameters>(),
       .example = R"({"inputs":{"source_sentence":"the king spoke",
         "sentences":["a queen","a river"]}})",
       .schema = R"({"type":"array","items":{"type":"number"}})",
       .body_schema = absl::StrCat(
           R"({"type":"object","required":["inputs"],"properties":{)", kModel,
           R"("inputs":{"type":"object","required":["source_sentence","sentences"],
           "properties":{"source_sentence":{"type":"string"},
             "sentences":{"type":"array","minItems":1,"maxItems":2048,
               "items":{"type":"string"}}}}}})"),
       .post = &InferenceSimilarity}};
}

}  // namespace firth::tools
