// Decompressors use a pull model: Read() requests bytes from the library, and
// the library requests bytes from the underlying source. All of them must
// detect three cases that their libraries leave to the caller or do not
// distinguish: an end in the middle of a member, another member, and other
// bytes after the last member.

#include "corpus/decompressor.h"

#include <zstd.h>

#include <algorithm>
#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10;

// The first bytes of compressed data. At one position, a format may allow a
// range of bytes: the level of bzip2, the kind of a skippable frame of zstd.
struct Magic {
  Compression compression;
  absl::string_view bytes;
  // At the end of a file, fewer bytes of the magic than this are treated as
  // text.
  size_t enough;
  size_t range_pos = absl::string_view::npos;  // Position of the range.
  char range_end = 0;  // Last byte of the range; `bytes` has the first.
};

// Text may start with "BZh", so the mark of a block or of the end is required
// after the level. Parallel packers write a frame of other data before the
// first frame of zstd.
constexpr Magic kMagics[] = {
    {Compression::kGzip, {"\x1f\x8b\x08", 3}, 2},
    {Compression::kBzip2, {"BZh11AY&SY", 10}, 4, 3, '9'},
    {Compression::kBzip2, {"BZh1\x17rE8P\x90", 10}, 4, 3, '9'},
    {Compression::kXz,
     {"\xFD"
      "7zXZ\0",
      6},
     2},
    {Compression::kZstd, {"\x28\xB5\x2F\xFD", 4}, 2},
    {Compression::kZstd, {"\x50\x2A\x4D\x18", 4}, 4, 0, '\x5F'},
};

// Returns whether `start` agrees with the magic as far as both go.
bool Fits(const Magic& magic, absl::string_view start) {
  const size_t size = std::min(start.size(), magic.bytes.size());
  for (size_t i = 0; i < size; ++i) {
    const char end = i == magic.range_pos ? magic.range_end : magic.bytes[i];
    if (start[i] < magic.bytes[i] || start[i] > end) return false;
  }
  return true;
}

absl::Status EndsEarly(const std::string& name, absl::string_view format,
                       uint64_t bytes) {
  return absl::DataLossError(
      absl::StrCat(name, ": truncated or corrupt ", format,
                   " data: the file ends at byte ", bytes));
}

absl::Status Corrupt(const std::string& name, absl::string_view format,
                     uint64_t bytes, absl::string_view detail) {
  return absl::DataLossError(absl::StrCat(name, ": corrupt ", format,
                                          " data at or before byte ", bytes,
                                          " (", detail, ")"));
}

// The input of a Boost filter and the state of reading it. It outlives the
// filter's copies of its device.
struct Upstream {
  std::unique_ptr<ByteSource> source;
  uint64_t bytes = 0;
  bool at_end = false;
  absl::Status status;
};

// The device that a Boost filter reads from. The filter treats an error like
// the end of the file; `status` distinguishes them.
class UpstreamDevice {
 public:
  using char_type = char;
  using category = boost::iostreams::source_tag;

  explicit UpstreamDevice(Upstream* upstream) : upstream_(upstream) {}

  std::streamsize read(char* out, std::streamsize size) {
    if (upstream_->at_end) return -1;
    const auto got =
        upstream_->source->Read(absl::MakeSpan(out, static_cast<size_t>(size)));
    if (!got.ok()) upstream_->status = got.status();
    if (!got.ok() || *got == 0) {
      upstream_->at_end = true;
      return -1;
    }
    upstream_->bytes += *got;
    return static_cast<std::streamsize>(*got);
  }

 private:
  Upstream* upstream_;
};

template <class Filter>
class BoostSource final : public ByteSource {
 public:
  BoostSource(std::string name, absl::string_view format, Filter filter,
              std::unique_ptr<ByteSource> source)
      : name_(std::move(name)), format_(format), filter_(std::move(filter)) {
    upstream_.source = std::move(source);
  }

  absl::StatusOr<size_t> Read(absl::Span<char> out) override {
    UpstreamDevice device(&upstream_);
    std::streamsize size = 0;
    std::string problem;
    try {
      // 0 means "not yet", for example between two members.
      while (size == 0) {
        size = filter_.read(device, out.data(),
                            static_cast<std::streamsize>(out.size()));
      }
    } catch (const std::bad_alloc&) {
      throw;  // The data may be whole.
    } catch (const std::exception& exception) {
      problem = exception.what();
    }
    FIRTH_RETURN_IF_ERROR(upstream_.status);
    if (!problem.empty()) return Failure(problem);
    return size < 0 ? 0 : static_cast<size_t>(size);
  }

