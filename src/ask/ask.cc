// The whole call is checked before any model is used: its JSON, the names of
// the models, every field of every request, and the size of the answers. A
// later error affects only one request and becomes its answer.

#include "firth/ask.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ask/question.h"
#include "base/fields_json.h"
#include "base/json.h"
#include "firth/status_macros.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

constexpr absl::string_view kPlace = "firth/place";
constexpr absl::string_view kRequests = "requests";
constexpr absl::string_view kQueries = "queries";
// Maximum depth of JSON. The deepest valid value, a vector in a list in a
// request, is less deep.
constexpr int kMostLevels = 8;
// Maximum number of names in an object; no question has as many fields.
constexpr size_t kMostNames = 64;

// Changes the message "top: expected ..." to "requests[3].top: expected ...".
absl::Status ErrorIn(absl::string_view request, const FieldEditor& fields,
                     const absl::Status& status) {
  const absl::string_view message = status.message();
  const size_t end = message.find(": ");
  const absl::string_view field =
      end == message.npos ? "" : message.substr(0, end);
  if (fields.Find(field) == nullptr) return ErrorAt(request, message);
  return ErrorAt(absl::StrCat(request, ".", field), message.substr(end + 2));
}

absl::StatusOr<OrderedJson> ParseBody(const Question& question,
                                      absl::string_view body) {
  JsonFaults faults;
  OrderedJson json =
      ReadJson<OrderedJson>(body, kMostLevels, &faults, kMostNames);
  if (!faults.twice.empty()) {
    return ErrorAt(faults.twice, "this name is given twice in one object");
  }
  if (faults.too_many_names) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the body: an object must have at most ", kMostNames, " names"));
  }
  if (json.is_discarded()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the body: expected JSON in UTF-8, found ",
                     FoundInsteadOfJson(faults, body.size())));
  }
  if (faults.too_deep) {
    return absl::InvalidArgumentError(
        absl::StrCat("the body: values must be nested at most ", kMostLevels,
                     " levels deep"));
  }
  if (json.is_object()) return json;
  return absl::InvalidArgumentError(
      absl::StrCat("the body: expected an object with \"requests\"",
                   QueryFields(question).empty() ? "" : " or \"queries\""));
}

absl::Status CheckNames(const Question& question, const OrderedJson& body) {
  std::vector<std::string> names;
  for (const Slot& slot : question.slots) names.push_back(slot.name);
  names.emplace_back(kRequests);
  if (!QueryFields(question).empty()) names.emplace_back(kQueries);
  for (const auto& [name, value] : body.items()) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    return ErrorAt(name, absl::StrCat("there is no such field; the fields are ",
                                      absl::StrJoin(names, ", ")));
  }
  return absl::OkStatus();
}

absl::StatusOr<Opened> FindModels(const Question& question,
                                  const OpenedModels& models,
                                  const OrderedJson& body, const Hooks& hooks) {
  std::vector<const OpenedModel*> found;
  for (const Slot& slot : question.slots) {
    const auto given = body.find(slot.name);
    if (given != body.end() && !given->is_string()) {
      return ErrorAt(slot.name, "expected the name of a model");
    }
    const bool is_empty =
        given == body.end() || given->get_ref<const std::string&>().empty();
    if (is_empty && !slot.required) {
      found.push_back(nullptr);
      continue;
    }
    if (is_empty && NamesModels(question)) {
      return ErrorAt(slot.name, absl::StrCat("this field is required; it names "
                                             "a model of the kind \"",
                                             NameOf(slot.kind), "\""));
    }
    const absl::StatusOr<const OpenedModel*> model = models.Find(
        slot.kind, is_empty ? "" : given->get_ref<const std::string&>());
    if (!model.ok()) {
      return ErrorAt(slot.name, model.status().message(),
                     model.status().code());
    }
    found.push_back(*model);
  }
  return Opened(std::move(found), hooks);
}

// Checks the sizes of lists and texts before they are copied.
absl::Status CheckSizes(const OrderedJson& value, const std::string& place,
                        const AskLimits& limits) {
  if (value.is_string()) {
    const size_t bytes = value.get_ref<const std::string&>().size();
    if (bytes <= limits.most_text_bytes) return absl::OkStatus();
    return ErrorAt(place,
                   absl::StrCat("expected at most ", limits.most_text_bytes,
                                " bytes, found ", bytes));
  }
  if (!value.is_array()) return absl::OkStatus();
  // A list of numbers is a vector. Its size is compared with the model later.
  if (!value.empty() && value[0].is_number()) return absl::OkStatus();
  if (value.size() > limits.most_items) {
    return ErrorAt(place, absl::StrCat("expected at most ", limits.most_items,
                                       " items, found ", value.size()));
  }
  for (const OrderedJson& item : value) {
    FIRTH_RETURN_IF_ERROR(CheckSizes(item, place, limits));
  }
  return absl::OkStatus();
}

