#include "lm/ngram/ngram_file.h"

#include <atomic>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "firth/counting_model.h"
#include "firth/language_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/compress.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::HasSubstr;

// p(b | <s>) and p(</s> | a b) are in the file; a b </s> lacks its suffix b
// </s>.
constexpr char kArpa[] = R"(\data\
ngram 1=5
ngram 2=3
ngram 3=1

\1-grams:
-1	<unk>
-99	<s>	-0.25
-0.5	</s>
-0.5	a	-0.5
-0.75	b	-0.125

\2-grams:
-0.25	<s> a	0
-0.375	a b	-0.0625
-0.5	<s> b

\3-grams:
-0.125	a b </s>

\end\
)";

class ArpaTest : public testing::Test {
 protected:
  absl::StatusOr<LanguageModel> Load(const std::string& bytes) {
    return LanguageModel::Load(folder_.Write("lm.arpa", bytes));
  }
  std::string path() const { return folder_.File("lm.arpa"); }
  std::string Replaced(const std::string& from, const std::string& to) {
    const std::string text = kArpa;
    EXPECT_NE(text.find(from), text.npos) << from;
    return absl::StrReplaceAll(text, {{from, to}});
  }
  // Returns log10 p of each token of a sentence.
  static std::vector<double> Scores(LanguageModel& model,
                                    const LanguageModel::Sentence& sentence) {
    std::vector<double> scores;
    const auto tokens = model.TokenScores({{sentence}});
    EXPECT_EQ(tokens.status(), absl::OkStatus());
    for (const TokenScore& token : (*tokens)[0]) {
      scores.push_back(token.log_probability / std::log(10));
    }
    return scores;
  }

  TempFolder folder_;
};

void ExpectScores(const std::vector<double>& found,
                  const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
  }
}

TEST_F(ArpaTest, TheRecursionOfBackoffModelsGivesTheScores) {
  auto model = Load(kArpa);
  ASSERT_EQ(model.status(), absl::OkStatus());
  // <s> a; a b; a b </s>
  ExpectScores(Scores(*model, {"a", "b"}), {-0.25, -0.375 + 0, -0.125});
  // <s> b; b a by way of b; then a </s> by way of a
  ExpectScores(Scores(*model, {"b", "a"}), {-0.5, -0.125 - 0.5, -0.5 - 0.5});
  // a b has no b a, nor is there b a; x is unknown
  ExpectScores(Scores(*model, {"a", "b", "a", "x"}),
               {-0.25, -0.375, -0.0625 - 0.125 - 0.5, -0.5 - 1, -0.5});
}

TEST_F(ArpaTest, OtherSpacesOrdersAndNamesMakeNoDifference) {
  auto expected = Load(kArpa);
  ASSERT_EQ(expected.status(), absl::OkStatus());
  const std::pair<const char*, std::string> cases[] = {
      {"CR LF", absl::StrReplaceAll(kArpa, {{"\n", "\r\n"}})},
      {"spaces", absl::StrReplaceAll(kArpa, {{"\t", "  "}})},
      {"blank lines", absl::StrReplaceAll(kArpa, {{"\n", "\n\n"}})},
      {"a title", absl::StrCat("made by hand\n\n", kArpa)},
      {"names in capitals",
       absl::StrReplaceAll(
           kArpa, {{"<s>", "<S>"}, {"</s>", "</S>"}, {"<unk>", "<UNK>"}})},
      {"another order of n-grams",
       Replaced("-0.25\t<s> a\t0\n-0.375\ta b\t-0.0625\n-0.5\t<s> b\n",
                "-0.5\t<s> b\n-0.375\ta b\t-0.0625\n-0.25\t<s> a\t0\n")},
      {"no line end", Replaced("\\end\\\n", "\\end\\")},
      {"gzip", Gzip(kArpa)},
      {"bzip2", Bzip2(kArpa)},
      {"xz", Xz(kArpa)},
      {"zstd", Zstd(kArpa)},
  };
  for (const auto& [name, bytes] : cases) {
    SCOPED_TRACE(name);
    auto model = Load(bytes);
    ASSERT_EQ(model.status(), absl::OkStatus());
    for (const LanguageModel::Sentence& sentence :
         {LanguageModel::Sentence{"a", "b"}, {"b", "a", "b", "x"}, {}}) {
      ExpectScores(Scores(*model, sentence), Scores(*expected, sentence));
    }
  }
}

