// Models and scores that KenLM computed, in $FIRTH_DATA/golden/kenlm.

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/mapped_file.h"
#include "corpus/byte_source.h"
#include "firth/counting_model.h"
#include "gtest/gtest.h"
#include "lm/model/language_model_options.h"
#include "lm/model/text_words.h"
#include "lm/ngram/ngram_file.h"
#include "support/temp_files.h"

namespace firth {
namespace {

constexpr double kTolerance = 1e-5;  // of log10

struct Golden {
  const char* name;
  const char* text;
  int order;
  bool interpolate_unigrams;
  double perplexity;  // including unknown words
};

constexpr Golden kGolden[] = {
    {"wiki.2", "wiki", 2, true, 529.4033978623333},
    {"wiki.3", "wiki", 3, true, 516.2716739154076},
    {"wiki.5", "wiki", 5, true, 512.0501720748781},
    {"demo.3", "demo", 3, true, 53.35918581744859},
    {"wiki.3.no-interpolated-unigrams", "wiki", 3, false, 37.485301193110345},
};

class KenlmGoldenTest : public testing::TestWithParam<Golden> {
 protected:
  void SetUp() override {
    const char* const data = std::getenv("FIRTH_DATA");
    if (data == nullptr) GTEST_SKIP() << "$FIRTH_DATA is not set";
    folder_ = absl::StrCat(data, "/golden/kenlm/");
  }

  NgramModelData ReadModel(const std::string& path) {
    const auto file = MappedFile::Open(path);
    EXPECT_EQ(file.status(), absl::OkStatus());
    auto model = ReadArpa(*file);
    EXPECT_EQ(model.status(), absl::OkStatus());
    return *std::move(model);
  }
  NgramModelData Expected() {
    return ReadModel(absl::StrCat(folder_, GetParam().name, ".arpa.gz"));
  }

  LanguageModel Train() {
    CorpusOptions reading;
    reading.inputs = {absl::StrCat(folder_, GetParam().text, ".train.txt")};
    const auto text = ReadCorpus(reading, {.min_count = 1});
    EXPECT_EQ(text.status(), absl::OkStatus());
    CountingTraining training;
    training.order = GetParam().order;
    training.vocabulary.min_count = 1;
    training.interpolate_unigrams = GetParam().interpolate_unigrams;
    training.discount_fallback = true;
    auto trained = TrainCountingModel(*text, training);
    EXPECT_EQ(trained.status(), absl::OkStatus());
    report_ = trained->report;
    return std::move(trained->model);
  }