void SetFiles(const std::map<std::string, std::vector<std::string>>& files,
              FieldEditor* fields) {
  for (const std::string& name : fields->names()) {
    const auto given = files.find(name);
    if (given == files.end()) continue;
    const FieldTarget target = fields->At(name);
    if (auto* const* list = std::get_if<std::vector<std::string>*>(&target)) {
      **list = given->second;
    } else if (!given->second.empty()) {
      *std::get<std::string*>(target) = given->second[0];
    }
  }
}

absl::Status ReadRequest(const Question& question, const OrderedJson& json,
                         const std::string& place, const AskLimits& limits,
                         void* request) {
  if (!json.is_object()) return ErrorAt(place, "expected an object");
  FieldEditor fields(*question.request, request);
  for (const auto& [name, value] : json.items()) {
    const Field* const field = fields.Find(name);
    if (field == nullptr) continue;  // ReadFields() reports it.
    const std::string where = absl::StrCat(place, ".", name);
    if (field->role == FieldRole::kPlace && limits.files != nullptr) {
      return ErrorAt(where,
                     "a request must not name files; the files are given when "
                     "the service starts");
    }
    if (field->role == FieldRole::kWork && limits.files != nullptr) {
      return ErrorAt(where,
                     "requests cannot set this field, because the service sets "
                     "it for all of them");
    }
    FIRTH_RETURN_IF_ERROR(CheckSizes(value, where, limits));
  }
  absl::Status status = ReadFields(json, "field", &fields);
  if (limits.files != nullptr) SetFiles(*limits.files, &fields);
  status.Update(CheckFields(*question.request, request));
  if (question.check) status.Update(question.check(request));
  return status.ok() ? status : ErrorIn(place, fields, status);
}

// Returns how many texts a query must have, such as "1 text" or "1 to 2 texts".
std::string TextsText(size_t least, size_t most) {
  const std::string number =
      least == most ? absl::StrCat(most) : absl::StrCat(least, " to ", most);
  return absl::StrCat(number, most == 1 ? " text" : " texts");
}

// Returns the request of a query: a text, or a list of texts.
absl::StatusOr<OrderedJson> RequestOf(const Question& question,
                                      const OrderedJson& query,
                                      const std::string& place) {
  const OrderedJson texts =
      query.is_array() ? query : OrderedJson::array({query});
  for (const OrderedJson& text : texts) {
    if (text.is_string()) continue;
    return ErrorAt(place, "expected a text, or a list of texts");
  }
  const std::vector<std::string> names = QueryFields(question);
  const size_t most = names.size();
  const std::unique_ptr<Batch> prototype = question.new_batch();
  const FieldEditor fields(*question.request, prototype->Add(nullptr));
  const auto takes_one = [&fields](const std::string& name) {
    return std::holds_alternative<std::string*>(fields.At(name));
  };
  const bool takes_more = !takes_one(names.back());
  size_t least = 0;
  while (least < most && takes_one(names[least]) &&
         fields.Find(names[least])->min > 0) {
    ++least;
  }
  if (texts.size() < least || (texts.size() > most && !takes_more)) {
    return ErrorAt(place, absl::StrCat("expected ", TextsText(least, most),
                                       ", found ", texts.size()));
  }
  OrderedJson request = OrderedJson::object();
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string& name = names[std::min(i, most - 1)];
    if (takes_one(name)) {
      request[name] = texts[i];
    } else {
      request[name].push_back(texts[i]);
    }
  }
  return request;
}

absl::Status ReadRequests(const Question& question, const OrderedJson& body,
                          const AskLimits& limits, Batch* batch) {
  const bool has_queries = body.contains(kQueries);
  if (has_queries && body.contains(kRequests)) {
    return ErrorAt(kQueries, "cannot be combined with \"requests\"");
  }
  const absl::string_view given = has_queries ? kQueries : kRequests;
  const auto list = body.find(given);
  if (list == body.end() || !list->is_array() || list->empty() ||
      list->size() > limits.most_requests) {
    const std::string range = limits.most_requests == NoLimits().most_requests
                                  ? "1 or more"
                                  : absl::StrCat("1 to ", limits.most_requests);
    return ErrorAt(
        given,
        absl::StrCat("expected a list of ", range, " ", given, ", found ",
                     list == body.end() ? "nothing"
                     : list->is_array() ? absl::StrCat(list->size())
                                        : "another value"));
  }
  for (size_t i = 0; i < list->size(); ++i) {
    const std::string place = absl::StrCat(given, "[", i, "]");
    OrderedJson request = (*list)[i];
    if (has_queries) {
      FIRTH_ASSIGN_OR_RETURN(request, RequestOf(question, request, place));
    }
    FIRTH_RETURN_IF_ERROR(
        ReadRequest(question, request, place, limits, batch->Add(nullptr)));
  }
  return absl::OkStatus();
}

