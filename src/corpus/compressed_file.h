// Writes a file, compressed if its name ends in .gz, .bz2, .xz or .zst.

#ifndef FIRTH_CORPUS_COMPRESSED_FILE_H_
#define FIRTH_CORPUS_COMPRESSED_FILE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/output_file.h"
#include "firth/progress.h"

namespace firth {

// Returns the name without such an ending.
absl::string_view WithoutCompression(absl::string_view path);

// Like OutputFile: the file appears whole, at Commit(), or not at all.
class CompressedFile {
 public:
  static absl::StatusOr<CompressedFile> Create(const std::string& path,
                                               const Hooks& hooks = {});
  ~CompressedFile();
  CompressedFile(CompressedFile&& other) noexcept;
  CompressedFile& operator=(CompressedFile&&) = delete;

  absl::Status Write(absl::string_view bytes);
  absl::Status Commit();

 private:
  struct Filter;

  CompressedFile(const std::string& path, OutputFile file);
  // Returns the first error of the file or, if it has none, of the filter.
  absl::Status StatusOf(bool compressed) const;

  std::string path_;
  std::unique_ptr<OutputFile> file_;  // The filter keeps its address.
  std::unique_ptr<Filter> filter_;    // Null without compression.
};

}  // namespace firth

#endif  // FIRTH_CORPUS_COMPRESSED_FILE_H_
