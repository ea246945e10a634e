// Options for the filters of character networks: their text form and their
// limits.

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

// Returns the filters as text, "width x count" of each: "1x32,2x64".
std::string FiltersText(const FilterList& filters);
// Parses this form. Returns false, without changing *filters, if it is not
// valid.
bool ParseFilters(const std::string& text, FilterList* filters);

// Checks the filters. Errors: InvalidArgument, no filters, or one that is too
// wide or has count 0.
absl::Status CheckFilters(const FilterList& filters, size_t max_characters);

// Returns the options of the network over the ids of AppendCharacterIds().
nn::CharCnnOptions CharCnnOf(const CharacterOptions& characters);

}  // namespace firth

#endif  // FIRTH_LM_CHARACTER_FILTERS_H_
