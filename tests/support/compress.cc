#include "support/compress.h"

#include <zlib.h>
#include <zstd.h>

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <sstream>
#include <string>

namespace firth {
namespace {

template <class Filter>
std::string CompressWith(const std::string& text, const Filter& filter) {
  namespace io = boost::iostreams;
  std::ostringstream packed;
  io::filtering_ostream out;
  out.push(filter);
  out.push(packed);
  io::copy(io::array_source(text.data(), text.size()), out);
  return packed.str();
}

}  // namespace

std::string Gzip(const std::string& text) {
  constexpr int kGzipOf32K = 16 + 15;  // the container, with the largest window
  z_stream stream = {};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipOf32K,
               /*memLevel=*/8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string Bzip2(const std::string& text) {
  return CompressWith(text, boost::iostreams::bzip2_compressor());
}

std::string Xz(const std::string& text) {
  return CompressWith(text, boost::iostreams::lzma_compressor());
}

std::string Zstd(const std::string& text, int window_log) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  // As a stream, so that the header asks for the whole window.
  ZSTD_inBuffer input = {text.data(), text.size(), 0};
  ZSTD_outBuffer output = {packed.data(), packed.size(), 0};
  while (input.pos < input.size) {
    ZSTD_compressStream2(context, &output, &input, ZSTD_e_continue);
  }
  while (ZSTD_compressStream2(context, &output, &input, ZSTD_e_end) != 0) {
  }
  ZSTD_freeCCtx(context);
  packed.resize(output.pos);
  return packed;
}

}  // namespace firth
