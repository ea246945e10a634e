// The n-grams of a text that belong to the rows of buckets.

#ifndef FIRTH_CLASSIFY_HASHED_NAMES_H_
#define FIRTH_CLASSIFY_HASHED_NAMES_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "classify/feature_index.h"

namespace firth {

// Returns, by row, the text's first n-gram of that bucket: words separated by
// spaces, or characters. Returns nothing if n-grams are not hashed.
absl::flat_hash_map<uint32_t, std::string> HashedNames(
    const FeatureIndex& features, absl::string_view text);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_HASHED_NAMES_H_
