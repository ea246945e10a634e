#include "firth/counting_model.h"

#include <atomic>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/rng.h"
#include "corpus/token_stream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/ngram/plain_ngram_model.h"
#include "lm/read/text_model.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Sentences in which some words follow others more often than by chance.
std::string RandomText(int sentences, uint32_t words, uint64_t seed) {
  std::string text;
  for (int i = 0; i < sentences; ++i) {
    Rng rng(CombineKeys(seed, static_cast<uint64_t>(i)));
    uint32_t word = rng.Below(words);
    const uint32_t length = 1 + rng.Below(9);
    for (uint32_t k = 0; k < length; ++k) {
      absl::StrAppend(&text, k == 0 ? "" : " ", "w", word);
      // Rare words, so that there are words with counts of 1, 2 and 3.
      if (rng.Below(12) == 0) absl::StrAppend(&text, " r", rng.Below(40));
      const uint32_t most = 1 + rng.Below(words);
      word = rng.Below(3) == 0 ? rng.Below(most) : (word * 5 + 1) % words;
    }
    text += "\n";
  }
  return text;
}

Corpus Read(const std::string& text) {
  CorpusOptions options;
  options.text = text;
  options.threads = 1;
  auto corpus = ReadCorpus(options, {.min_count = 1});
  EXPECT_EQ(corpus.status(), absl::OkStatus());
  return *std::move(corpus);
}

CountingTraining Training(int order) {
  CountingTraining training;
  training.order = order;
  training.vocabulary.min_count = 1;
  training.discount_fallback = true;
  return training;
}

struct Case {
  const char* name;
  CountingTraining training;
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const auto& [name, order] : {std::pair("kneser-ney 1", 1),
                                    {"kneser-ney 2", 2},
                                    {"kneser-ney 3", 3},
                                    {"kneser-ney 5", 5}}) {
    cases.push_back({name, Training(order)});
  }
  cases.push_back({"pruned", Training(4)});
  cases.back().training.prune = {0, 1, 2};
  cases.push_back({"rare words are unknown", Training(3)});
  cases.back().training.vocabulary.min_count = 12;
  cases.push_back({"frequent words only", Training(3)});
  cases.back().training.vocabulary.max_vocab = 10;
  for (const int order : {1, 3}) {
    cases.push_back({"add-k", Training(order)});
    cases.back().training.smoothing = CountSmoothing::kAddK;
    cases.back().training.add_k = 0.3;
    cases.push_back({"stupid backoff", Training(order)});
    cases.back().training.smoothing = CountSmoothing::kStupidBackoff;
  }
  return cases;
}

LanguageModel Train(const std::string& text, const CountingTraining& training) {
  auto trained = TrainCountingModel(Read(text), training);
  EXPECT_EQ(trained.status(), absl::OkStatus());
  return std::move(trained->model);
}

// The words that a model trained on this text predicts.
std::set<std::string> Predicted(const std::string& text,
                                const VocabularyOptions& options) {
  std::set<std::string> words = {"</s>", "<unk>"};
  const Corpus corpus = Read(text);
  for (size_t i = 0; i < corpus.vocabulary.size(); ++i) {
    if (options.max_vocab > 0 && i >= options.max_vocab) break;
    if (corpus.vocabulary.Count(ToWordId(i)) < options.min_count) break;
    words.insert(std::string(corpus.vocabulary.Word(ToWordId(i))));
  }
  return words;
}

// Returns p of every word after the beginning of a sentence, by the words' own
// spelling in `plain`.
std::map<std::string, double> NextWords(LanguageModel& model,
                                        const std::vector<std::string>& begin) {
  GenerateOptions options;
  options.prompt = begin;
  options.unknown = true;
  const auto next = TextModel::Of(model).Continue(options);
  EXPECT_EQ(next.status(), absl::OkStatus());
  const auto row = (*next)->Start();
  EXPECT_EQ(row.status(), absl::OkStatus());
  std::map<std::string, double> probabilities;
  for (uint32_t w = 0; w < row->cols(); ++w) {
    std::string word = (*next)->Text({&w, 1}).back();
    if (word == "<S>") {
      EXPECT_TRUE(std::isinf(row->Row(0)[w]));
      continue;
    }
    if (word == "</S>") word = "</s>";
    if (word == "<UNK>") word = "<unk>";
    probabilities[word] = std::exp(double{row->Row(0)[w]});
  }
  return probabilities;
}