  std::string folder_;
  CountingReport report_;
};

std::string ReadCompressed(const std::string& path) {
  const auto source = OpenByteSource(path, nullptr);
  EXPECT_EQ(source.status(), absl::OkStatus());
  std::string bytes;
  std::string block(1 << 16, '\0');
  for (size_t read = 1; read > 0;) {
    read = (*source)->Read(absl::MakeSpan(block)).value_or(0);
    bytes.append(block, 0, read);
  }
  return bytes;
}

using Values = std::map<std::string, std::pair<float, float>>;

// Adds log10 p and backoffs of the n-grams below a node, by their words.
void Collect(const NgramModelData& model, uint32_t node,
             const std::string& words, Values* values) {
  const NgramArrays& arrays = model.trie.arrays();
  for (uint32_t i = arrays.children[node]; i < arrays.children[node + 1]; ++i) {
    const std::string here =
        absl::StrCat(words, " ", model.words.Word(ToWordId(arrays.words[i])));
    const bool inner = model.trie.IsInner(i);
    (*values)[here] = {arrays.log_probabilities[i],
                       inner ? arrays.backoffs[i] : 0};
    if (inner) Collect(model, i, here, values);
  }
}

TEST_P(KenlmGoldenTest, TheModelIsTheSame) {
  const TempFolder folder;
  const std::string path = folder.File("lm.arpa");
  ASSERT_EQ(Train().Save(path), absl::OkStatus());
  Values found;
  Values expected;
  Collect(ReadModel(path), NgramTrie::kRoot, "", &found);
  Collect(Expected(), NgramTrie::kRoot, "", &expected);
  ASSERT_GT(expected.size(), 7000u);
  ASSERT_EQ(found.size(), expected.size());
  for (auto own = found.begin(); const auto& [words, values] : expected) {
    ASSERT_EQ(own->first, words);
    EXPECT_NEAR(own->second.first, values.first, kTolerance) << words;
    EXPECT_NEAR(own->second.second, values.second, kTolerance) << words;
    ++own;
  }
}

TEST_P(KenlmGoldenTest, TheDiscountsAreTheSame) {
  Train();
  const auto file = MappedFile::Open(
      absl::StrCat(folder_, GetParam().text, ".discounts.txt"));
  ASSERT_EQ(file.status(), absl::OkStatus());
  int compared = 0;
  for (const absl::string_view line :
       absl::StrSplit((*file)->bytes(), '\n', absl::SkipEmpty())) {
    // "wiki order 3: 2 5918 D1=0.832159 D2=1.23448 D3+=1.85512"
    const std::vector<absl::string_view> fields = absl::StrSplit(line, ' ');
    ASSERT_EQ(fields.size(), 8u) << line;
    if (fields[2] != absl::StrCat(GetParam().order, ":")) continue;
    int n = 0;
    uint64_t ngrams = 0;
    ASSERT_TRUE(absl::SimpleAtoi(fields[3], &n));
    ASSERT_TRUE(absl::SimpleAtoi(fields[4], &ngrams));
    const CountingReport::Order& order = report_.orders[n - 1];
    // Of unigrams, KenLM also counts <s> and <unk>.
    EXPECT_EQ(order.counted + (n == 1 ? 2 : 0), ngrams);
    for (size_t i = 0; i < 3; ++i) {
      const std::vector<absl::string_view> parts =
          absl::StrSplit(fields[5 + i], '=');
      double discount = 0;
      ASSERT_TRUE(absl::SimpleAtod(parts[1], &discount));
      EXPECT_NEAR(order.discounts[i], discount, kTolerance) << line;
    }
    ++compared;
  }
  EXPECT_EQ(compared, GetParam().order);
}

// The scores are "word=id n log10 p", separated by tabs, where n is the order
// of the n-gram that was found.
TEST_P(KenlmGoldenTest, TheScoresAreTheSame) {
  const NgramModelData model = Expected();
  const std::string scores =
      ReadCompressed(absl::StrCat(folder_, GetParam().name, ".scores.txt.gz"));
  const uint32_t start = NgramTrie::NodeOf(kBeginSentenceId);
  uint32_t context = start;
  int tokens = 0;
  for (const absl::string_view score :
       absl::StrSplit(scores, '\t', absl::SkipWhitespace())) {
    const size_t equal = score.rfind('=');
    const absl::string_view word = score.substr(0, equal);
    const std::vector<absl::string_view> values =
        absl::StrSplit(absl::StripAsciiWhitespace(score.substr(equal)), ' ');
    ASSERT_EQ(values.size(), 3u) << score;
    int order = 0;
    double expected = 0;
    ASSERT_TRUE(absl::SimpleAtoi(values[1], &order));
    ASSERT_TRUE(absl::SimpleAtod(values[2], &expected));
    const bool ends = word == "</s>";
    const NgramTrie::Step step = model.trie.Read(
        context, ends ? kEndSentenceId : PredictedIdOf(model.words, word));
    EXPECT_NEAR(step.log_probability, expected, kTolerance) << score;
    EXPECT_EQ(model.trie.OrderOf(step.node), order) << score;
    context = ends ? start : step.context;
    ++tokens;
  }
  EXPECT_GT(tokens, 500);
}

TEST_P(KenlmGoldenTest, ThePerplexityIsTheSame) {
  CorpusOptions reading;
  reading.inputs = {absl::StrCat(folder_, GetParam().text, ".test.txt")};
  const auto text = ReadCorpus(reading, {.min_count = 1});
  ASSERT_EQ(text.status(), absl::OkStatus());
  LanguageModel model = Train();
  const auto measured = model.Measure(*text);
  ASSERT_EQ(measured.status(), absl::OkStatus());
  EXPECT_NEAR(std::exp(measured->forward.loss) / GetParam().perplexity, 1,
              1e-5);
}

INSTANTIATE_TEST_SUITE_P(Models, KenlmGoldenTest, testing::ValuesIn(kGolden),
                         [](const testing::TestParamInfo<Golden>& info) {
                           std::string name = info.param.name;
                           std::erase_if(
                               name, [](char c) { return !std::isalnum(c); });
                           return name;
                         });

}  // namespace
}  // namespace firth
