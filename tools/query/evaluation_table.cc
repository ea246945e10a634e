#include "query/evaluation_table.h"

#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/human.h"

namespace firth::tools {
namespace {

std::string IntervalText(uint64_t correct, uint64_t asked) {
  if (asked == 0) return "-";
  const Interval interval = WilsonInterval(correct, asked);
  return absl::StrFormat("%.1f - %.1f", 100 * interval.low,
                         100 * interval.high);
}

void AddCounts(absl::string_view name, uint64_t correct, uint64_t asked,
               uint64_t total, TextTable* table) {
  table->AddRow({std::string(name), Thousands(correct), Thousands(asked),
                 Thousands(total), Percent(correct, asked),
                 Percent(asked, total), IntervalText(correct, asked)});
}

// The field's convention for questions-words: grammar sections are named so.
bool IsSyntactic(const AnalogySection& section) {
  return absl::StartsWith(section.name, "gram");
}

void AddSubtotals(const AnalogyResult& result, TextTable* table) {
  AnalogySection parts[2];
  bool present[2] = {};
  for (const AnalogySection& section : result.sections) {
    AnalogySection& part = parts[IsSyntactic(section)];
    present[IsSyntactic(section)] = true;
    part.correct += section.correct;
    part.asked += section.asked;
    part.total += section.total;
  }
  if (!present[0] || !present[1]) return;
  AddCounts("semantic", parts[0].correct, parts[0].asked, parts[0].total,
            table);
  AddCounts("syntactic", parts[1].correct, parts[1].asked, parts[1].total,
            table);
}

std::string CorrelationText(double spearman) {
  return std::isnan(spearman) ? "-" : absl::StrFormat("%.4f", spearman);
}

// A star where chance alone would do it less than once in twenty times.
std::string ChanceText(double p) {
  return absl::StrCat(p < 0.001 ? "<0.001" : absl::StrFormat("%.3f", p),
                      p < 0.05 ? "*" : " ");
}

}  // namespace

std::string AnalogyTable(const AnalogyResult& result) {
  TextTable table("lrrrrrr");
  table.AddRow({"section", "correct", "asked", "total", "accuracy", "coverage",
                "95% interval"});
  for (const AnalogySection& section : result.sections) {
    AddCounts(section.name.empty() ? "(no section)" : section.name,
              section.correct, section.asked, section.total, &table);
  }
  AddSubtotals(result, &table);
  AddCounts("total", result.correct, result.asked, result.total, &table);
  return absl::StrCat(result.file, "\n", table.ToString());
}

std::string SimilarityTable(const std::vector<SimilarityResult>& results) {
  TextTable table("lrrrrr");
  table.AddRow(
      {"similarity", "spearman", "asked", "total", "coverage", "95% interval"});
  for (const SimilarityResult& result : results) {
    const bool known = !std::isnan(result.spearman);
    table.AddRow(
        {result.file, CorrelationText(result.spearman), Thousands(result.asked),
         Thousands(result.total), Percent(result.asked, result.total),
         known ? absl::StrFormat("%.3f - %.3f", result.low, result.high)
               : "-"});
  }
  return table.ToString();
}

std::string PairedTable(const std::vector<PairedAccuracy>& sections,
                        const AnalogyResult& first,
                        const AnalogyResult& second) {
  TextTable table("lrrrrr");
  table.AddRow({"section", "asked", "A", "B", "B - A", "p"});
  for (const PairedAccuracy& section : sections) {
    const auto a = static_cast<double>(section.first_correct);
    const auto b = static_cast<double>(section.second_correct);
    const auto asked = static_cast<double>(section.asked);
    table.AddRow({section.section.empty() ? "(no section)" : section.section,
                  Thousands(section.asked),
                  Percent(section.first_correct, section.asked),
                  Percent(section.second_correct, section.asked),
                  section.asked == 0
                      ? "-"
                      : absl::StrFormat("%+.1f", 100 * (b - a) / asked),
                  section.asked == 0 ? "-" : ChanceText(section.p)});
  }
  return absl::StrCat(first.file, "\n", table.ToString(), "asked of A ",
                      Thousands(first.asked), ", of B ",
                      Thousands(second.asked), ", of both ",
                      Thousands(sections.back().asked), " of ",
                      Counted(first.total, "question"), "\n");
}

std::string PairedTable(const std::vector<std::string>& files,
                        const std::vector<PairedCorrelation>& results) {
  TextTable table("lrrrrr");
  table.AddRow({"similarity", "asked", "A", "B", "B - A", "p"});
  for (size_t i = 0; i < files.size(); ++i) {
    const PairedCorrelation& result = results[i];
    const bool known = !std::isnan(result.first) && !std::isnan(result.second);
    table.AddRow(
        {files[i], Thousands(result.asked), CorrelationText(result.first),
         CorrelationText(result.second),
         known ? absl::StrFormat("%+.4f", result.second - result.first) : "-",
         known ? ChanceText(result.p) : "-"});
  }
  return table.ToString();
}

std::string TranslationTable(const TranslationResult& result) {
  TextTable table("lrrrr");
  table.AddRow(
      {"translation", "correct", "asked", "precision", "95% interval"});
  for (size_t k = 0; k < result.correct.size(); ++k) {
    table.AddRow({absl::StrCat("@", TranslationResult::kRanks[k]),
                  Thousands(result.correct[k]), Thousands(result.asked),
                  Percent(result.correct[k], result.asked),
                  IntervalText(result.correct[k], result.asked)});
  }
  return absl::StrCat(
      result.file, "\n", table.ToString(), "asked ", Thousands(result.asked),
      " of ", Counted(result.total, "word"), " (",
      Percent(result.asked, result.total), "); ",
      Thousands(result.total_pairs - result.pairs), " of ",
      Counted(result.total_pairs, "pair"),
      " not covered, because a word has no vector or is beyond --restrict\n");
}

}  // namespace firth::tools
