// What the commands that answer questions about words share: the vector file,
// questions from the command line or line by line from standard input, and
// answers as text or as JSON, one object a line.

#ifndef FIRTH_TOOLS_QUERY_QUERY_COMMAND_H_
#define FIRTH_TOOLS_QUERY_QUERY_COMMAND_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cli/json.h"
#include "command.h"
#include "firth/query.h"

namespace firth::tools {

// A word of a question, with its vector.
struct QuestionWord {
  std::string text;
  std::optional<WordId> id;   // none: not in the vocabulary
  std::vector<float> vector;  // [dim]
};
using Question = std::vector<QuestionWord>;

// The ids of its known words, which are no answers.
std::vector<WordId> KnownWords(const Question& question);

struct Answer {
  std::string text;  // whole lines
  Json json;         // without the question
};

class QueryCommand : public Command {
 public:
  absl::string_view synopsis() const final { return synopsis_; }
  void Declare(OptionSet* options) final;
  absl::Status Check(const OptionSet& options) final;
  absl::StatusOr<ExitCode> Run(const OptionSet& options) final;

 protected:
  // A question has from `low` to `high` words. Where it has one, each word of
  // a line is a question.
  QueryCommand(absl::string_view synopsis, absl::string_view prompt, size_t low,
               size_t high)
      : synopsis_(synopsis), prompt_(prompt), low_(low), high_(high) {}

  virtual void DeclareOwn(OptionSet*) {}
  // Whether its own options make sense together.
  virtual absl::Status CheckOwn(const OptionSet&) const {
    return absl::OkStatus();
  }
  // Called once, before the first question; `path` is the vector file.
  virtual absl::Status Open(const WordVectors&, const std::string&) {
    return absl::OkStatus();
  }
  // The answer to one question. `labelled`: the text must say what was asked,
  // since more answers follow.
  virtual Answer AskOne(const Question& question, bool labelled) const = 0;
  // The answers to questions that came together, in their order: one by one,
  // where a command has nothing better.
  virtual std::vector<Answer> Ask(absl::Span<const Question> questions,
                                  bool labelled) const;

  const WordVectors& vectors() const { return vectors_; }

 private:
  absl::Status CheckCount(size_t words) const;
  absl::StatusOr<ExitCode> AnswerLines();
  // What was asked, as it was written.
  struct Asked {
    std::vector<std::string> words;
    std::string place;  // starts a message
  };
  // Adds the questions that `words` are.
  void AddQuestions(std::vector<std::string> words, const std::string& place,
                    std::vector<Asked>* questions) const;
  // Answers and returns whether all went well.
  bool AnswerAll(absl::Span<const Asked> questions, bool labelled);
  void PrintAnswer(const Asked& asked, const absl::StatusOr<Answer>& answer);
  // Whether a question that failed so is passed over in silence.
  bool IsSkipped(const absl::Status& status) const;
  absl::StatusOr<Question> FindWords(absl::Span<const std::string> words) const;
  absl::StatusOr<QuestionWord> FindOne(const std::string& word) const;

  absl::string_view synopsis_;
  absl::string_view prompt_;
  size_t low_;
  size_t high_;
  bool json_ = false;
  UnknownWords unknown_ = UnknownWords::kSubword;
  std::vector<std::string> arguments_;  // the vector file, then words
  WordVectors vectors_;
};

// --top, --restrict, --index and --breadth.
struct RankingOptions {
  enum class Method { kExact, kInt8, kHnsw };

  uint64_t top = 10;
  uint64_t restrict = 0;
  Method method = Method::kExact;
  int breadth = 100;

  void Declare(OptionSet* options);
  absl::Status Check(const OptionSet& options) const;
  // `path`: of the vectors.
  absl::StatusOr<NearestNeighbors> Open(WordVectors vectors,
                                        const std::string& path) const;
};

// Two aligned columns, word and score; indented when under a label.
std::string NeighborText(const Vocabulary& vocabulary,
                         const std::vector<Neighbor>& neighbors, bool indented);

// A query command that ranks words.
class NeighborCommand : public QueryCommand {
 protected:
  using QueryCommand::QueryCommand;

  void DeclareOwn(OptionSet* options) override { ranking_.Declare(options); }
  absl::Status CheckOwn(const OptionSet& options) const override {
    return ranking_.Check(options);
  }
  absl::Status Open(const WordVectors& vectors, const std::string& path) final;

  // `key`: of the list of words in JSON.
  Answer RankedAnswer(const Question& question,
                      const std::vector<Neighbor>& found, absl::string_view key,
                      bool labelled) const;
  const NearestNeighbors& neighbors() const { return *neighbors_; }
  size_t top() const { return ranking_.top; }

 private:
  RankingOptions ranking_;
  std::optional<NearestNeighbors> neighbors_;
};

// Where the HNSW index of a vector file stands.
std::string HnswPath(const std::string& vectors_path);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_QUERY_QUERY_COMMAND_H_