TEST(CountingModelTest, ProbabilitiesAreThoseOfTheFormulas) {
  const std::string text = RandomText(150, 30, 1);
  const std::vector<std::vector<std::string>> beginnings = {
      {},
      {"w1"},
      {"w1", "w6"},
      {"w3", "w16", "w21"},
      {"w0", "w1", "w6", "w1", "w6"},
      {"w2", "never", "w2"},
      {"w29", "w29", "w29", "w29"}};
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    LanguageModel model = Train(text, c.training);
    const PlainNgramModel plain(text, Predicted(text, c.training.vocabulary),
                                c.training);
    for (const std::vector<std::string>& begin : beginnings) {
      std::vector<std::string> context = {"<s>"};
      for (const auto& word : begin) context.push_back(plain.Known(word));
      const auto found = NextWords(model, begin);
      ASSERT_EQ(found.size(), plain.vocabulary().size());
      for (const auto& [word, probability] : found) {
        const double expected = plain.Probability(word, context);
        EXPECT_NEAR(probability, expected, 2e-6 * expected)
            << word << " after " << absl::StrJoin(context, " ");
      }
    }
  }
}

TEST(CountingModelTest, ProbabilitiesOfAllWordsSumToOne) {
  const std::string text = RandomText(200, 40, 2);
  for (const Case& c : Cases()) {
    if (c.training.smoothing == CountSmoothing::kStupidBackoff) continue;
    SCOPED_TRACE(c.name);
    LanguageModel model = Train(text, c.training);
    for (uint64_t seed = 0; seed < 30; ++seed) {
      Rng rng(seed);
      std::vector<std::string> begin;
      for (uint32_t length = rng.Below(6); length > 0; --length) {
        begin.push_back(absl::StrCat("w", rng.Below(42)));
      }
      double sum = 0;
      for (const auto& [word, p] : NextWords(model, begin)) sum += p;
      EXPECT_NEAR(sum, 1, 1e-6) << absl::StrJoin(begin, " ");
    }
  }
}

TEST(CountingModelTest, WithoutInterpolatedUnigramsTheUnknownWordGetsTheRest) {
  CountingTraining training = Training(2);
  training.interpolate_unigrams = false;
  LanguageModel model = Train(RandomText(150, 30, 1), training);
  const auto found = NextWords(model, {"never", "never"});
  double sum = 0;
  for (const auto& [word, p] : found) sum += p;
  EXPECT_NEAR(sum, 1, 1e-6);
  training.interpolate_unigrams = true;
  LanguageModel interpolated = Train(RandomText(150, 30, 1), training);
  const auto shared = NextWords(interpolated, {"never", "never"});
  EXPECT_GT(found.at("<unk>"), shared.at("<unk>"));
  EXPECT_LT(found.at("w1"), shared.at("w1"));
}

