// Small texts read as a plan says, and what came of them.

#ifndef FIRTH_TESTS_SUPPORT_READ_PLANS_H_
#define FIRTH_TESTS_SUPPORT_READ_PLANS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "corpus/token_stream.h"
#include "gtest/gtest.h"
#include "vocab/corpus_reader.h"

namespace firth {

inline ReadPlan PlanFor(absl::string_view text, uint64_t min_count = 1) {
  ReadPlan plan;
  plan.options.text = text;
  plan.options.memory_bytes = uint64_t{1} << 30;
  plan.vocabulary_options.min_count = min_count;
  return plan;
}

inline Corpus Read(const ReadPlan& plan) {
  auto corpus = ReadAsPlanned(plan, {});
  EXPECT_TRUE(corpus.ok()) << corpus.status();
  return corpus.ok() ? *std::move(corpus) : Corpus{};
}

// The stream as text again: one line per sentence, even if it is empty.
inline std::string TextOf(const Corpus& corpus) {
  std::string text;
  for (const uint32_t id : corpus.tokens->tokens()) {
    if (id == TokenStream::kSentenceEnd) {
      if (!text.empty() && text.back() == ' ') text.pop_back();
      text.push_back('\n');
    } else {
      text.append(std::string(corpus.vocabulary.Word(ToWordId(id))) + " ");
    }
  }
  return text;
}

inline std::vector<std::pair<std::string, uint64_t>> CountsOf(
    const Vocabulary& vocabulary) {
  std::vector<std::pair<std::string, uint64_t>> counts;
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    counts.emplace_back(vocabulary.Word(ToWordId(i)),
                        vocabulary.Count(ToWordId(i)));
  }
  return counts;
}

inline void ExpectAccounted(const CorpusReport& report) {
  EXPECT_EQ(report.tokens,
            report.words_kept + report.dropped_min_count +
                report.dropped_max_vocab + report.dropped_pruned +
                report.dropped_not_given + report.dropped_too_long);
}

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_READ_PLANS_H_
