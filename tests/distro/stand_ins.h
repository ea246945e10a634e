// A folder of programs that stand in for those of a system, to test the scripts
// of the build without a network and without installing anything.

#ifndef FIRTH_TESTS_DISTRO_STAND_INS_H_
#define FIRTH_TESTS_DISTRO_STAND_INS_H_

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "support/run_shell.h"
#include "support/temp_files.h"

namespace firth {

class StandIns {
 public:
  // Besides these programs of the machine, only what is provided is on the
  // path.
  explicit StandIns(const std::vector<std::string>& real_programs) {
    std::filesystem::create_directory(folder_.File("bin"));
    for (const std::string& program : real_programs) {
      RunShell(absl::StrCat("ln -s \"$(command -v ", program, ")\" '",
                            folder_.File("bin"), "'"));
    }
  }

  // A program `name` that notes its arguments in Calls() and then runs `body`
  // in sh.
  void Provide(const std::string& name, const std::string& body) {
    const std::string path =
        folder_.Write(absl::StrCat("bin/", name),
                      absl::StrCat("#!/bin/sh\necho \"", name, " $*\" >>'",
                                   folder_.File("calls"), "'\n", body, "\n"));
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  void Remove(const std::string& name) {
    std::filesystem::remove(folder_.File(absl::StrCat("bin/", name)));
  }

  // The calls so far, one per line: "NAME ARGUMENTS".
  std::string Calls() const { return Read("calls"); }
  // The content of a file in the folder; "" if there is none.
  std::string Read(const std::string& name) const {
    return RunShell(absl::StrCat("cat '", folder_.File(name), "' 2>/dev/null"))
        .output;
  }

  // Runs a shell command in the folder, with nothing else on the path.
  ShellOutcome Run(const std::string& command) const {
    return RunShell(absl::StrCat("cd '", folder_.path(), "'; PATH='",
                                 folder_.File("bin"), "'; ", command));
  }

  const TempFolder& folder() const { return folder_; }

 private:
  TempFolder folder_;
};

}  // namespace firth

#endif  // FIRTH_TESTS_DISTRO_STAND_INS_H_
