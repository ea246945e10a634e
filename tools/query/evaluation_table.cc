// Formats the JSON answer to the question "eval", rather than its struct,
// because "firth eval" has percentages, subtotals and comparisons that a
// general table of members cannot have.

#include "query/evaluation_table.h"

#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/human.h"
#include "firth/proportions.h"

namespace firth::tools {
namespace {

std::string IntervalOf(uint64_t correct, uint64_t asked) {
  return asked == 0 ? "-" : IntervalText(WilsonInterval(correct, asked));
}

// Numbers of questions of a section, a file or several sections.
struct Counts {
  uint64_t correct = 0, asked = 0, total = 0;
};

Counts CountsOf(const Json& json) {
  return {json["correct"].get<uint64_t>(), json["asked"].get<uint64_t>(),
          json["total"].get<uint64_t>()};
}

void AddCounts(const std::string& name, const Counts& counts,
               TextTable* table) {
  table->AddRow({name, Thousands(counts.correct), Thousands(counts.asked),
                 Thousands(counts.total), Percent(counts.correct, counts.asked),
                 Percent(counts.asked, counts.total),
                 IntervalOf(counts.correct, counts.asked)});
}

std::string SectionName(const Json& section) {
  std::string name = section["name"].get<std::string>();
  return name.empty() ? "(no section)" : name;
}

// Adds the subtotals. In questions-words.txt, the names of the syntactic
// sections start with "gram".
void AddSubtotals(const Json& sections, TextTable* table) {
  std::optional<Counts> parts[2];
  for (const Json& section : sections) {
    std::optional<Counts>& part =
        parts[absl::StartsWith(section["name"].get<std::string>(), "gram")];
    if (!part.has_value()) part.emplace();
    const Counts counts = CountsOf(section);
    part->correct += counts.correct;
    part->asked += counts.asked;
    part->total += counts.total;
  }
  if (!parts[0].has_value() || !parts[1].has_value()) return;
  AddCounts("semantic", *parts[0], table);
  AddCounts("syntactic", *parts[1], table);
}

// Returns a number of the answer as text, or "-" if it is null.
std::string NumberText(const Json& number,
                       const absl::FormatSpec<double>& format) {
  return number.is_null() ? "-" : absl::StrFormat(format, number.get<double>());
}

// Returns a line for each wrong answer that the section lists.
std::string WrongText(const Json& section) {
  std::string text;
  for (const Json& wrong : section.value("wrong", Json::array())) {
    absl::StrAppend(&text, SectionName(section), ": ");
    for (const Json& word : wrong["question"]) {
      absl::StrAppend(&text, word.get<std::string>(), " ");
    }
    absl::StrAppend(&text, "(answered ",
                    wrong["answer"].is_null()
                        ? "nothing"
                        : wrong["answer"].get<std::string>(),
                    ")\n");
  }
  return text;
}

std::string SimilarityTable(const Json& files) {
  TextTable table("lrrrrr");
  table.AddRow(
      {"similarity", "spearman", "asked", "total", "coverage", "95% interval"});
  for (const Json& file : files) {
    const auto asked = file["asked"].get<uint64_t>();
    const auto total = file["total"].get<uint64_t>();
    const Json& interval = file["interval"];
    table.AddRow({file["file"].get<std::string>(),
                  NumberText(file["spearman"], "%.4f"), Thousands(asked),
                  Thousands(total), Percent(asked, total),
                  file["spearman"].is_null()
                      ? "-"
                      : absl::StrCat(NumberText(interval[0], "%.3f"), " - ",
                                     NumberText(interval[1], "%.3f"))});
  }
  return table.ToString();
}

// Returns a number between -1 and 1 times 100.
std::string Hundredfold(const Json& number) {
  return number.is_null() ? "-"
                          : absl::StrFormat("%.1f", 100 * number.get<double>());
}

std::string HundredfoldInterval(const Json& interval) {
  return absl::StrCat(Hundredfold(interval[0]), " - ",
                      Hundredfold(interval[1]));
}

// Returns the difference of the values of two models, times 100.
std::string HundredfoldDifference(const Json& pair) {
  if (pair[0].is_null() || pair[1].is_null()) return "-";
  return absl::StrFormat("%+.1f",
                         100 * (pair[1].get<double>() - pair[0].get<double>()));
}

std::string StsTable(const Json& files) {
  TextTable table("lrrrrrr");
  table.AddRow({"texts (x 100)", "spearman", "pearson", "asked", "total",
                "coverage", "95% interval"});
  for (const Json& file : files) {
    const auto asked = file["asked"].get<uint64_t>();
    const auto total = file["total"].get<uint64_t>();
    table.AddRow({file["file"].get<std::string>(),
                  Hundredfold(file["spearman"]), Hundredfold(file["pearson"]),
                  Thousands(asked), Thousands(total), Percent(asked, total),
                  file["spearman"].is_null()
                      ? "-"
                      : HundredfoldInterval(file["interval"])});
  }
  return table.ToString();
}

std::string PairedStsTable(const Json& files) {
  TextTable table("lrrrrr");
  table.AddRow({"texts (spearman x 100)", "asked", "A", "B", "B - A", "p"});
  for (const Json& file : files) {
    const Json& pair = file["spearman"];
    const std::string difference = HundredfoldDifference(pair);
    table.AddRow(
        {file["file"].get<std::string>(),
         Thousands(file["asked"].get<uint64_t>()), Hundredfold(pair[0]),
         Hundredfold(pair[1]), difference,
         difference == "-" ? "-" : ChanceText(file["p"].get<double>())});
  }
  return table.ToString();
}

// Returns a line with the name and size of a collection.
std::string CollectionText(const Json& result) {
  const auto total = result["total"].get<uint64_t>();
  return absl::StrCat(result["folder"].get<std::string>(), ": ",
                      Counted(result["documents"].get<uint64_t>(), "document"),
                      ", ", Thousands(result["asked"].get<uint64_t>()), " of ",
                      Thousands(total), total == 1 ? " query" : " queries",
                      " with a relevant document\n");
}

std::string RetrievalTable(const Json& result) {
  TextTable table("lrrrr");
  table.AddRow(
      {"ranking (x 100)", "nDCG@10", "95% interval", "MRR", "recall@100"});
  for (const char* ranking : {"vectors", "bm25", "hybrid"}) {
    const Json& quality = result[ranking];
    table.AddRow({ranking, Hundredfold(quality["ndcg"]),
                  HundredfoldInterval(quality["interval"]),
                  Hundredfold(quality["mrr"]), Hundredfold(quality["recall"])});
  }
  return absl::StrCat(CollectionText(result), table.ToString());
}

// `first` is the result of the first model alone.
std::string PairedRetrievalTable(const Json& compared, const Json& first) {
  TextTable table("llrrrr");
  table.AddRow({"ranking (x 100)", "", "A", "B", "B - A", "p"});
  const auto add = [&](const char* ranking, const char* name, const Json& pair,
                       const std::string& p) {
    table.AddRow({ranking, name, Hundredfold(pair[0]), Hundredfold(pair[1]),
                  HundredfoldDifference(pair), p});
  };
  for (const char* ranking : {"vectors", "hybrid"}) {
    const Json& pair = compared[ranking];
    add(ranking, "nDCG@10", pair["ndcg"], ChanceText(pair["p"].get<double>()));
    add(ranking, "MRR", pair["mrr"], "");
    add(ranking, "recall@100", pair["recall"], "");
  }
  table.AddRow({"bm25", "nDCG@10", Hundredfold(first["bm25"]["ndcg"]),
                Hundredfold(first["bm25"]["ndcg"]), "", ""});
  return absl::StrCat(CollectionText(first), table.ToString());
}

// Returns a table of two models on the questions that both can answer. `first`
// and `second` are the results of each model alone.
std::string PairedTable(const Json& compared, const Json& first,
                        const Json& second) {
  TextTable table("lrrrrr");
  table.AddRow({"section", "asked", "A", "B", "B - A", "p"});
  uint64_t both = 0;  // Questions of the last row, the total.
  for (const Json& section : compared["sections"]) {
    both = section["asked"].get<uint64_t>();
    const auto a = section["correct"][0].get<uint64_t>();
    const auto b = section["correct"][1].get<uint64_t>();
    const double more = static_cast<double>(b) - static_cast<double>(a);
    table.AddRow(
        {SectionName(section), Thousands(both), Percent(a, both),
         Percent(b, both),
         both == 0
             ? "-"
             : absl::StrFormat("%+.1f", 100 * more / static_cast<double>(both)),
         both == 0 ? "-" : ChanceText(section["p"].get<double>())});
  }
  return absl::StrCat(
      compared["file"].get<std::string>(), "\n", table.ToString(),
      "asked of A ", Thousands(CountsOf(first["all"]).asked), ", of B ",
      Thousands(CountsOf(second["all"]).asked), ", of both ", Thousands(both),
      " of ", Counted(CountsOf(first["all"]).total, "question"), "\n");
}

std::string PairedSimilarityTable(const Json& files) {
  TextTable table("lrrrrr");
  table.AddRow({"similarity", "asked", "A", "B", "B - A", "p"});
  for (const Json& file : files) {
    const Json& a = file["spearman"][0];
    const Json& b = file["spearman"][1];
    const bool known = !a.is_null() && !b.is_null();
    table.AddRow(
        {file["file"].get<std::string>(),
         Thousands(file["asked"].get<uint64_t>()), NumberText(a, "%.4f"),
         NumberText(b, "%.4f"),
         known ? absl::StrFormat("%+.4f", b.get<double>() - a.get<double>())
               : "-",
         known ? ChanceText(file["p"].get<double>()) : "-"});
  }
  return table.ToString();
}

}  // namespace

std::string AnalogyTable(const Json& file) {
  TextTable table("lrrrrrr");
  table.AddRow({"section", "correct", "asked", "total", "accuracy", "coverage",
                "95% interval"});
  std::string wrong;
  for (const Json& section : file["sections"]) {
    AddCounts(SectionName(section), CountsOf(section), &table);
    wrong += WrongText(section);
  }
  AddSubtotals(file["sections"], &table);
  AddCounts("total", CountsOf(file["all"]), &table);
  return absl::StrCat(file["file"].get<std::string>(), "\n", table.ToString(),
                      wrong);
}

std::string EvaluationText(const Json& answer,
                           const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  const Json& compared = answer["compared"];
  const Json& tests = compared.is_null() ? answer : compared;
  if (!compared.is_null()) {
    parts.push_back(absl::StrCat("A  ", names[0], "\nB  ", names[1], "\n"));
  }
  for (size_t i = 0; i < tests["analogies"].size(); ++i) {
    const Json& first = answer["analogies"][i];
    parts.push_back(compared.is_null()
                        ? AnalogyTable(first)
                        : PairedTable(compared["analogies"][i], first,
                                      answer["other"]["analogies"][i]));
  }
  if (!tests["similarity"].empty()) {
    parts.push_back(compared.is_null()
                        ? SimilarityTable(answer["similarity"])
                        : PairedSimilarityTable(compared["similarity"]));
  }
  if (!tests["sts"].empty()) {
    parts.push_back(compared.is_null() ? StsTable(answer["sts"])
                                       : PairedStsTable(compared["sts"]));
  }
  for (size_t i = 0; i < tests["retrieval"].size(); ++i) {
    const Json& first = answer["retrieval"][i];
    parts.push_back(compared.is_null() ? RetrievalTable(first)
                                       : PairedRetrievalTable(
                                             compared["retrieval"][i], first));
  }
  return absl::StrJoin(parts, "\n");
}

bool IsFolded(const Json& answer) {
  const auto is_folded = [](const Json& file) {
    return file["folded"].get<bool>();
  };
  const auto any_is_folded = [&](const Json& model) {
    for (const char* kind : {"analogies", "similarity", "sts", "retrieval"}) {
      if (absl::c_any_of(model[kind], is_folded)) return true;
    }
    return false;
  };
  return any_is_folded(answer) ||
         (!answer["other"].is_null() && any_is_folded(answer["other"]));
}

std::string TranslationTable(const TranslationResult& result) {
  TextTable table("lrrrr");
  table.AddRow(
      {"translation", "correct", "asked", "precision", "95% interval"});
  for (size_t k = 0; k < result.correct.size(); ++k) {
    table.AddRow({absl::StrCat("@", TranslationResult::kRanks[k]),
                  Thousands(result.correct[k]), Thousands(result.asked),
                  Percent(result.correct[k], result.asked),
                  IntervalOf(result.correct[k], result.asked)});
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
