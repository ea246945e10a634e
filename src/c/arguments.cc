#include "c/arguments.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace firth::c {

absl::Status CheckPlace(absl::string_view argument, const void* place) {
  if (place != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(argument, ": the pointer for the result must not be null"));
}

absl::Status CheckCount(absl::string_view argument, int64_t count) {
  if (count >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(argument, ": must be 0 or more, found ", count));
}

absl::Status CheckArray(absl::string_view argument, const void* array,
                        int64_t count) {
  if (count >= 0 && (array != nullptr || count == 0)) return absl::OkStatus();
  if (count < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(argument, ": the size must be 0 or more, found ", count));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      argument, ": a null pointer requires size 0, found size ", count));
}

absl::Status CheckFinite(absl::string_view argument,
                         absl::Span<const float> numbers, int64_t position) {
  for (const float number : numbers) {
    if (std::isfinite(number)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(argument, ": expected finite numbers, found ", number,
                     " at position ", position));
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::string_view> TextOf(absl::string_view argument,
                                         const char* text, int64_t size) {
  FIRTH_RETURN_IF_ERROR(CheckArray(argument, text, size));
  return absl::string_view(text, static_cast<size_t>(size));
}

absl::StatusOr<std::string> PathOf(const char* path, int64_t size) {
  FIRTH_ASSIGN_OR_RETURN(const absl::string_view text,
                         TextOf("path", path, size));
  if (!text.empty() && text.find('\0') == text.npos) return std::string(text);
  return absl::InvalidArgumentError(
      absl::StrCat("path: a file name must not ",
                   text.empty() ? "be empty" : "contain a NUL byte"));
}

absl::Status CheckOffsets(absl::string_view argument, const int64_t* offsets,
                          int64_t n) {
  if (offsets == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(argument, ": the pointer must not be null, since ",
                     static_cast<uint64_t>(n) + 1, " values are required"));
  }
  int64_t last = 0;
  for (int64_t i = 0; i <= n; ++i) {
    if (offsets[i] < last) {
      return absl::InvalidArgumentError(
          absl::StrCat(argument, ": expected ", last, " or more at position ",
                       i, ", found ", offsets[i]));
    }
    last = offsets[i];
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<absl::string_view>> TextsOf(
    absl::string_view argument, const char* bytes, const int64_t* offsets,
    int64_t n) {
  FIRTH_RETURN_IF_ERROR(CheckCount("n", n));
  if (n == 0) return std::vector<absl::string_view>();
  FIRTH_RETURN_IF_ERROR(CheckOffsets("offsets", offsets, n));
  FIRTH_RETURN_IF_ERROR(CheckArray(argument, bytes, offsets[n] - offsets[0]));
  std::vector<absl::string_view> texts;
  texts.reserve(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    const auto size = static_cast<size_t>(offsets[i + 1] - offsets[i]);
    texts.push_back(size == 0 ? absl::string_view()
                              : absl::string_view(bytes + offsets[i], size));
  }
  return texts;
}

absl::StatusOr<std::vector<std::vector<absl::string_view>>> SentencesOf(
    const char* words, const int64_t* offsets, const int64_t* sentences,
    int64_t n) {
  FIRTH_RETURN_IF_ERROR(CheckCount("n", n));
  std::vector<std::vector<absl::string_view>> lists;
  if (n == 0) return lists;
  FIRTH_RETURN_IF_ERROR(CheckOffsets("sentences", sentences, n));
  const int64_t first = sentences[0];
  if (offsets != nullptr) offsets += first;
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<absl::string_view> all,
      TextsOf("words", words, offsets, sentences[n] - first));
  lists.reserve(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    lists.emplace_back(all.begin() + (sentences[i] - first),
                       all.begin() + (sentences[i + 1] - first));
  }
  return lists;
}

absl::StatusOr<std::vector<WordId>> IdsOf(absl::string_view argument,
                                          const int64_t* ids, int64_t n,
                                          size_t vocab_size) {
  FIRTH_RETURN_IF_ERROR(CheckArray(argument, ids, n));
  std::vector<WordId> words;
  words.reserve(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    if (ids[i] < 0 || static_cast<uint64_t>(ids[i]) >= vocab_size) {
      return absl::InvalidArgumentError(
          absl::StrCat(argument, ": expected an id below ", vocab_size,
                       " at position ", i, ", found ", ids[i]));
    }
    words.push_back(ToWordId(static_cast<size_t>(ids[i])));
  }
  return words;
}

}  // namespace firth::c