absl::Status CheckAnswerSize(const Question& question, const Opened& opened,
                             const Batch& batch, const AskLimits& limits) {
  double bytes = 0;
  for (size_t i = 0; i < batch.size(); ++i) {
    bytes += static_cast<double>(question.size_of(opened, batch.request(i)));
  }
  if (bytes <= static_cast<double>(limits.most_answer_bytes)) {
    return absl::OkStatus();
  }
  return ErrorAt(kRequests, absl::StrCat("the answers would take ",
                                         static_cast<uint64_t>(bytes / 1e6) + 1,
                                         " MB, but the limit is ",
                                         limits.most_answer_bytes >> 20,
                                         " MiB; send fewer requests per call, "
                                         "or request fewer results"));
}

}  // namespace

AskLimits NoLimits() {
  constexpr size_t kNone = std::numeric_limits<size_t>::max();
  return {kNone, kNone, kNone, kNone, nullptr};
}

bool NamesModels(const Question& question) {
  return std::count_if(question.slots.begin(), question.slots.end(),
                       [](const Slot& slot) { return slot.required; }) > 1;
}

const std::string& CommandOf(const Question& question) {
  return question.command.empty() ? question.name : question.command;
}

std::vector<std::string> QueryFields(const Question& question) {
  if (!question.arguments.empty()) return question.arguments;
  for (const Field& field : question.request->fields()) {
    if (field.name == "text") return {field.name};
  }
  return {};
}

const Question* FindQuestion(absl::string_view name) {
  for (const Question& question : Questions()) {
    if (question.name == name) return &question;
  }
  return nullptr;
}

absl::StatusOr<std::string> AskJson(const Question& question,
                                    const OpenedModels& models,
                                    absl::string_view body,
                                    const AskLimits& limits,
                                    const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(const OrderedJson json, ParseBody(question, body));
  FIRTH_RETURN_IF_ERROR(CheckNames(question, json));
  FIRTH_ASSIGN_OR_RETURN(const Opened opened,
                         FindModels(question, models, json, hooks));
  const std::unique_ptr<Batch> batch = question.new_batch();
  FIRTH_RETURN_IF_ERROR(ReadRequests(question, json, limits, batch.get()));
  FIRTH_RETURN_IF_ERROR(CheckAnswerSize(question, opened, *batch, limits));
  batch->AnswerAll(opened);
  if (hooks.StopRequested()) return absl::CancelledError("interrupted");
  std::string text = "{\"answers\":[";
  for (size_t i = 0; i < batch->size(); ++i) {
    if (i > 0) text.push_back(',');
    AppendAnswer(question, batch->answer(i), &text);
  }
  text.append("]}");
  return text;
}

void AppendAnswer(const Question& question,
                  const absl::StatusOr<const void*>& answer,
                  std::string* json) {
  if (answer.ok()) return AppendAnswerJson(*question.answer, *answer, json);
  json->append("{\"error\":");
  AppendJsonText(answer.status().message(), json);
  json->push_back('}');
}

absl::Status ErrorAt(absl::string_view place, absl::string_view message,
                     absl::StatusCode code) {
  absl::Status status(code, absl::StrCat(place, ": ", message));
  status.SetPayload(kPlace, absl::Cord(place));
  return status;
}

std::string PlaceOfError(const absl::Status& status) {
  const auto place = status.GetPayload(kPlace);
  return place.has_value() ? std::string(*place) : "";
}

Slot VectorsSlot(VectorAccess access) {
  return {.name = "model",
          .help =
              "name of the model; may be omitted if only one of its kind "
              "is open",
          .access = access};
}

Slot ModelSlot(ModelKind kind) {
  Slot slot = VectorsSlot(VectorAccess::kAll);
  slot.kind = kind;
  return slot;
}

// The order is that of the documentation.
absl::Span<const Question> Questions() {
  static const std::vector<Question>& questions =
      *new std::vector<Question>{NeighborsQuestion(),
                                 AnalogyQuestion(),
                                 CommonQuestion(),
                                 SimilarityQuestion(),
                                 MatrixQuestion(),
                                 OddQuestion(),
                                 RankQuestion(),
                                 CloserQuestion(),
                                 VectorsQuestion(),
                                 NGramsQuestion(),
                                 SpellingQuestion(),
                                 WordsQuestion(),
                                 CompareQuestion(),
                                 AxisQuestion(),
                                 TextSimilarityQuestion(),
                                 EvalQuestion(),
                                 BiasQuestion(),
                                 DriftQuestion(),
                                 SentenceVectorsQuestion(),
                                 ClassifyQuestion(),
                                 TagQuestion(),
                                 EmbedQuestion(),
                                 ContextQuestion(),
                                 LmScoreQuestion(),
                                 LmNextQuestion(),
                                 NextWordsQuestion(),
                                 LmFillQuestion(),
                                 Seq2SeqQuestion(),
                                 MapQuestion()};
  return questions;
}

}  // namespace firth
