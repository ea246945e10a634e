// Questions that models answer, such as nearest neighbors, drift and
// evaluation.
//
// Each question is defined once, in src/ask. The definition states what a
// request contains, which models it needs, and how a batch of requests is
// answered. The command line, HTTP, C, Python and the reference are derived
// from these definitions. A question therefore has the same name, the same
// fields and, byte for byte, the same answer everywhere.
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

// How a question uses vectors. Interfaces that open vector files load them
// accordingly.
enum class VectorAccess {
  kAll,
  kSearched,    // Searches for neighbors; users may choose a faster search.
  kGivenWords,  // Reads only the vectors of the words in a request, so the rest
                // of the file need not be loaded.
};

// A model that a question needs.
struct Slot {
  std::string name;
  std::string help = {};
  ModelKind kind = ModelKind::kVectors;
  bool required = true;
  VectorAccess access = VectorAccess::kAll;
};

// How long an answer takes.
enum class Lane {
  kQuick,  // Milliseconds; many can be answered at the same time.
  kSlow,   // Seconds or more; it uses all cores, so one is answered at a time.
  // Like kSlow. On the command line, a separate command reads a text of any
  // length block by block and asks the question for each block.
  kStream,
};

// A word without a vector, and words of the model with a similar spelling.
// Answers to questions that look up words have a list of these, named
// "unknown".
struct UnknownWord {
  std::string word;
  std::vector<std::string> spellings;

  static AnswerTable Members() {
    return {{"word", &UnknownWord::word},
            {"spellings", &UnknownWord::spellings}};
  }
};

// Requests for one question, and their answers.
class Batch {
 public:
  virtual ~Batch() = default;

  virtual size_t size() const = 0;
  // Adds a request: a copy of `like`, or one with default values if `like` is
  // null. Returns a pointer to the request struct, which is valid until the
  // next call.
  virtual void* Add(const void* like) = 0;
  virtual const void* request(size_t i) const = 0;
  // Answers all requests. `opened` has the models in the order of the slots.
  virtual void AnswerAll(const Opened& opened) = 0;
  // Returns a pointer to the answer struct, or an error if this request has no
  // answer.
  virtual absl::StatusOr<const void*> answer(size_t i) const = 0;
};

struct Question {
  std::string name;
  std::string summary;  // One line in lower case, without a full stop.
  // Paragraphs, separated by empty lines. Lines that start with two spaces are
  // examples for the command line; other interfaces leave them out.
  std::string description;
  std::vector<Slot> slots;
  // JSON of one request, with realistic values.
  std::string example;
  // Fields that the command line also accepts as arguments without a name, in
  // order. If the last field is a list, it takes all remaining arguments.
  std::vector<std::string> arguments = {};
  // Whether the arguments are texts, which may contain spaces. In lines of
  // standard input, they are then separated by tabs.
  bool takes_texts = false;
  // Name of the command, if it differs from the name of the question.
  std::string command = {};
  Lane lane = Lane::kQuick;
  const FieldTable* request = nullptr;
  const AnswerType* answer = nullptr;
  std::function<std::unique_ptr<Batch>()> new_batch = {};
  // Checks conditions that involve several fields of a request. May be empty.
  // Errors: InvalidArgument.
  std::function<absl::Status(const void* request)> check = {};
  // Estimates the cost of a request in bytes of JSON: the size of its answer
  // or, if computing the answer takes longer than writing it, the number of
  // bytes that could be written in that time.
  std::function<uint64_t(const Opened&, const void* request)> size_of = {};
};

// Returns all questions, in the order of the documentation.
absl::Span<const Question> Questions();
// Returns whether a call must name its models. This is the case if several
// slots are required, because a single model could not be assigned to one of
// them.
bool NamesModels(const Question& question);
// Returns the name of the command that asks the question.
const std::string& CommandOf(const Question& question);
// Returns the question with this name, or null if there is none.
const Question* FindQuestion(absl::string_view name);

// Limits for requests from untrusted clients.
struct AskLimits {
  size_t most_requests = 256;
  size_t most_items = 1000;        // Items of a list in a request.
  size_t most_text_bytes = 65536;  // Bytes of one text in a request.
  uint64_t most_answer_bytes = uint64_t{4} << 20;  // Sum of Question::size_of.
  // Values of the fields that are paths of files, by field name. If null,
  // requests contain these fields; otherwise, they must not.
  const std::map<std::string, std::vector<std::string>>* files = nullptr;
};
// Returns limits that allow everything, for callers that could open files and
// allocate memory themselves.
AskLimits NoLimits();

// Answers requests in JSON. `body` is an object with "requests", a list of
// objects with the fields of the question, and the name of a model for each
// slot. The name may be omitted if only one model of the kind is open. Instead
// of "requests", the object can have "queries", a list of texts or lists of
// texts for the fields that the command accepts without a name:
// {"queries": ["king"]}. Returns
// an object with "answers", a list with one item per request, in the same
// order. If a request has no answer, its item is an object with "error".
// Errors: InvalidArgument, with the position in `body`, if `body` or any
// request is not valid or exceeds a limit; NotFound, no such model; Cancelled.
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
// Returns the place of an error that ErrorAt() made, or "" for any other.
std::string PlaceOfError(const absl::Status& status);

// Return JSON schemas (draft 2020-12) of the body that AskJson() reads and of
// the object that it returns.
std::string RequestSchema(const Question& question);
std::string AnswersSchema(const Question& question);
// Return the schema of an object with the fields of `table`, and that of a
// value of `type`.
std::string FieldsSchema(const FieldTable& table);
std::string TypeSchema(const AnswerType& type);

// Returns the description without the examples for the command line.
std::string DescriptionOf(const Question& question);

// Returns a JSON object that describes all questions. Each has name, command,
// arguments (the fields that the command accepts without a name), summary,
// description, slots, quick (whether an answer takes milliseconds), the
// example, and the schemas of a request and of an answer.
std::string DescribeQuestions();

}  // namespace firth

#endif  // FIRTH_ASK_H_
