// Formats numbers and tables for people.

#ifndef FIRTH_TOOLS_CLI_HUMAN_H_
#define FIRTH_TOOLS_CLI_HUMAN_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "firth/proportions.h"
#include "firth/thousands.h"  // IWYU pragma: export

namespace firth::tools {

std::string HumanBytes(uint64_t bytes);  // 46.1 MB; M is 1,000,000.
std::string HumanSeconds(
    double seconds);  // 12 ms, 1.5 s, 4 min 05 s, 2 h 10 min

// Returns part / whole in percent with one decimal, or "-" if `whole` is 0.
std::string Percent(uint64_t part, uint64_t whole);

// Returns a fraction in percent with two decimals, such as "97.31%".
std::string ShareText(double share);
// Returns an interval of a fraction in percent, such as "93.8 - 95.1".
std::string IntervalText(const Interval& interval);
// Returns p as text, with a star if it is below 0.05.
std::string ChanceText(double p);

// Returns a text such as "1 word" or "2,000 words".
std::string Counted(uint64_t number, absl::string_view noun);

// Returns the columns of a text on a terminal. East Asian wide characters have
// two and combining marks none. A byte that is not valid UTF-8 has one.
size_t DisplayWidth(absl::string_view text);

// A table with aligned columns, separated by two spaces.
class TextTable {
 public:
  // `alignment` has one letter per column: 'l' is left, 'r' is right, and 's'
  // is right and dim, for scores next to words, and requires PrintStyled().
  explicit TextTable(absl::string_view alignment) : alignment_(alignment) {}

  // Adds a row. `cells` may be fewer than the columns.
  void AddRow(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // Returns all rows, each with a line end.
  std::string ToString() const;

 private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

// Returns precision, recall and F1 as a table with one row per name. `title` is
// the header of the names.
std::string FoundTable(
    absl::string_view title,
    const std::vector<std::pair<std::string, FoundCounts>>& rows);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_HUMAN_H_
