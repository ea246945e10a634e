// The command of a question (firth/ask.h).
//
// Its options are the fields of the request, and its arguments are model files,
// followed by words. Without words it reads questions from standard input, one
// per line. Answers are printed as text, or as one line of JSON each.

#ifndef FIRTH_TOOLS_ASK_ASK_COMMAND_H_
#define FIRTH_TOOLS_ASK_ASK_COMMAND_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ask/open_models.h"
#include "cli/line_reader.h"
#include "command.h"
#include "firth/ask.h"
#include "firth/fields.h"

namespace firth::tools {

class AskCommand : public Command {
 public:
  // `question` must outlive the command.
  explicit AskCommand(const Question& question);

  void Declare(OptionSet* options) override;
  absl::Status Check(const OptionSet& options) override;
  absl::StatusOr<ExitCode> Run(const OptionSet& options) override;

 protected:
  using Answers = absl::Span<const absl::StatusOr<const void*>>;

  // Answers all requests. Called after the models are opened.
  virtual absl::StatusOr<ExitCode> AnswerEverything();
  // Prints the answers of all models to one request and their errors. `place`
  // is the prefix of errors, such as "standard input:3: ", or "". Returns
  // whether there were no errors.
  virtual bool Show(const std::string& place, Answers answers, bool labelled);
  // Prints the answers of all models to one request, without errors.
  virtual void Print(Answers answers, bool labelled);

  // Returns whether --digits sets the number of decimals of the text.
  virtual bool HasDigits() const;

  absl::Status CheckOneModel(absl::string_view option) const;
  // Returns the path of the index that the search reads, or "".
  std::string IndexPath() const;
  const OpenedVectors& vectors(size_t model = 0) const;
  const Question& question() const { return question_; }
  FieldEditor& fields() { return fields_; }
  bool json() const { return json_; }
  const std::vector<std::string>& words() const { return words_; }
  const std::vector<std::string>& paths() const { return paths_; }
  bool Given(absl::string_view option) const;

 private:
  // The conversion of words to requests.
  enum class Form {
    kNoWords,  // The options are the request.
    kTerms,    // Each word is a request, or all form a sum with signs.
    kEach,     // Each word is a request.
    kTogether  // All words form one request.
  };
  struct Asked {
    std::unique_ptr<Batch> batch;
    std::vector<std::string> places;  // One per request.
  };

  size_t NumModels() const;  // Number of models that a request needs.
  // Return whether the same questions can be put to other vector files, and
  // whether other files were given.
  bool TakesMoreModels() const;
  bool HasMoreModels() const { return TakesMoreModels() && models_.size() > 1; }
  FieldKind KindOf(const std::string& field) const {
    return fields_.Find(field)->kind;
  }
  // Returns whether the model of a slot is an argument. If arguments may also
  // be words, a model that is not required is an option.
  bool IsArgument(const Slot& slot) const;
  std::string ArgumentName(const Slot& slot) const;
  // Returns whether the question can be answered without any words.
  bool WordsAreOptional() const;
  // Returns whether the options alone can form a request.
  bool HasWholeRequest() const;
  std::string WordsText() const;
  void DeclareFields(OptionSet* options);
  void DeclareModels(OptionSet* options);
  void SplitArguments();
  absl::Status OpenModels();
  absl::Status OpenMoreModels();
  // Returns whether the given options form a request.
  bool InOptions() const;
  absl::Status CheckWords(absl::Span<const std::string> words) const;
  Asked NewBatch() const { return {question_.new_batch(), {}}; }
  // Adds the requests that the words form.
  absl::Status AddWords(absl::Span<const std::string> words,
                        const std::string& place, Asked* asked) const;
  // Adds the words as a sum. Returns false if no word has a sign.
  bool AddSum(absl::Span<const std::string> words, const std::string& place,
              Asked* asked) const;
  absl::Status AddOne(absl::Span<const std::string> words,
                      const std::string& place, Asked* asked) const;
  void* AddRequest(const std::string& place, Asked* asked) const;
  // Adds a vector, whose numbers may follow a label.
  absl::Status AddNumbers(absl::Span<const std::string> words,
                          const std::string& place, Asked* asked) const;
  absl::StatusOr<ExitCode> AnswerLines();
  void PrintWelcome() const;
  PromptOptions PromptForQuestions() const;
  // Answers the requests with all models and prints the answers. Returns
  // whether there were no errors.
  bool AnswerAll(const Asked& asked, bool labelled);
  // Returns a message for each word of the lists "unknown" and "unknown_SLOT".
  std::vector<std::string> UnknownIn(size_t model, const void* answer) const;
  // Prints the errors of an answer. Returns whether there were none.
  bool Report(const std::string& place, size_t model,
              const absl::StatusOr<const void*>& answer) const;
  void PrintJson(Answers answers) const;
  // Returns whether unknown words are skipped without a message.
  bool SkipsUnknown() const;

  const Question& question_;
  Form form_;
  std::string synopsis_;
  std::string description_;
  std::unique_ptr<Batch> prototype_;  // The request that the options set.
  FieldEditor fields_;
  SearchChoice search_;
  uint64_t digits_ = 4;
  bool json_ = false;
  bool by_vector_ = false;
  const OptionSet* options_ = nullptr;
  std::vector<std::string> arguments_;         // Model files, then words.
  std::vector<std::string> paths_;             // The files among them.
  std::vector<std::string> words_;             // The words among them.
  std::map<std::string, std::string> others_;  // Files of optional slots.
  std::vector<OpenedModel> models_;            // One per slot or path.
};

// Returns the commands of all questions, in the order of Questions().
std::vector<std::unique_ptr<Command>> AskCommands();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_ASK_ASK_COMMAND_H_
