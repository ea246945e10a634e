// Questions to models: "nearest neighbors", "drift", "evaluate".
//
// A question is defined once, in src/ask: what a request contains, which models
// it needs, and how a batch of requests is answered. The command line, HTTP, C,
// Python and the reference are derived from this list, so that a question has
// the same name, the same fields and, byte for byte, the same answer
// everywhere.
//
// A request never names a model by its path. Models are opened first
// (firth/opened.h), and a request refers to them by name.

#ifndef FIRTH_ASK_H_
#define FIRTH_ASK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/answer.h"
#include "firth/fields.h"
#include "firth/opened.h"

namespace firth {

// How a question reads vectors, for doors that open them from a file.
enum class VectorAccess {
  kAll,
  kSearched,    // It searches for neighbors, so a faster search may be chosen.
  kGivenWords,  // Only those of the words in a request; the rest of the file
                // need not be read.
};

// A model that a question needs.
struct Slot {
  std::string name;
  std::string help = "";
  ModelKind kind = ModelKind::kVectors;
  bool required = true;
  VectorAccess access = VectorAccess::kAll;
};

// How long an answer takes.
enum class Lane {
  kQuick,  // Milliseconds; many can be answered at the same time.
  kSlow,   // Seconds or more; it uses all cores, so one is answered at a time.
  // Like kSlow. On the command line, a command of its own reads a text of any
  // length block by block and asks the question for each block.
  kStream,
};

// A word without a vector, with words of the model that are spelled like it.
// Answers that look words up have a list of these, named "unknown".
struct UnknownWord {
  std::string word;
  std::vector<std::string> spellings;

  static AnswerTable Members() {
    return {{"word", &UnknownWord::word},
            {"spellings", &UnknownWord::spellings}};
  }
};

// Requests of one question, and their answers.
class Batch {
 public:
  virtual ~Batch() = default;

  virtual size_t size() const = 0;
  // Adds a request, a copy of `like` or with default values if that is null.
  // Returns a pointer to the request struct, valid until the next call.
  virtual void* Add(const void* like) = 0;
  virtual const void* request(size_t i) const = 0;
  // Answers all requests, with the models in the order of the slots.
  virtual void AnswerAll(const Opened& opened) = 0;
  // Returns a pointer to the answer struct, or the reason why this request has
  // no answer.
  virtual absl::StatusOr<const void*> answer(size_t i) const = 0;
};

struct Question {
  std::string name;
  std::string summary;  // One line, without a capital letter and full stop.
  // Paragraphs, separated by empty lines. Lines that start with two spaces are
  // examples for the command line; other doors leave them out.
  std::string description;
  std::vector<Slot> slots;
  // JSON of one request, with realistic values.
  std::string example;
  // Fields that the command line also accepts as arguments without a name, in
  // order. If the last one is a list, it takes all that are left.
  std::vector<std::string> arguments = {};
  // Whether the arguments are texts, which may contain spaces. Lines of
  // standard input then separate them by tabs.
  bool takes_texts = false;
  // Name of the command, if it differs from the name of the question.
  std::string command = "";
  Lane lane = Lane::kQuick;
  const FieldTable* request = nullptr;
  const AnswerType* answer = nullptr;
  std::function<std::unique_ptr<Batch>()> new_batch = {};
  // Checks what concerns several fields of a request. May be empty. Errors:
  // InvalidArgument.
  std::function<absl::Status(const void* request)> check = {};
  // Returns roughly how many bytes of JSON the answer to a request takes, or
  // the same amount of work.
  std::function<uint64_t(const Opened&, const void* request)> size_of = {};
};

// Returns all questions, in the order of the documentation.
absl::Span<const Question> Questions();
// Returns whether requests must name a model: there are several required slots,
// so that the only model of a kind could not be meant.
bool NamesModels(const Question& question);
// Returns the name of the command that asks the question.
const std::string& CommandOf(const Question& question);
// Returns null if there is no such question.
const Question* FindQuestion(absl::string_view name);

// Limits for requests from people who are not trusted.
struct AskLimits {
  size_t most_requests = 256;
  size_t most_items = 1000;        // Items of a list in a request.
  size_t most_text_bytes = 65536;  // Bytes of one text in a request.
  uint64_t most_answer_bytes = uint64_t{4} << 20;  // Sum of Question::size_of.
  // Values of the fields that are files. If it is null, requests contain them;
  // otherwise requests must not.
  const std::map<std::string, std::vector<std::string>>* files = nullptr;
};
// Returns limits for a caller that could open files and use memory itself.
AskLimits NoLimits();

// Answers requests in JSON. `body` is an object with the name of the model of
// each slot, which may be omitted if only one is open, and "requests", a list
// of objects with the fields of the question. Returns an object with "answers",
// one per request, in order; a request without an answer has an object with
// "error" there. Errors: InvalidArgument, with the place in `body`, if `body`
// or any request is not valid or exceeds a limit; NotFound, no such model;
// Cancelled.
absl::StatusOr<std::string> AskJson(const Question& question,
                                    const OpenedModels& models,
                                    absl::string_view body,
                                    const AskLimits& limits,
                                    const Hooks& hooks = {});

// Appends the JSON of an answer, or {"error": message}, on one line.
void AppendAnswer(const Question& question,
                  const absl::StatusOr<const void*>& answer, std::string* json);

// Returns an error with the message "PLACE: MESSAGE"; the place is a position
// in a request, such as "requests[0].top".
absl::Status ErrorAt(
    absl::string_view place, absl::string_view message,
    absl::StatusCode code = absl::StatusCode::kInvalidArgument);
// Returns the place of such an error, or "".
std::string PlaceOfError(const absl::Status& status);

// Return JSON schemas (draft 2020-12) of the body that AskJson() reads and of
// the object that it returns.
std::string RequestSchema(const Question& question);
std::string AnswersSchema(const Question& question);
// Return the schema of an object with the fields of a table, and that of a
// type.
std::string FieldsSchema(const FieldTable& table);
std::string TypeSchema(const AnswerType& type);

// Returns the description without the examples for the command line.
std::string DescriptionOf(const Question& question);

// Returns an object with all questions: name, command, arguments (the fields
// that the command takes without a name), summary, description, slots, quick
// (whether an answer takes milliseconds), the example, and the schemas of a
// request and of an answer.
std::string DescribeQuestions();

}  // namespace firth

#endif  // FIRTH_ASK_H_
