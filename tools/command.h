// A command declares its options, checks their combination and runs. Errors on
// the command line are found by the ranges of Declare() or by Check() and end
// with exit code 2. Errors of Run() end with exit code 1.

#ifndef FIRTH_TOOLS_COMMAND_H_
#define FIRTH_TOOLS_COMMAND_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/option_set.h"

namespace firth::tools {

enum class ExitCode {
  kDone = 0,
  kFailed = 1,
  kMisused = 2,
  kInterrupted = 130,  // As shells report an end by SIGINT.
};

struct CommandText {
  // One word, or two of which the first is common to a group: "lm train".
  absl::string_view name;
  absl::string_view summary;   // One line, without a full stop.
  absl::string_view synopsis;  // Follows the name in the help's first line.
  // Paragraphs, separated by empty lines. A line that starts with two spaces is
  // an example and is printed unchanged.
  absl::string_view description;
};

class Command {
 public:
  virtual ~Command() = default;

  const CommandText& text() const { return text_; }

  // Declares the options and binds them to this command's fields.
  virtual void Declare(OptionSet* options) = 0;
  // Sets options that were not given from another source, such as a checkpoint.
  virtual absl::Status Complete(OptionSet*) { return absl::OkStatus(); }
  // Checks the combination of options that are valid individually.
  virtual absl::Status Check(const OptionSet&) { return absl::OkStatus(); }
  // Returns whether this process writes files and messages for all processes
  // that run the command together. Known after Check().
  virtual bool IsFirst() const { return true; }
  // Returns the error because of which no process may call Run(): `own`, or
  // that of another process if this one has none.
  virtual absl::Status ErrorOfAll(const absl::Status& own) { return own; }
  virtual absl::StatusOr<ExitCode> Run(const OptionSet& options) = 0;

 protected:
  CommandText text_;  // Set in the constructor; the texts outlive this object.
};

// A command whose text is a constant.
template <const CommandText& kText>
class CommandWith : public Command {
 public:
  CommandWith() { text_ = kText; }
};

using CommandPtr = std::unique_ptr<Command>;

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_COMMAND_H_
