// Filters over characters as options: how they are written, and what they may
// be.

#ifndef FIRTH_LM_CHARACTER_FILTERS_H_
#define FIRTH_LM_CHARACTER_FILTERS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "firth/language_model.h"
#include "nn/char_cnn.h"

namespace firth {

using FilterList = std::vector<CharacterOptions::Filters>;

// "1x32,2x64": width x count of each.
std::string FiltersText(const FilterList& filters);
// False, and *filters as it was, where the text is none.
bool ParseFilters(const std::string& text, FilterList* filters);

// Errors: InvalidArgument: none, or one that is too wide or has no count.
absl::Status CheckFilters(const FilterList& filters, size_t max_characters);

// The network of these options, over what AppendCharacterIds() gives.
nn::CharCnnOptions CharCnnOf(const CharacterOptions& characters);

}  // namespace firth

#endif  // FIRTH_LM_CHARACTER_FILTERS_H_
