#include <string>
#include <utility>

#include "base/json.h"
#include "firth/evaluate.h"
#include "nlohmann/json.hpp"

namespace firth {

std::string ReportJson(const AnalogyResult& result) {
  OrderedJson sections = OrderedJson::array();
  for (const AnalogySection& section : result.sections) {
    sections.push_back({{"name", section.name},
                        {"correct", section.correct},
                        {"asked", section.asked},
                        {"total", section.total}});
  }
  const Interval interval = WilsonInterval(result.correct, result.asked);
  const auto correct = static_cast<double>(result.correct);
  const auto asked = static_cast<double>(result.asked);
  return DumpJson(OrderedJson{{"file", result.file},
                              {"correct", result.correct},
                              {"asked", result.asked},
                              {"total", result.total},
                              {"accuracy", correct / asked},
                              {"interval", {interval.low, interval.high}},
                              {"folded", result.folded},
                              {"sections", std::move(sections)}});
}

std::string ReportJson(const SimilarityResult& result) {
  return DumpJson(OrderedJson{{"file", result.file},
                              {"spearman", result.spearman},
                              {"interval", {result.low, result.high}},
                              {"asked", result.asked},
                              {"total", result.total},
                              {"folded", result.folded},
                              {"scores", result.scores},
                              {"cosines", result.cosines}});
}

}  // namespace firth
