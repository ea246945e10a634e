#include "firth/distill.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "firth/embedding_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/model/language_model_file.h"
#include "lm/tiny_language_model.h"
#include "support/corpora.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kText[] = "the cat sat on the mat\nthe cat\n\na dog sat\n";

Corpus Read(const std::string& text) {
  CorpusOptions options;
  options.text = text;
  auto corpus = ReadCorpus(options, VocabularyOptions{.min_count = 1});
  EXPECT_EQ(corpus.status(), absl::OkStatus());
  return *std::move(corpus);
}

std::vector<Contextualizer::Sentence> Lines(absl::string_view text) {
  std::vector<Contextualizer::Sentence> lines;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    lines.push_back(absl::StrSplit(line, ' ', absl::SkipEmpty()));
  }
  lines.pop_back();  // behind the last line end
  return lines;
}

MixWeights Layer(size_t layer, size_t layers) {
  MixWeights mix;
  mix.shares.assign(layers, 0.0);
  mix.shares[layer] = 1;
  return mix;
}

class DistillTest : public testing::Test {
 protected:
  DistillTest() : model(folder.File("lm.safetensors")) {
    EXPECT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kTable), model),
              absl::OkStatus());
  }
  TokenTeacher Teacher() const {
    auto teacher = TokenTeacher::OfModel(model, 1);
    EXPECT_EQ(teacher.status(), absl::OkStatus());
    return *std::move(teacher);
  }
  // The vectors of the text's tokens in all layers, as "firth embed" writes
  // them.
  std::string Arrays(const std::string& text, const std::string& name,
                     EmbeddingValues values = EmbeddingValues::kFloat32) const {
    auto embedder = Contextualizer::Load(model);
    auto vectors = embedder->Embed(Lines(text));
    EXPECT_EQ(vectors.status(), absl::OkStatus());
    std::string path = folder.File(name);
    auto writer = EmbeddingWriter::Create(
        path,
        name.find(".npy") == name.npos ? EmbeddingFormat::kSafetensors
                                       : EmbeddingFormat::kNpy,
        embedder->num_layers(), embedder->dim(), values);
    EXPECT_EQ(writer.status(), absl::OkStatus());
    for (const TokenVectors& of : *vectors) {
      EXPECT_EQ(writer->Add(of), absl::OkStatus());
    }
    EXPECT_EQ(writer->Commit(), absl::OkStatus());
    return path;
  }

  TempFolder folder;
  std::string model;
};

TEST_F(DistillTest, MeansAreThoseOfAllContexts) {
  const Corpus text = Read(kText);
  TokenTeacher teacher = Teacher();
  ASSERT_EQ(teacher.num_layers(), 3u);
  auto embedder = Contextualizer::Load(model);
  const auto sentences = Lines(kText);
  const auto vectors = embedder->Embed(sentences);
  ASSERT_TRUE(vectors.ok());
  for (size_t layer = 0; layer < 3; ++layer) {
    DistillOptions options;
    options.vocabulary.min_count = 2;
    options.layers = Layer(layer, 3);
    const auto words = Distill(text, teacher, options);
    ASSERT_EQ(words.status(), absl::OkStatus());
    ASSERT_EQ(words->size(), 3u);  // the, cat, sat
    EXPECT_EQ(words->vocabulary().Count(WordId{0}), 3u);
    for (const char* word : {"the", "cat", "sat"}) {
      std::vector<double> sum(12);
      double tokens = 0;
      for (size_t s = 0; s < sentences.size(); ++s) {
        for (size_t t = 0; t < sentences[s].size(); ++t) {
          if (sentences[s][t] != word) continue;
          ++tokens;
          for (size_t d = 0; d < 12; ++d) {
            sum[d] += (*vectors)[s].Vector(layer, t)[d];
          }
        }
      }
      const auto found = words->Find(word);
      ASSERT_TRUE(found.has_value());
      for (size_t d = 0; d < 12; ++d) {
        EXPECT_NEAR((*found)[d], sum[d] / tokens, 1e-6) << word;
      }
    }
  }
}

