// Numbers as people read them.

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

std::string HumanBytes(uint64_t bytes);  // 46.1 MB, of 1,000,000 bytes
std::string HumanSeconds(
    double seconds);  // 12 ms, 1.5 s, 4 min 05 s, 2 h 10 min

// part / whole, in percent with one decimal; "-" of nothing.
std::string Percent(uint64_t part, uint64_t whole);

// Returns a fraction in percent with two decimals, such as "97.31%".
std::string ShareText(double share);
// Returns an interval of a fraction in percent, such as "93.8 - 95.1".
std::string IntervalText(const Interval& interval);
// Returns p as text, with a star if it is below 0.05.
std::string ChanceText(double p);

// "1 word", "2,000 words".
std::string Counted(uint64_t number, absl::string_view noun);

// Columns a text takes on a terminal: East Asian wide characters take two,
// marks that combine with the character before them none. A byte that is not
// UTF-8 counts as one.
size_t DisplayWidth(absl::string_view text);

// A table with its columns aligned, two spaces between them.
class TextTable {
 public:
  // One letter a column: 'l' aligns left, 'r' right; 's' is right and dim, for
  // scores beside words, and needs PrintStyled().
  explicit TextTable(absl::string_view alignment) : alignment_(alignment) {}

  // `cells` may be fewer than the columns.
  void AddRow(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // Every row with its line end.
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
