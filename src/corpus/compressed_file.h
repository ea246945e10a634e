// A text file that is compressed while it is written, if its name asks for it.

#ifndef FIRTH_CORPUS_COMPRESSED_FILE_H_
#define FIRTH_CORPUS_COMPRESSED_FILE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/output_file.h"
#include "corpus/decompressor.h"
#include "firth/progress.h"

namespace firth {

// Returns the compression that the end of a name stands for: .gz, .bz2, .xz or
// .zst.
Compression CompressionOfName(absl::string_view path);

// Returns the name without the ending of its compression.
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

  explicit CompressedFile(OutputFile file);

  std::unique_ptr<OutputFile> file_;  // Has one address for the filter.
  std::unique_ptr<Filter> filter_;    // Null without compression.
};

}  // namespace firth

#endif  // FIRTH_CORPUS_COMPRESSED_FILE_H_