TEST_F(DistillTest, WithoutSharesLayersAreAveraged) {
  const Corpus text = Read(kText);
  TokenTeacher teacher = Teacher();
  DistillOptions options;
  options.vocabulary.min_count = 1;
  const auto average = Distill(text, teacher, options);
  ASSERT_EQ(average.status(), absl::OkStatus());
  std::vector<double> sum(12);
  for (size_t layer = 0; layer < 3; ++layer) {
    options.layers = Layer(layer, 3);
    const auto words = Distill(text, teacher, options);
    for (size_t d = 0; d < 12; ++d) sum[d] += words->Vector(WordId{0})[d] / 3;
  }
  for (size_t d = 0; d < 12; ++d) {
    EXPECT_NEAR(average->Vector(WordId{0})[d], sum[d], 1e-6);
  }
  options.layers.shares = {1, 0};
  EXPECT_THAT(std::string(Distill(text, teacher, options).status().message()),
              HasSubstr("3 layers of the model, found 2"));
}

// What a model says and what it wrote before give the same words.
TEST_F(DistillTest, ArraysAreAsGoodAsTheirModel) {
  const Corpus text = Read(kText);
  for (const DistillMethod method :
       {DistillMethod::kMean, DistillMethod::kCbow}) {
    DistillOptions options;
    options.method = method;
    options.vocabulary.min_count = 1;
    TokenTeacher teacher = Teacher();
    const auto expected = Distill(text, teacher, options);
    ASSERT_EQ(expected.status(), absl::OkStatus());
    for (const char* name : {"t.npy", "t.safetensors"}) {
      for (const auto values :
           {EmbeddingValues::kFloat32, EmbeddingValues::kFloat16}) {
        auto arrays = TokenTeacher::OfArrays(Arrays(kText, name, values));
        ASSERT_EQ(arrays.status(), absl::OkStatus());
        // Twice: a text begins anew.
        for (int i = 0; i < 2; ++i) {
          const auto words = Distill(text, *arrays, options);
          ASSERT_EQ(words.status(), absl::OkStatus());
          for (size_t w = 0; w < words->size(); ++w) {
            for (size_t d = 0; d < 12; ++d) {
              EXPECT_NEAR(words->Vector(ToWordId(w))[d],
                          expected->Vector(ToWordId(w))[d],
                          values == EmbeddingValues::kFloat16 ? 1e-2 : 1e-5);
            }
          }
        }
      }
    }
  }
}

TEST_F(DistillTest, ArraysOfAnotherTextAreRefused) {
  const std::string path = Arrays(kText, "t.npy");
  DistillOptions options;
  options.vocabulary.min_count = 1;
  const std::pair<const char*, const char*> kTexts[] = {
      {"the cat sat on the mat\n",
       "expected vectors of the 6 tokens of the text, found 11"},
      {"the cat sat on the\nmat the cat\na dog sat\n",
       "line 1: expected vectors of 5 tokens, as in the text, found 6"},
      {"the cat sat on the mat\nthe cat\na\ndog sat\n",
       "line 4: expected vectors of 1 tokens, as in the text, found 3"},
  };
  for (const auto& [other, message] : kTexts) {
    auto teacher = TokenTeacher::OfArrays(path);
    ASSERT_TRUE(teacher.ok());
    const absl::Status status =
        Distill(Read(other), *teacher, options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                AllOf(StartsWith(path), HasSubstr(message)));
  }
}

TEST_F(DistillTest, ArraysThatAreDamagedAreRefused) {
  const std::string path = Arrays(kText, "t.npy");
  const std::string offsets = folder.File("t.offsets.npy");
  const std::string whole = ReadWholeFile(offsets);
  folder.Write("t.offsets.npy", whole.substr(0, whole.size() - 1));
  EXPECT_EQ(TokenTeacher::OfArrays(path).status().code(),
            absl::StatusCode::kDataLoss);
  // The second offset, from 6 to 9: beyond the third.
  std::string altered = whole;
  altered[whole.size() - 3 * 8] = 9;
  folder.Write("t.offsets.npy", altered);
  EXPECT_THAT(std::string(TokenTeacher::OfArrays(path).status().message()),
              HasSubstr("expected at least 9"));
  std::filesystem::remove(offsets);
  EXPECT_EQ(TokenTeacher::OfArrays(path).status().code(),
            absl::StatusCode::kNotFound);
  for (const std::string& other :
       {model, folder.Write("text", "words"), offsets}) {
    EXPECT_FALSE(TokenTeacher::OfArrays(other).ok()) << other;
  }
}

