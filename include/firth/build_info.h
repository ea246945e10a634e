// Describes this build of Firth, for bug reports.

#ifndef FIRTH_BUILD_INFO_H_
#define FIRTH_BUILD_INFO_H_

#include <map>
#include <string>
#include <vector>

namespace firth {

struct BuildInfo {
  std::string version;  // "0.9.0"
  // The first 12 digits of the commit, with "+" if files were changed after it,
  // or "unknown" for sources that have no history.
  std::string commit;
  std::string compiler;      // "GCC 12.2.0"
  std::string architecture;  // "x86_64"
  // Instruction sets of the kernels that this machine has, best first.
  std::vector<std::string> instruction_sets;
  std::map<std::string, std::string> libraries;  // versions, by name
};
BuildInfo GetBuildInfo();

// Returns the same information as one line of JSON.
std::string BuildJson();

}  // namespace firth

#endif  // FIRTH_BUILD_INFO_H_
