#include "corpus/compressed_file.h"

#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <utility>

#include "absl/strings/match.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

struct Ending {
  absl::string_view text;
  Compression compression;
};

constexpr Ending kEndings[] = {{".gz", Compression::kGzip},
                               {".bz2", Compression::kBzip2},
                               {".xz", Compression::kXz},
                               {".zst", Compression::kZstd}};

const Ending* EndingOf(absl::string_view path) {
  for (const Ending& ending : kEndings) {
    if (absl::EndsWith(path, ending.text)) return &ending;
  }
  return nullptr;
}

// The device that a Boost filter writes to. An OutputFile remembers its first
// error and returns it later, so errors need not pass through the filter.
class FileDevice {
 public:
  using char_type = char;
  using category = boost::iostreams::sink_tag;

  explicit FileDevice(OutputFile* file) : file_(file) {}

  std::streamsize write(const char* bytes, std::streamsize size) {
    file_->Write({bytes, static_cast<size_t>(size)}).IgnoreError();
    return size;
  }

 private:
  OutputFile* file_;
};

}  // namespace

struct CompressedFile::Filter {
  boost::iostreams::filtering_ostream stream;
};

Compression CompressionOfName(absl::string_view path) {
  const Ending* const ending = EndingOf(path);
  return ending == nullptr ? Compression::kNone : ending->compression;
}

absl::string_view WithoutCompression(absl::string_view path) {
  const Ending* const ending = EndingOf(path);
  if (ending != nullptr) path.remove_suffix(ending->text.size());
  return path;
}

absl::StatusOr<CompressedFile> CompressedFile::Create(const std::string& path,
                                                      const Hooks& hooks) {
  namespace io = boost::iostreams;
  FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path, hooks));
  CompressedFile file(std::move(out));
  const Compression compression = CompressionOfName(path);
  if (compression == Compression::kNone) return file;
  file.filter_ = std::make_unique<Filter>();
  io::filtering_ostream& stream = file.filter_->stream;
  switch (compression) {
    case Compression::kGzip:
      stream.push(io::gzip_compressor());
      break;
    case Compression::kBzip2:
      stream.push(io::bzip2_compressor());
      break;
    case Compression::kXz:
      stream.push(io::lzma_compressor());
      break;
    case Compression::kZstd:
      stream.push(io::zstd_compressor());
      break;
    case Compression::kNone:
      break;
  }
  stream.push(FileDevice(file.file_.get()));
  return file;
}

CompressedFile::CompressedFile(OutputFile file)
    : file_(std::make_unique<OutputFile>(std::move(file))) {}

CompressedFile::~CompressedFile() = default;

CompressedFile::CompressedFile(CompressedFile&&) noexcept = default;

absl::Status CompressedFile::Write(absl::string_view bytes) {
  if (filter_ == nullptr) return file_->Write(bytes);
  filter_->stream.write(bytes.data(),
                        static_cast<std::streamsize>(bytes.size()));
  FIRTH_RETURN_IF_ERROR(file_->Write(""));
  if (filter_->stream.good()) return absl::OkStatus();
  return absl::ResourceExhaustedError("not enough memory to compress a file");
}

absl::Status CompressedFile::Commit() {
  if (filter_ != nullptr) {
    filter_->stream.reset();  // Writes what it holds, and the end.
    filter_.reset();
  }
  return file_->Commit();
}

}  // namespace firth