 private:
  absl::Status Failure(absl::string_view problem) const {
    if (upstream_.at_end) return EndsEarly(name_, format_, upstream_.bytes);
    return Corrupt(name_, format_, upstream_.bytes, problem);
  }

  std::string name_;
  absl::string_view format_;
  Filter filter_;
  Upstream upstream_;
};

class ZstdSource final : public ByteSource {
 public:
  ZstdSource(std::string name, std::unique_ptr<ByteSource> source)
      : name_(std::move(name)),
        source_(std::move(source)),
        decoder_(ZSTD_createDCtx(), &ZSTD_freeDCtx),
        buffer_(kBufferBytes) {
    // Accepts any window that zstd can write (--long=31). Memory is allocated
    // as needed.
    const auto bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
    ZSTD_DCtx_setParameter(decoder_.get(), ZSTD_d_windowLogMax,
                           bounds.upperBound);
  }

  absl::StatusOr<size_t> Read(absl::Span<char> out) override {
    ZSTD_outBuffer output = {out.data(), out.size(), 0};
    while (output.pos == 0) {
      if (input_.pos == input_.size && !may_hold_output_) {
        FIRTH_RETURN_IF_ERROR(Fill());
        if (input_.size == 0) return AtEnd();
      }
      const size_t rest =
          ZSTD_decompressStream(decoder_.get(), &output, &input_);
      if (ZSTD_isError(rest)) {
        return Corrupt(name_, "zstd", input_begin_ + input_.size,
                       ZSTD_getErrorName(rest));
      }
      inside_frame_ = rest != 0;
      // Output that did not fit is still in the decoder.
      may_hold_output_ = output.pos == output.size && inside_frame_;
    }
    return output.pos;
  }

 private:
  absl::Status Fill() {
    input_begin_ += input_.size;
    FIRTH_ASSIGN_OR_RETURN(const size_t size,
                           source_->Read(absl::MakeSpan(buffer_)));
    input_ = {buffer_.data(), size, 0};
    return absl::OkStatus();
  }

  absl::StatusOr<size_t> AtEnd() const {
    if (inside_frame_) return EndsEarly(name_, "zstd", input_begin_);
    return 0;
  }

  std::string name_;
  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> decoder_;
  std::vector<char> buffer_;
  ZSTD_inBuffer input_ = {nullptr, 0, 0};
  uint64_t input_begin_ = 0;  // Position of the buffer in the compressed file.
  // True at first, because a file without any frame is truncated.
  bool inside_frame_ = true;
  bool may_hold_output_ = false;
};

template <class Filter>
std::unique_ptr<ByteSource> MakeBoostSource(
    const std::string& name, absl::string_view format, Filter filter,
    std::unique_ptr<ByteSource> source) {
  return std::make_unique<BoostSource<Filter>>(name, format, std::move(filter),
                                               std::move(source));
}

}  // namespace

absl::string_view NameOf(Compression compression) {
  switch (compression) {
    case Compression::kGzip:
      return "gzip";
    case Compression::kBzip2:
      return "bzip2";
    case Compression::kXz:
      return "xz";
    case Compression::kZstd:
      return "zstd";
    case Compression::kNone:
      break;
  }
  return "";
}

Compression RecogniseCompression(absl::string_view start) {
  for (const Magic& magic : kMagics) {
    if (start.size() >= magic.enough && Fits(magic, start)) {
      return magic.compression;
    }
  }
  return Compression::kNone;
}

bool MayBecomeCompressed(absl::string_view start) {
  return absl::c_any_of(kMagics, [&](const Magic& magic) {
    return start.size() < magic.bytes.size() && Fits(magic, start);
  });
}

std::unique_ptr<ByteSource> Decompress(Compression compression,
                                       const std::string& name,
                                       std::unique_ptr<ByteSource> source) {
  namespace io = boost::iostreams;
  switch (compression) {
    case Compression::kGzip:
      return MakeBoostSource(
          name, NameOf(compression),
          io::gzip_decompressor(io::gzip::default_window_bits, kBufferBytes),
          std::move(source));
    case Compression::kBzip2:
      return MakeBoostSource(name, NameOf(compression),
                             io::bzip2_decompressor(false, kBufferBytes),
                             std::move(source));
    case Compression::kXz:
      return MakeBoostSource(
          name, NameOf(compression),
          io::lzma_decompressor(io::lzma_params(), kBufferBytes),
          std::move(source));
    case Compression::kZstd:
      return std::make_unique<ZstdSource>(name, std::move(source));
    case Compression::kNone:
      break;
  }
  return source;
}

}  // namespace firth
