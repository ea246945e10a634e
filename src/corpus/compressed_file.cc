#include "corpus/compressed_file.h"

#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <exception>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

using Stream = boost::iostreams::filtering_ostream;

struct Ending {
  absl::string_view text;
  void (*push)(Stream*);
};

template <class Compressor>
void Push(Stream* stream) {
  stream->push(Compressor());
}

constexpr Ending kEndings[] = {
    {".gz", &Push<boost::iostreams::gzip_compressor>},
    {".bz2", &Push<boost::iostreams::bzip2_compressor>},
    {".xz", &Push<boost::iostreams::lzma_compressor>},
    {".zst", &Push<boost::iostreams::zstd_compressor>}};

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
  Stream stream;
};

absl::string_view WithoutCompression(absl::string_view path) {
  const Ending* const ending = EndingOf(path);
  if (ending != nullptr) path.remove_suffix(ending->text.size());
  return path;
}

absl::StatusOr<CompressedFile> CompressedFile::Create(const std::string& path,
                                                      const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path, hooks));
  CompressedFile file(path, std::move(out));
  const Ending* const ending = EndingOf(path);
  if (ending == nullptr) return file;
  file.filter_ = std::make_unique<Filter>();
  ending->push(&file.filter_->stream);
  file.filter_->stream.push(FileDevice(file.file_.get()));
  return file;
}

CompressedFile::CompressedFile(const std::string& path, OutputFile file)
    : path_(path), file_(std::make_unique<OutputFile>(std::move(file))) {}

CompressedFile::~CompressedFile() = default;

CompressedFile::CompressedFile(CompressedFile&&) noexcept = default;

absl::Status CompressedFile::Write(absl::string_view bytes) {
  if (filter_ == nullptr) return file_->Write(bytes);
  filter_->stream.write(bytes.data(),
                        static_cast<std::streamsize>(bytes.size()));
  return StatusOf(filter_->stream.good());
}

absl::Status CompressedFile::Commit() {
  if (filter_ != nullptr) {
    bool compressed = filter_->stream.good();
    // Writes the end of the compressed data. A filter reports errors of its
    // end only to a caller of pop().
    try {
      filter_->stream.pop();
    } catch (const std::exception&) {
      compressed = false;
    }
    filter_.reset();
    FIRTH_RETURN_IF_ERROR(StatusOf(compressed));
  }
  return file_->Commit();
}

absl::Status CompressedFile::StatusOf(bool compressed) const {
  FIRTH_RETURN_IF_ERROR(file_->Write(""));
  if (compressed) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(path_, ": not enough memory to compress the file"));
}

}  // namespace firth
