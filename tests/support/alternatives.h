// The alternatives of a variant of options, so that tests are about all of
// them: one that is added is tested on arrival.

#ifndef FIRTH_TESTS_SUPPORT_ALTERNATIVES_H_
#define FIRTH_TESTS_SUPPORT_ALTERNATIVES_H_

#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

namespace firth {

// One of each alternative, in the order of the variant, with its defaults.
template <class Variant>
std::vector<Variant> Alternatives() {
  return []<size_t... kIndex>(std::index_sequence<kIndex...>) {
    return std::vector<Variant>{Variant(std::in_place_index<kIndex>)...};
  }
  (std::make_index_sequence<std::variant_size_v<Variant>>());
}

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_ALTERNATIVES_H_