TEST_F(ArpaTest, WithoutUnknownWordTheyAreAlmostImpossible) {
  auto model = Load(absl::StrReplaceAll(
      kArpa, {{"ngram 1=5", "ngram 1=4"}, {"-1\t<unk>\n", ""}}));
  ASSERT_EQ(model.status(), absl::OkStatus());
  ExpectScores(Scores(*model, {"x"}), {-0.25 - 100, -0.5});
}

TEST_F(ArpaTest, IsReadAsItWasWritten) {
  ASSERT_EQ(Load(kArpa)->Save(path()), absl::OkStatus());
  const std::string written = ReadWholeFile(path());
  auto again = LanguageModel::Load(path());
  ASSERT_EQ(again.status(), absl::OkStatus());
  const std::string other = folder_.File("other.arpa");
  ASSERT_EQ(again->Save(other), absl::OkStatus());
  EXPECT_EQ(ReadWholeFile(other), written);
  EXPECT_THAT(written, HasSubstr("\n\\2-grams:\n-0.25\t<s> a\t0\n"
                                 "-0.5\t<s> b\t0\n-0.375\ta b\t-0.0625\n\n"));
}

TEST_F(ArpaTest, BothFormatsHoldTheSameModel) {
  const std::string arpa = folder_.File("a.arpa");
  const std::string tensors = folder_.File("a.safetensors");
  const std::string back = folder_.File("b.arpa");
  ASSERT_EQ(Load(kArpa)->Save(arpa), absl::OkStatus());
  ASSERT_EQ(ConvertCountingModel(arpa, tensors), absl::OkStatus());
  ASSERT_EQ(ConvertCountingModel(tensors, back), absl::OkStatus());
  EXPECT_EQ(ReadWholeFile(back), ReadWholeFile(arpa));
  const std::string text = folder_.Write("text", "neither\n");
  EXPECT_THAT(ConvertCountingModel(text, back).message(),
              HasSubstr(absl::StrCat(text, ": expected an ARPA file")));
}

TEST_F(ArpaTest, AnInterruptLeavesNoFile) {
  auto model = Load(kArpa);
  ASSERT_EQ(model.status(), absl::OkStatus());
  const std::atomic<bool> stop = true;
  for (const char* name : {"stopped.arpa", "stopped.arpa.gz"}) {
    const std::string file = folder_.File(name);
    EXPECT_EQ(model->Save(file, {nullptr, &stop}).code(),
              absl::StatusCode::kCancelled);
    EXPECT_FALSE(std::filesystem::exists(file));
  }
}

TEST_F(ArpaTest, WordsWithSpacesAndAdditiveSmoothingCannotBeWritten) {
  const std::vector<std::vector<std::string>> sentences = {{"New York", "a"}};
  CorpusOptions reading;
  reading.sentences = SentencesIn(sentences);
  const auto text = ReadCorpus(reading, {.min_count = 1});
  ASSERT_EQ(text.status(), absl::OkStatus());
  CountingTraining training;
  training.order = 2;
  training.vocabulary.min_count = 1;
  training.discount_fallback = true;
  auto spaces = TrainCountingModel(*text, training);
  ASSERT_EQ(spaces.status(), absl::OkStatus());
  EXPECT_THAT(spaces->model.Save(path()).message(), HasSubstr("New York"));
  training.smoothing = CountSmoothing::kAddK;
  auto additive = TrainCountingModel(*text, training);
  ASSERT_EQ(additive.status(), absl::OkStatus());
  EXPECT_THAT(additive->model.Save(path()).message(),
              HasSubstr("an ARPA file cannot express add-k"));
}

struct Broken {
  const char* name;
  std::string bytes;
  const char* message;  // after the path
};

