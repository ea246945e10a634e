#include "cli/human.h"

#include <utf8proc.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/console.h"

namespace firth::tools {

std::string HumanBytes(uint64_t bytes) {
  if (bytes < 1000) return absl::StrCat(bytes, " bytes");
  constexpr const char* kUnits[] = {"kB", "MB", "GB", "TB", "PB"};
  double value = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  // 999.95 would be printed as 1000.0.
  while (value >= 999.95 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

std::string HumanSeconds(double seconds) {
  if (!(seconds > 0)) return "0 s";
  if (seconds < 0.1) return absl::StrFormat("%.0f ms", seconds * 1000);
  if (seconds < 10) return absl::StrFormat("%.1f s", seconds);
  const auto whole = static_cast<uint64_t>(std::lround(seconds));
  if (whole < 60) return absl::StrFormat("%d s", whole);
  if (whole < 3600) {
    return absl::StrFormat("%d min %02d s", whole / 60, whole % 60);
  }
  return absl::StrFormat("%d h %02d min", whole / 3600, whole % 3600 / 60);
}

std::string Percent(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  return absl::StrFormat(
      "%.1f%%", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string ShareText(double share) {
  return absl::StrFormat("%.2f%%", 100 * share);
}

std::string IntervalText(const Interval& interval) {
  return absl::StrFormat("%.1f - %.1f", 100 * interval.low,
                         100 * interval.high);
}

std::string ChanceText(double p) {
  return absl::StrCat(p < 0.001 ? "<0.001" : absl::StrFormat("%.3f", p),
                      p < 0.05 ? "*" : " ");
}

std::string Counted(uint64_t number, absl::string_view noun) {
  return absl::StrCat(Thousands(number), " ", noun, number == 1 ? "" : "s");
}

size_t DisplayWidth(absl::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    // Escape sequences of Styled() have no width.
    if (absl::StartsWith(text, "\x1b[")) {
      text.remove_prefix(std::min(text.find('m'), text.size() - 1) + 1);
      continue;
    }
    utf8proc_int32_t code_point;
    const utf8proc_ssize_t bytes = utf8proc_iterate(
        reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
        static_cast<utf8proc_ssize_t>(text.size()), &code_point);
    width += bytes > 0 ? static_cast<size_t>(utf8proc_charwidth(code_point))
                       : size_t{1};
    text.remove_prefix(bytes > 0 ? static_cast<size_t>(bytes) : 1);
  }
  return width;
}

void TextTable::AddRow(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = AsPrinted(std::move(cell));
  rows_.push_back(std::move(cells));
}

std::string TextTable::ToString() const {
  std::vector<size_t> widths(alignment_.size(), 0);
  for (const auto& row : rows_) {
    for (size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], DisplayWidth(row[column]));
    }
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t column = 0; column < row.size(); ++column) {
      const std::string pad(widths[column] - DisplayWidth(row[column]), ' ');
      const char alignment = alignment_[column];
      const std::string cell =
          alignment == 's' ? Styled(Style::kDim, row[column]) : row[column];
      if (column > 0) line += "  ";
      absl::StrAppend(&line, alignment == 'l' ? cell + pad : pad + cell);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&out, line, "\n");
  }
  return out;
}

std::string FoundTable(
    absl::string_view title,
    const std::vector<std::pair<std::string, FoundCounts>>& rows) {
  TextTable table("lrrrrrr");
  table.AddRow({std::string(title), "precision", "recall", "F1", "gold",
                "found", "correct"});
  for (const auto& [name, counts] : rows) {
    table.AddRow({name, ShareText(counts.precision()),
                  ShareText(counts.recall()), ShareText(counts.f1()),
                  Thousands(counts.gold), Thousands(counts.found),
                  Thousands(counts.correct)});
  }
  return table.ToString();
}

}  // namespace firth::tools
