#include "base/temporary_files.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace firth {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kMark = ".tmp-";
constexpr size_t kMostNameBytes = 200;

}  // namespace

std::string TemporaryPrefix(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  return absl::StrCat(path.substr(0, path.size() - name.size()),
                      name.substr(0, kMostNameBytes), kMark);
}

void RemoveHalfWritten(const std::string& folder,
                       const std::function<bool(absl::string_view)>& is_ours) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    const size_t mark = absl::string_view(name).rfind(kMark);
    if (mark == std::string::npos) continue;
    std::error_code ignored;
    if (is_ours(absl::string_view(name).substr(0, mark))) {
      fs::remove(it->path(), ignored);
    }
  }
}

}  // namespace firth
