// Advice after a training: one line, on what stands out most.

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "firth/vector_training.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

struct AdviceCase {
  std::string name;
  uint64_t tokens;
  uint64_t kept;
  uint64_t bytes_per_token;
  std::string options;  // JSON
  double loss;          // at the start it is 6 ln 2 = 4.16
  std::string advice;
};

const AdviceCase kAdviceCases[] = {
    {"enough text", 5'000'000, 4'900'000, 6, "{}", 2.5, ""},
    {"a novel", 191'552, 150'000, 7, "{}", 3.5,
     "the text is small (150,000 words); --preset small is meant for such "
     "texts"},
    {"one with the preset", 191'552, 150'000, 7, R"({"preset": "small"})", 2.5,
     ""},
    {"too few epochs", 3'000'000, 2'900'000, 6, "{}", 2.5,
     "the text is small (2,900,000 words); --epochs 7 gives better vectors"},
    {"enough epochs", 3'000'000, 2'900'000, 6, R"({"epochs": 7})", 2.5, ""},
    {"Chinese", 85'000, 1'000, 85, "{}", 4.1,
     "only 1.2% of the tokens belong to words that are frequent enough to be "
     "kept; --split-punctuation finds the words in text without spaces, such "
     "as Chinese"},
    {"long tokens that were split", 85'000, 1'000, 85,
     R"({"split-punctuation": true})", 4.1,
     "only 1.2% of the tokens belong to words that are frequent enough to be "
     "kept; --preset small keeps rarer words (--min-count)"},
    {"rare words", 9'000, 2'000, 7, "{}", 4.1,
     "only 22.2% of the tokens belong to words that are frequent enough to be "
     "kept; --preset small keeps rarer words (--min-count)"},
    {"rare words with the preset", 9'000, 2'000, 7, R"({"preset": "small"})",
     4.1,
     "only 22.2% of the tokens belong to words that are frequent enough to be "
     "kept; --min-count 1 keeps all words"},
    {"nothing learned of much", 9'000'000, 8'000'000, 6, "{}", 4.15,
     "the loss hardly changed (from 4.16 to 4.15); try more --epochs or a "
     "higher --learning-rate"},
    {"nothing learned of little", 9'000, 8'000, 6, R"({"preset": "small"})",
     4.15,
     "the loss hardly changed (from 4.16 to 4.15); try more --epochs or a "
     "higher --learning-rate"},
    {"a loss without a known start", 9'000'000, 8'000'000, 6,
     R"({"loss": "hs"})", 14, ""},
};

class TrainingAdviceTest : public testing::Test {
 protected:
  static std::string AdviceFor(const AdviceCase& c) {
    const absl::StatusOr<VectorTraining> options =
        ReadVectorTraining(c.options);
    EXPECT_TRUE(options.ok()) << options.status();
    CorpusReport corpus;
    corpus.tokens = c.tokens;
    corpus.words_kept = c.kept;
    corpus.dropped_min_count = c.tokens - c.kept;
    corpus.bytes = c.tokens * c.bytes_per_token;
    corpus.types_kept = 1000;
    return TrainingAdvice(*options, corpus, Report(c.loss));
  }
  static TrainReport Report(double loss) {
    EpochReport epoch;
    epoch.loss = loss;
    epoch.examples = 1;
    TrainReport report;
    report.epochs.push_back(epoch);
    return report;
  }
};

TEST_F(TrainingAdviceTest, NamesWhatStandsOutAndTheOptions) {
  for (const AdviceCase& c : kAdviceCases) {
    EXPECT_EQ(AdviceFor(c), c.advice) << c.name;
  }
}

TEST_F(TrainingAdviceTest, SaysNothingWhereTheUserChoseTheWords) {
  CorpusReport corpus;
  corpus.tokens = 90'000'000;
  corpus.words_kept = 30'000'000;
  corpus.dropped_max_vocab = 40'000'000;
  corpus.dropped_not_given = 20'000'000;
  EXPECT_EQ(TrainingAdvice({}, corpus, Report(2.5)), "");
}

TEST_F(TrainingAdviceTest, SaysNothingOfATrainingThatDidNotEnd) {
  TrainReport report = Report(4.15);
  EXPECT_NE(TrainingAdvice({}, {}, report), "");
  report.interrupted = true;
  EXPECT_EQ(TrainingAdvice({}, {}, report), "");
  EXPECT_EQ(TrainingAdvice({}, {}, TrainReport()), "");
}

}  // namespace
}  // namespace firth
