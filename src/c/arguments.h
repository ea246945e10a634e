// What callers of the C interface hand over, checked: every error is
// InvalidArgument and begins with the name of the argument.

#ifndef FIRTH_C_ARGUMENTS_H_
#define FIRTH_C_ARGUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "firth/word_id.h"

namespace firth::c {

// A result has a place.
absl::Status CheckPlace(absl::string_view argument, const void* place);

// A number of things is 0 or more.
absl::Status CheckCount(absl::string_view argument, int64_t count);

// There are `count` things, which is 0 or more.
absl::Status CheckArray(absl::string_view argument, const void* array,
                        int64_t count);

// The numbers at a position of an array are finite.
absl::Status CheckFinite(absl::string_view argument,
                         absl::Span<const float> numbers, int64_t position);

// The bytes of a text; null where it has none is fine.
absl::StatusOr<absl::string_view> TextOf(absl::string_view argument,
                                         const char* text, int64_t size);

// The path of a file, which is not empty and has no NUL in it.
absl::StatusOr<std::string> PathOf(const char* path, int64_t size);

// Offsets [n + 1] do not fall, and start at 0 or more. n was checked.
absl::Status CheckOffsets(absl::string_view argument, const int64_t* offsets,
                          int64_t n);

// A list of n texts, as firth/firth.h describes it.
absl::StatusOr<std::vector<absl::string_view>> TextsOf(
    absl::string_view argument, const char* bytes, const int64_t* offsets,
    int64_t n);

// A list of n sentences, as firth/firth.h describes it.
absl::StatusOr<std::vector<std::vector<absl::string_view>>> SentencesOf(
    const char* words, const int64_t* offsets, const int64_t* sentences,
    int64_t n);

// Ids of the first vocab_size words.
absl::StatusOr<std::vector<WordId>> IdsOf(absl::string_view argument,
                                          const int64_t* ids, int64_t n,
                                          size_t vocab_size);

// The struct that the JSON text of a call sets. Where `argument` is another one
// than "options", errors begin with its name.
template <class Options>
absl::StatusOr<Options> OptionsOf(const char* options, int64_t options_size,
                                  absl::string_view argument = "options") {
  FIRTH_ASSIGN_OR_RETURN(const absl::string_view json,
                         TextOf(argument, options, options_size));
  absl::StatusOr<Options> read =
      ReadFieldsJson<Options>(json.empty() ? "{}" : json);
  return argument == "options" ? read : At(argument, read);
}

}  // namespace firth::c

#endif  // FIRTH_C_ARGUMENTS_H_