TEST(CountingModelTest, ScoresAndPerplexityAreSumsOfTheSameProbabilities) {
  const std::string text = RandomText(150, 30, 1);
  const std::string held_out = RandomText(20, 33, 3);
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    LanguageModel model = Train(text, c.training);
    double sum = 0;
    uint64_t tokens = 0;
    uint64_t unknown = 0;
    for (const absl::string_view line :
         absl::StrSplit(held_out, '\n', absl::SkipEmpty())) {
      const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
      const auto scores = model.TokenScores({{words}});
      ASSERT_EQ(scores.status(), absl::OkStatus());
      std::vector<std::string> begin;
      for (size_t i = 0; i <= words.size(); ++i) {
        const auto next = NextWords(model, begin);
        const std::string word(i < words.size() ? words[i] : "</s>");
        const auto found = next.find(word);
        const TokenScore& score = (*scores)[0][i];
        EXPECT_EQ(score.unknown, found == next.end());
        EXPECT_NEAR(score.log_probability,
                    std::log(score.unknown ? next.at("<unk>") : found->second),
                    1e-5);
        sum -= score.log_probability;
        unknown += score.unknown ? 1 : 0;
        ++tokens;
        begin.push_back(word);
      }
    }
    const auto measured = model.Measure(Read(held_out));
    ASSERT_EQ(measured.status(), absl::OkStatus());
    EXPECT_EQ(measured->forward.tokens, tokens);
    EXPECT_EQ(measured->forward.unknown, unknown);
    EXPECT_NEAR(measured->forward.loss, sum / double(tokens), 1e-9);
    EXPECT_EQ(measured->backward.tokens, 0u);
  }
}

TEST(CountingModelTest, MemoryChangesNoByte) {
  const TempFolder folder;
  const Corpus text = Read(RandomText(60000, 900, 5));
  std::vector<std::string> files;
  for (const uint64_t memory : {uint64_t{1} << 30, uint64_t{1} << 20}) {
    CountingTraining training = Training(4);
    training.prune = {0, 0, 1};
    training.memory_bytes = memory;
    training.temp_dir = folder.path();
    auto trained = TrainCountingModel(text, training);
    ASSERT_EQ(trained.status(), absl::OkStatus());
    EXPECT_EQ(trained->report.temporary_bytes > 0, memory < 1 << 30);
    // Temporary files have no names, so nothing can be left behind.
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    const TempFolder models;
    ASSERT_EQ(trained->model.Save(models.File("m")), absl::OkStatus());
    files.push_back(ReadWholeFile(models.File("m")));
  }
  EXPECT_EQ(files[0], files[1]);
}

TEST(CountingModelTest, WordsLikeTheMarksOfArpaFilesAreUnknown) {
  auto trained = TrainCountingModel(
      Read("a <unk> b\na <s> b\n</s> <UNK> <S> a\n"), Training(2));
  ASSERT_EQ(trained.status(), absl::OkStatus());
  EXPECT_EQ(trained->report.vocab_size, 5u);
  EXPECT_EQ(trained->report.unknown_tokens, 5u);
  const auto scores =
      trained->model.Score({{{"a", "<unk>", "<s>", "<S>", "<UNK>", "</S>"}}});
  ASSERT_EQ(scores.status(), absl::OkStatus());
  EXPECT_EQ((*scores)[0].unknown, 5u);
}

TEST(CountingModelTest, ReportsNgramsAndDiscountsOfEachOrder) {
  // All bigrams: <S> a, a b, b </S>, <S> b, b a, a </S>; twice each, but the
  // last three.
  CountingTraining training = Training(2);
  training.prune = {0, 1};
  const auto trained = TrainCountingModel(Read("a b\na b\nb a\n"), training);
  ASSERT_EQ(trained.status(), absl::OkStatus());
  ASSERT_EQ(trained->report.orders.size(), 2u);
  EXPECT_EQ(trained->report.orders[0].counted, 3u);
  EXPECT_EQ(trained->report.orders[0].kept, 3u);
  EXPECT_EQ(trained->report.orders[1].counted, 6u);
  EXPECT_EQ(trained->report.orders[1].kept, 3u);
  EXPECT_THAT(trained->report.orders[1].discounts, ElementsAre(0.5, 1, 1.5));
}

