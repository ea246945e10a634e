// Vector files as they are published, plain or compressed, and the names of the
// files and folders of formats with more than one file.

#include "io/formats/vector_format.h"

#include <unistd.h>

#include <memory>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/temporary_files.h"
#include "corpus/byte_source.h"
#include "firth/status_macros.h"
#include "io/tensors/safetensors_header.h"

namespace firth {
namespace {

constexpr absl::string_view kExtensions[] = {".gz", ".bz2", ".xz", ".zst"};

constexpr uint64_t kMostGrowth = 100;

// Reads as many bytes as there are, up to the size of the buffer.
absl::StatusOr<absl::string_view> ReadFully(ByteSource& source,
                                            absl::Span<char> buffer) {
  size_t filled = 0;
  while (filled < buffer.size()) {
    FIRTH_ASSIGN_OR_RETURN(const size_t got,
                           source.Read(buffer.subspan(filled)));
    if (got == 0) break;
    filled += got;
  }
  return absl::string_view(buffer.data(), filled);
}

absl::Status CheckGrowth(uint64_t bytes, const MappedFile& packed,
                         uint64_t unpack_freely) {
  if (bytes <= unpack_freely || bytes / kMostGrowth <= packed.size()) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(
      absl::StrCat(packed.path(), ": the file has ", packed.size(),
                   " bytes but unpacks to more than ", bytes,
                   " bytes; the limit for a compressed vector file is ",
                   kMostGrowth, " times its size"));
}

absl::StatusOr<MappedFilePtr> Unpack(
    const MappedFile& packed,
    absl::FunctionRef<absl::Status(absl::string_view head)> check,
    const Hooks& hooks, uint64_t unpack_freely) {
  FIRTH_ASSIGN_OR_RETURN(const std::unique_ptr<ByteSource> source,
                         OpenByteSource(packed.path(), nullptr));
  std::vector<char> buffer(kHeadBytes);
  FIRTH_ASSIGN_OR_RETURN(absl::string_view bytes,
                         ReadFully(*source, absl::MakeSpan(buffer)));
  FIRTH_RETURN_IF_ERROR(check(bytes));
  const std::string folder = TemporaryFolder("");
  FIRTH_ASSIGN_OR_RETURN(const int fd, OpenUnnamed(folder));
  absl::Cleanup close_fd = [fd] { close(fd); };
  for (uint64_t total = 0; !bytes.empty();) {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    total += bytes.size();
    FIRTH_RETURN_IF_ERROR(CheckGrowth(total, packed, unpack_freely));
    FIRTH_RETURN_IF_ERROR(WriteUnnamed(fd, bytes, folder));
    FIRTH_ASSIGN_OR_RETURN(bytes, ReadFully(*source, absl::MakeSpan(buffer)));
  }
  std::move(close_fd).Cancel();
  return MappedFile::OfDescriptor(fd, packed.path());
}

}  // namespace

absl::StatusOr<UnpackedFile> OpenUnpacked(
    const std::string& path,
    absl::FunctionRef<absl::Status(absl::string_view head)> check,
    const Hooks& hooks, uint64_t unpack_freely) {
  FIRTH_ASSIGN_OR_RETURN(MappedFilePtr file, MappedFile::Open(path));
  const Compression compression =
      RecogniseCompression(file->bytes().substr(0, kMagicBytes));
  const uint64_t bytes = file->size();
  // The length in a header may happen to look like a compressed file.
  const bool is_plain =
      compression == Compression::kNone || StartsLikeSafetensors(file->bytes());
  if (is_plain) return UnpackedFile{std::move(file), bytes};
  FIRTH_ASSIGN_OR_RETURN(MappedFilePtr unpacked,
                         Unpack(*file, check, hooks, unpack_freely));
  return UnpackedFile{std::move(unpacked), bytes, compression};
}

absl::string_view PlainName(absl::string_view path) {
  for (const absl::string_view extension : kExtensions) {
    if (absl::EndsWithIgnoreCase(path, extension)) {
      return path.substr(0, path.size() - extension.size());
    }
  }
  return path;
}

std::string FileBeside(const VectorFormat& format, const std::string& path) {
  if (format.words_extension.empty()) return "";
  const absl::string_view own = format.extensions.front();
  const size_t stem = absl::EndsWithIgnoreCase(path, own)
                          ? path.size() - own.size()
                          : path.size();
  return absl::StrCat(path.substr(0, stem), format.words_extension);
}

std::string FolderToWrite(const VectorFormat& format, const std::string& path) {
  absl::string_view folder = path;
  const std::string main = absl::StrCat("/", format.folder_files.front());
  if (!absl::ConsumeSuffix(&folder, main)) {
    while (folder.size() > 1 && absl::ConsumeSuffix(&folder, "/")) {
    }
  }
  return folder.empty() ? "/" : std::string(folder);
}

}  // namespace firth