TEST_F(ArpaTest, BrokenFilesAreRejectedWithTheirLine) {
  const std::string text = kArpa;
  const Broken cases[] = {
      {"count too large", Replaced("ngram 2=3", "ngram 2=4"),
       ":18: expected 4 2-grams, as the header states, found 3"},
      {"count too small", Replaced("ngram 2=3", "ngram 2=2"),
       ":16: expected 2 2-grams, as the header states, found more"},
      {"huge count", Replaced("ngram 2=3", "ngram 2=99999999999999999999"),
       ":3: expected \"ngram ORDER=COUNT\", found \"ngram 2=9999999999"},
      {"order missing", Replaced("ngram 2=3\n", ""),
       ":3: expected \"ngram 2=COUNT\", found \"ngram 3=1\""},
      {"no orders", "\\data\\\n\\end\\\n",
       ":2: expected \"ngram 1=COUNT\", found \"\\\\end\\\\\""},
      {"section missing",
       Replaced("\\2-grams:\n-0.25\t<s> a\t0\n-0.375\ta b\t-0.0625\n-0.5\t<s> "
                "b\n\n",
                ""),
       ":13: expected \\2-grams:, found \"\\\\3-grams:\""},
      {"too high an order",
       Replaced("ngram 3=1",
                "ngram 3=1\nngram 4=1\nngram 5=1\n"
                "ngram 6=1\nngram 7=1\nngram 8=1\n"
                "ngram 9=1"),
       ":10: n-grams of more than 8 words are not supported"},
      {"backoff missing", Replaced("a b\t-0.0625", "a b"),
       ":19: \"a b </S>\" without its last word has no backoff weight"},
      {"positive log10 p", Replaced("-0.375\ta b", "0.375\ta b"),
       ":15: expected log10 of a probability, at most 0, found 0.375"},
      {"NaN", Replaced("-0.375\ta b", "nan\ta b"),
       ":15: expected log10 of a probability, found \"nan\""},
      {"infinite", Replaced("-0.375\ta b", "-inf\ta b"),
       ":15: expected log10 of a probability, found \"-inf\""},
      {"NaN as backoff", Replaced("a b\t-0.0625", "a b\tnan"),
       ":15: expected log10 of a backoff weight after 2 words, found \"nan\""},
      {"word twice", Replaced("-0.75\tb", "-0.75\ta"),
       ":11: the word \"a\" occurs twice"},
      {"mark twice", Replaced("-0.75\tb", "-0.75\t<S>"),
       ":11: the word \"<S>\" occurs twice"},
      {"n-gram twice", Replaced("<s> b", "a b"),
       ":16: \"a b\" also occurs in line 15"},
      {"unknown word", Replaced("<s> b", "<s> c"),
       ":16: the word \"c\" is not among the unigrams"},
      {"word missing", Replaced("-0.5\t<s> b", "-0.5\t<s>"),
       ":16: expected 2 words, found 1"},
      {"word too many", Replaced("-0.125\ta b </s>", "-0.125\ta b </s> a"),
       ":19: expected nothing after 3 words, found \"a\""},
      {"field too many", Replaced("a b\t-0.0625", "a b\t-0.0625 a"),
       ":15: expected the end of the line, found \"a\""},
      {"context missing", Replaced("a b </s>", "b a </s>"),
       ":19: \"b a </S>\" without its last word is not among the 2-grams"},
      {"no <s>", absl::StrReplaceAll(text, {{"<s>", "s"}}),
       ":13: expected a unigram <s>"},
      {"no \\end\\", Replaced("\\end\\\n", ""),
       ":20: expected \\end\\, found the end of the file"},
      {"truncated in a section", text.substr(0, text.find("\ta b\t")),
       ":15: expected 2 words, found 0"},
      {"truncated after a section", text.substr(0, text.find("\\3-grams")),
       ":17: expected \\3-grams:, found the end of the file"},
      {"truncated after \\data\\", "\\data\\\n",
       ":1: expected \"ngram 1=COUNT\", found the end of the file"},
      {"truncated compression", Gzip(text).substr(0, 120),
       ": truncated or corrupt gzip data: the file ends at byte 120"},
      {"truncated zstd", Zstd(text).substr(0, 120),
       ": truncated or corrupt zstd data: the file ends at byte 120"},
  };
  for (const Broken& broken : cases) {
    const auto model = Load(broken.bytes);
    EXPECT_FALSE(model.ok()) << broken.name;
    EXPECT_THAT(model.status().message(),
                HasSubstr(absl::StrCat(path(), broken.message)))
        << broken.name << ": " << model.status();
  }
}

}  // namespace
}  // namespace firth
