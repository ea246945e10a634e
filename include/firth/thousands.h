// Whole numbers as people read them, in messages and tables.

#ifndef FIRTH_THOUSANDS_H_
#define FIRTH_THOUSANDS_H_

#include <cstdint>
#include <string>

namespace firth {

std::string Thousands(uint64_t number);  // 1,234,567

}  // namespace firth

#endif  // FIRTH_THOUSANDS_H_