TEST_F(DistillTest, ATextThatTheModelKnowsNothingOfIsRefused) {
  TokenTeacher teacher = Teacher();
  DistillOptions options;
  options.vocabulary.min_count = 1;
  EXPECT_THAT(
      std::string(
          Distill(Read("zwei Wörter\n"), teacher, options).status().message()),
      HasSubstr("none of the 2 words of the text is in the vocabulary of the "
                "language model"));
  // One is enough: the others are told by their contexts.
  EXPECT_EQ(Distill(Read("zwei the\n"), teacher, options)->size(), 2u);
  options.vocabulary.min_count = 5;
  EXPECT_THAT(
      std::string(Distill(Read(kText), teacher, options).status().message()),
      HasSubstr("words of the text occurs 5 times (min-count)"));
  options.negatives = 0;
  EXPECT_THAT(
      std::string(Distill(Read(kText), teacher, options).status().message()),
      StartsWith("negative:"));
}

TEST_F(DistillTest, CharactersMakeAnyWordKnown) {
  ASSERT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kCharacters), model),
            absl::OkStatus());
  TokenTeacher teacher = Teacher();
  DistillOptions options;
  options.vocabulary.min_count = 1;
  EXPECT_EQ(Distill(Read("zwei Wörter\n"), teacher, options)->size(), 2u);
}

double Cosine(absl::Span<const float> a, absl::Span<const float> b) {
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += double{a[i]} * b[i];
    aa += double{a[i]} * a[i];
    bb += double{b[i]} * b[i];
  }
  return ab / std::sqrt(aa * bb);
}

// Layer 0 gives a word the same vector everywhere; CBOW over it brings words of
// one topic together, which their own vectors are not.
TEST_F(DistillTest, CbowLearnsFromTheOtherWordsOfTheSentence) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    absl::StrAppend(
        &text, i % 2 == 0 ? "the cat x\nthe cat y\n" : "on sat u\non sat v\n");
  }
  const Corpus corpus = Read(text);
  TokenTeacher teacher = Teacher();
  DistillOptions options;
  options.method = DistillMethod::kCbow;
  options.layers = Layer(0, 3);
  const auto words = Distill(corpus, teacher, options);
  ASSERT_EQ(words.status(), absl::OkStatus());
  const auto cosine = [&](const char* a, const char* b) {
    return Cosine(*words->Find(a), *words->Find(b));
  };
  EXPECT_GT(cosine("x", "y"), 0.9);
  EXPECT_GT(cosine("u", "v"), 0.9);
  EXPECT_LT(cosine("x", "u"), cosine("x", "y") - 0.1);
  const auto again = Distill(corpus, teacher, options);
  for (size_t d = 0; d < 12; ++d) {
    EXPECT_EQ(again->Vector(WordId{1})[d], words->Vector(WordId{1})[d]);
  }
  options.seed = 2;
  EXPECT_NE(Distill(corpus, teacher, options)->Vector(WordId{1})[0],
            words->Vector(WordId{1})[0]);
}

TEST_F(DistillTest, MoreSentencesThanAreAskedTogether) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "the cat\n";
  TokenTeacher teacher = Teacher();
  const auto many = Distill(Read(text), teacher);
  DistillOptions options;
  options.vocabulary.min_count = 1;
  const auto one = Distill(Read("the cat\n"), teacher, options);
  ASSERT_EQ(many.status(), absl::OkStatus());
  EXPECT_EQ(many->vocabulary().Count(WordId{0}), 2000u);
  for (size_t d = 0; d < 12; ++d) {
    EXPECT_NEAR(many->Vector(WordId{0})[d], one->Vector(WordId{0})[d], 1e-5);
  }
}

TEST_F(DistillTest, ItStopsWhereItIsAskedTo) {
  const std::atomic<bool> stop = true;
  TokenTeacher teacher = Teacher();
  DistillOptions options;
  options.vocabulary.min_count = 1;
  EXPECT_EQ(
      Distill(Read(kText), teacher, options, {nullptr, &stop}).status().code(),
      absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace firth
