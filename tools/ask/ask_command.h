// The command of a question (firth/ask.h).
//
// Its options are the fields of the request, and its arguments are model files
// and then words. Without words it reads questions from standard input, one per
// line. Answers are printed as text, or as one line of JSON each.

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

  // Answers everything that was asked. Called after the models were opened.
  virtual absl::StatusOr<ExitCode> AnswerEverything();
  // Shows the answers of all models to one request; `place` is where it was
  // read. Returns whether all of them are good.
  virtual bool Show(const std::string& place, Answers answers, bool labelled);
  // Prints the answers of all models to one request, without what is wrong
  // with them.
  virtual void Print(Answers answers, bool labelled);

  // Returns whether text has as many decimals as --digits chooses.
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
  // How words become requests.
  enum class Form {
    kNoWords,  // The options are the request.
    kTerms,    // Each word is a request, or all are a sum with signs.
    kEach,     // Each word is a request.
    kTogether  // All words are one request.
  };
  struct Asked {
    std::unique_ptr<Batch> batch;
    std::vector<std::string> places;  // One per request.
  };

  size_t NumModels() const;  // Number of models that a request needs.
  // Return whether other vector files can be asked the same, and whether any
  // is.
  bool TakesMoreModels() const;
  bool HasMoreModels() const { return TakesMoreModels() && models_.size() > 1; }
  FieldKind KindOf(const std::string& field) const {
    return fields_.Find(field)->kind;
  }
  // Returns whether the model of a slot is an argument. One that is not
  // required is an option if arguments may also be words.
  bool IsArgument(const Slot& slot) const;
  std::string ArgumentName(const Slot& slot) const;
  // Returns whether there is an answer without any word.
  bool WordsAreOptional() const;
  // Returns whether the options alone are a request.
  bool HasWholeRequest() const;
  std::string WordsText() const;
  void DeclareFields(OptionSet* options);
  void DeclareModels(OptionSet* options);
  void SplitArguments();
  absl::Status OpenModels();
  absl::Status OpenMoreModels();
  // Returns whether the options contain a request.
  bool InOptions() const;
  absl::Status CheckWords(absl::Span<const std::string> words) const;
  Asked NewBatch() const { return {question_.new_batch(), {}}; }
  // Adds the requests that some words are.
  absl::Status AddWords(absl::Span<const std::string> words,
                        const std::string& place, Asked* asked) const;
  // Adds a sum of words. Returns false if no word has a sign.
  bool AddSum(absl::Span<const std::string> words, const std::string& place,
              Asked* asked) const;
  absl::Status AddOne(absl::Span<const std::string> words,
                      const std::string& place, Asked* asked) const;
  void* AddRequest(const std::string& place, Asked* asked) const;
  // Adds a vector, which may come after a label.
  absl::Status AddNumbers(absl::Span<const std::string> words,
                          const std::string& place, Asked* asked) const;
  absl::StatusOr<ExitCode> AnswerLines();
  void PrintWelcome() const;
  PromptOptions PromptForQuestions() const;
  // Answers with all models and returns whether all went well.
  bool AnswerAll(const Asked& asked, bool labelled);
  // Returns a message for each word of the lists "unknown" and "unknown_SLOT".
  std::vector<std::string> UnknownIn(size_t model, const void* answer) const;
  // Prints what is wrong with an answer, and returns whether nothing is.
  bool Report(const std::string& place, size_t model,
              const absl::StatusOr<const void*>& answer) const;
  void PrintJson(Answers answers) const;
  // Returns whether the words that are unknown should be passed over.
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
  std::vector<OpenedModel> models_;            // For the slots, or one each.
};

// Returns the commands of all questions, in the order of Questions().
std::vector<std::unique_ptr<Command>> AskCommands();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_ASK_ASK_COMMAND_H_
