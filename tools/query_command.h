// What the commands that answer questions about words share: the vector file,
// questions from the command line or line by line from standard input, and
// answers as text or as JSON, one object a line.

#ifndef FIRTH_TOOLS_QUERY_COMMAND_H_
#define FIRTH_TOOLS_QUERY_COMMAND_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "command.h"
#include "firth/query.h"
#include "json.h"

namespace firth::tools {

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

  virtual void DeclareOwn(OptionSet* options) = 0;
  // Called once, before the first question.
  virtual void Open(WordVectors vectors) = 0;
  // `labelled`: the text must say what was asked, since more answers follow.
  virtual absl::StatusOr<Answer> Ask(absl::Span<const WordId> words,
                                     bool labelled) = 0;

  const WordVectors& vectors() const { return vectors_; }

 private:
  absl::Status CheckCount(size_t words) const;
  ExitCode AnswerLines();
  // Answers and returns whether all went well. `place` starts a message.
  bool AnswerAll(const std::vector<std::string>& words, bool labelled,
                 absl::string_view place);
  bool AnswerOne(absl::Span<const std::string> words, bool labelled,
                 absl::string_view place);
  absl::StatusOr<Answer> Solve(absl::Span<const std::string> words,
                               bool labelled);

  absl::string_view synopsis_;
  absl::string_view prompt_;
  size_t low_;
  size_t high_;
  bool json_ = false;
  std::vector<std::string> arguments_;  // the vector file, then words
  WordVectors vectors_;
};

// Two aligned columns, word and score; indented when under a label.
std::string NeighborText(const Vocabulary& vocabulary,
                         const std::vector<Neighbor>& neighbors, bool indented);
Json NeighborJson(const Vocabulary& vocabulary,
                  const std::vector<Neighbor>& neighbors);

// --top and --restrict.
struct RankingOptions {
  uint64_t top = 10;
  uint64_t restrict = 0;

  void Declare(OptionSet* options);
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_QUERY_COMMAND_H_
