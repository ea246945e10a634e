// Formats whole numbers for people, in messages and tables.

#ifndef FIRTH_THOUSANDS_H_
#define FIRTH_THOUSANDS_H_

#include <cstdint>
#include <string>

namespace firth {

// Returns the number with commas: 1,234,567.
std::string Thousands(uint64_t number);

}  // namespace firth

#endif  // FIRTH_THOUSANDS_H_