TEST(CountingModelTest, GeneratesWhatIsProbable) {
  CountingTraining training = Training(3);
  LanguageModel model = Train(
      "the cat sat on the mat\nthe cat sat on the hat\na dog ran\n"
      "the cat sat on the mat\n",
      training);
  const auto greedy = model.Generate({});
  ASSERT_EQ(greedy.status(), absl::OkStatus());
  EXPECT_THAT((*greedy)[0].words,
              ElementsAre("the", "cat", "sat", "on", "the", "mat"));
  EXPECT_TRUE((*greedy)[0].ended);
  std::vector<absl::string_view> words((*greedy)[0].words.begin(),
                                       (*greedy)[0].words.end());
  const auto score = model.Score({{words}});
  EXPECT_NEAR((*greedy)[0].log_probability, (*score)[0].log_probability, 1e-5);
  GenerateOptions beam;
  beam.prompt = {"a"};
  beam.beam = 4;
  const auto found = model.Generate(beam);
  ASSERT_EQ(found.status(), absl::OkStatus());
  EXPECT_THAT((*found)[0].words, ElementsAre("a", "dog", "ran"));
}

struct WrongTraining {
  const char* name;
  CountingTraining training;
  absl::StatusCode code;
  const char* message;
};

TEST(CountingModelTest, RejectsWhatItCannotTrain) {
  const TempFolder folder;
  std::vector<WrongTraining> cases;
  const auto add = [&](const char* name, absl::StatusCode code,
                       const char* message) -> CountingTraining& {
    cases.push_back({name, Training(3), code, message});
    return cases.back().training;
  };
  add("order 0", absl::StatusCode::kInvalidArgument,
      "ngram: expected 1 to 8, found 0")
      .order = 0;
  add("order 9", absl::StatusCode::kInvalidArgument,
      "ngram: expected 1 to 8, found 9")
      .order = 9;
  add("pruned words", absl::StatusCode::kInvalidArgument,
      "prune: expected ascending numbers that begin with 0")
      .prune = {1, 2};
  add("descending thresholds", absl::StatusCode::kInvalidArgument,
      "prune: expected ascending numbers")
      .prune = {0, 2, 1};
  add("small text", absl::StatusCode::kFailedPrecondition,
      "the text is too small to estimate the discounts of Kneser-Ney: no "
      "n-gram of order 1 has the count 1; use a lower order")
      .discount_fallback = false;
  for (const WrongTraining& wrong : cases) {
    const auto trained =
        TrainCountingModel(Read("a b\nb a\nb a\n"), wrong.training);
    EXPECT_EQ(trained.status().code(), wrong.code) << wrong.name;
    EXPECT_THAT(trained.status().message(), HasSubstr(wrong.message))
        << wrong.name;
  }
  CountingTraining training = Training(3);
  training.memory_bytes = 1;
  training.temp_dir = folder.File("missing");
  const auto trained =
      TrainCountingModel(Read(RandomText(60000, 900, 5)), training);
  EXPECT_EQ(trained.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(trained.status().message(), HasSubstr(training.temp_dir));
}

TEST(CountingModelTest, RejectsTextsWithoutTokens) {
  CorpusOptions options;
  options.text = "a b c";
  const auto counted = CountWords(options, {.min_count = 1});
  ASSERT_EQ(counted.status(), absl::OkStatus());
  EXPECT_EQ(TrainCountingModel(*counted, Training(2)).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(CountingModelTest, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  const Corpus text = Read(RandomText(100, 30, 1));
  const Hooks hooks = {.stop = &stop};
  EXPECT_EQ(TrainCountingModel(text, Training(3), hooks).status().code(),
            absl::StatusCode::kCancelled);
  LanguageModel model = Train(RandomText(150, 30, 1), Training(3));
  EXPECT_EQ(model.Measure(text, {}, hooks).status().code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(model.Score({{{"w1"}}}, hooks).status().code(),
            absl::StatusCode::kCancelled);
}

TEST(CountingModelTest, CannotDoWhatOnlyNetworksDo) {
  LanguageModel model = Train(RandomText(150, 30, 1), Training(3));
  EXPECT_EQ(model.Fill({"w1", "<MASK>"}, 3).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(model.NextSentence({}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(model.Measure(Read("w1 w2"), {.stateful = true}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace firth
