// Text is normalized in segments between ASCII white space and invalid bytes,
// with which no character composes. A segment in which all characters are
// stable (no marks, nothing that a form replaces) is copied. Only the others
// are passed to utf8proc.

#include "base/spelling.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/unicode.h"

namespace firth {
namespace {

using Range = std::pair<int32_t, int32_t>;

// Ranges of frequent characters that both forms leave unchanged in any context:
// starters that are in NFKC and compose with nothing before them.
constexpr Range kStable[] = {
    {0x00, 0x9F},     {0xC0, 0x131},    {0x388, 0x3CE},   {0x400, 0x482},
    {0x5D0, 0x5EA},   {0x621, 0x64A},   {0x1EA0, 0x1EF9}, {0x2012, 0x2016},
    {0x2018, 0x2023}, {0x3001, 0x3020}, {0x3041, 0x3096}, {0x30A1, 0x30FA},
    {0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xAC00, 0xD7A3},
};

bool IsStable(int32_t point, Normalization form) {
  if (form == Normalization::kNfc && point < 0x300) return true;
  return std::any_of(std::begin(kStable), std::end(kStable),
                     [point](const Range& range) {
                       return point >= range.first && point <= range.second;
                     });
}

class Normalizer {
 public:
  Normalizer(Normalization form, std::string* out)
      : options_(static_cast<utf8proc_option_t>(
            UTF8PROC_STABLE | UTF8PROC_COMPOSE |
            (form == Normalization::kNfkc ? UTF8PROC_COMPAT : 0))),
        out_(out) {}

  // `segment` must be valid UTF-8.
  void Append(absl::string_view segment) {
    points_.resize(std::max(points_.size(), segment.size()));
    utf8proc_ssize_t count = Decompose(segment);
    if (static_cast<size_t>(count) > points_.size()) {
      points_.resize(static_cast<size_t>(count));
      count = Decompose(segment);
    }
    count = utf8proc_normalize_utf32(points_.data(), count, options_);
    for (utf8proc_ssize_t i = 0; i < count; ++i) {
      AppendUtf8(points_[static_cast<size_t>(i)], out_);
    }
  }

 private:
  // Returns the number of code points. If the buffer is too small for them, its
  // contents are meaningless.
  utf8proc_ssize_t Decompose(absl::string_view segment) {
    const utf8proc_ssize_t count = utf8proc_decompose(
        reinterpret_cast<const utf8proc_uint8_t*>(segment.data()),
        static_cast<utf8proc_ssize_t>(segment.size()), points_.data(),
        static_cast<utf8proc_ssize_t>(points_.size()), options_);
    FIRTH_CHECK(count >= 0);
    return count;
  }

  utf8proc_option_t options_;
  std::vector<utf8proc_int32_t> points_;
  std::string* out_;
};

}  // namespace

bool IsAscii(absl::string_view text) {
  unsigned char bits = 0;
  for (const char byte : text) bits |= static_cast<unsigned char>(byte);
  return bits < 0x80;
}

void AppendNormalized(absl::string_view text, Normalization form,
                      std::string* out) {
  if (form == Normalization::kNone || IsAscii(text)) {
    out->append(text.data(), text.size());
    return;
  }
  Normalizer normalizer(form, out);
  size_t begin = 0;  // Start of the segment.
  bool stable = true;
  const auto end_segment = [&](size_t end) {
    const absl::string_view segment = text.substr(begin, end - begin);
    if (stable) {
      out->append(segment.data(), segment.size());
    } else {
      normalizer.Append(segment);
    }
    begin = end;
    stable = true;
  };
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = DecodeUtf8(text.substr(at));
    if (point.value <= ' ') {  // Invalid bytes have -1.
      end_segment(at);
      at += point.bytes;
      end_segment(at);
      continue;
    }
    stable = stable && IsStable(point.value, form);
    at += point.bytes;
  }
  end_segment(text.size());
}

bool MayRespell(const Spelling& spelling, absl::string_view text) {
  return (spelling.lowercase && HasCapitals(text)) ||
         (spelling.normalize != Normalization::kNone && !IsAscii(text));
}

void AppendSpelled(absl::string_view text, const Spelling& spelling,
                   std::string* out) {
  if (spelling.normalize == Normalization::kNone || IsAscii(text)) {
    if (spelling.lowercase) return AppendLowercase(text, out);
    out->append(text.data(), text.size());
    return;
  }
  if (!spelling.lowercase) {
    return AppendNormalized(text, spelling.normalize, out);
  }
  // Normalized first, since a capital may be one character while its small
  // letter is two, and again afterwards, since the opposite also occurs.
  std::string normalized;
  AppendNormalized(text, spelling.normalize, &normalized);
  AppendNormalized(Lowercase(normalized), spelling.normalize, out);
}

}  // namespace firth
