// How firth_search_create() is asked to look.

#ifndef FIRTH_C_SEARCH_SETTINGS_H_
#define FIRTH_C_SEARCH_SETTINGS_H_

#include <cstdint>
#include <string>

#include "firth/fields.h"
#include "firth/query.h"

namespace firth::c {

struct SearchSettings {
  SearchOptions search;
  std::string index;      // a file; of HnswSearch
  uint64_t restrict = 0;  // words, the most frequent; 0: all
};

FieldTable FieldsFor(const SearchSettings*);

}  // namespace firth::c

#endif  // FIRTH_C_SEARCH_SETTINGS_H_
