// fastText reads the models that we write, and we read fastText's: vectors and
// neighbours of known and of unknown words are the same. Skipped where fastText
// is not installed.

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "firth/query.h"
#include "firth/sentence_vectors.h"
#include "firth/vector_io.h"
#include "gtest/gtest.h"
#include "io/formats/interop_support.h"
#include "io/io_test_support.h"

namespace firth {
namespace {

using testing_io::ExpectVectorLines;
using testing_io::HasFasttext;
using testing_io::kFiveDigits;
using testing_io::LinesOf;
using testing_io::NGramModel;
using testing_io::ReadBytes;
using testing_io::Succeeds;
using testing_io::TestFolder;
using testing_io::VectorOf;
using testing_io::WriteBytes;

// Beyond ASCII, the end of a sentence, no UTF-8, spaces of Unicode.
const std::vector<std::string> kWords = {"</s>",
                                         "where",
                                         "zw\xc3\xb6lf",
                                         "\xe6\x97\xa5\xe6\x9c\xac",
                                         "\xff\xfe",
                                         "caf\xc3",
                                         "a\xc2\xa0z",
                                         "x",
                                         "3.5",
                                         "<b>",
                                         "\xf0\x9f\x98\x80\xf0\x9f\x98\x80"};
// Of which some are in the vocabulary and some are not.
const std::vector<std::string> kAsked = {"</s>",
                                         "where",
                                         "zw\xc3\xb6lf",
                                         "\xe6\x97\xa5\xe6\x9c\xac",
                                         "\xff\xfe",
                                         "a\xc2\xa0z",
                                         "wherever",
                                         "zw\xc3\xb6lfte",
                                         "\xe6\x97\xa5\xe6\x9c\xac\xe4\xba\xba",
                                         "\xff\xfe\xff",
                                         "\xe2\x82",
                                         "w"};

class FasttextInteropTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasFasttext()) GTEST_SKIP() << "fasttext is not installed";
    folder_ = TestFolder();
    WriteBytes(folder_ + "/asked", LinesOf(kAsked));
  }

  void Fasttext(const std::string& arguments) const {
    ASSERT_TRUE(
        Succeeds(absl::StrCat("cd '", folder_, "' && fasttext ", arguments)))
        << arguments;
  }

  // That fastText has for this model the vectors that we have.
  void ExpectSameVectors(const std::string& name,
                         const WordVectors& vectors) const {
    Fasttext(absl::StrCat("print-word-vectors ", name, " <asked >answered"));
    ExpectVectorLines(ReadBytes(folder_ + "/answered"), kAsked, vectors,
                      kFiveDigits);
  }

  // ... and the same neighbours of a word.
  void ExpectSameNeighbors(const std::string& name, const WordVectors& vectors,
                           const std::string& word) const {
    SCOPED_TRACE(word);
    WriteBytes(folder_ + "/word", word + "\n");
    // The program does not end at the end of its input with 0 in all versions.
    (void)Succeeds(absl::StrCat("cd '", folder_, "' && timeout 20 fasttext nn ",
                                name, " 4 <word >near 2>/dev/null"));
    const std::string output = absl::StrReplaceAll(ReadBytes(folder_ + "/near"),
                                                   {{"Query word? ", ""}});
    std::istringstream lines(output);
    const auto id = vectors.vocabulary().Find(word);
    const std::vector<WordId> exclude =
        id.has_value() ? std::vector<WordId>{*id} : std::vector<WordId>();
    for (const Neighbor& near :
         NearestNeighbors(vectors).Find(VectorOf(vectors, word), 4, exclude)) {
      std::string line;
      ASSERT_TRUE(std::getline(lines, line)) << output;
      const size_t space = line.rfind(' ');
      ASSERT_NE(space, line.npos) << line;
      EXPECT_EQ(line.substr(0, space), vectors.vocabulary().Word(near.word));
      EXPECT_NEAR(std::stod(line.substr(space)), near.score, 1e-5);
    }
  }

  std::string folder_;
};

TEST_F(FasttextInteropTest, OurModelsAnswerAlike) {
  for (const int min_n : {1, 3}) {
    const VectorFile model = NGramModel(
        kWords, 10, BucketSubwords{.min_n = min_n, .max_n = 5, .buckets = 300});
    ASSERT_EQ(SaveVectorFile(model, folder_ + "/ours.ftbin", ""),
              absl::OkStatus());
    ExpectSameVectors("ours.ftbin", model.vectors);
    for (const char* word :
         {"where", "wherever", "zw\xc3\xb6lf", "\xff\xfe\xff"}) {
      ExpectSameNeighbors("ours.ftbin", model.vectors, word);
    }
  }
}

TEST_F(FasttextInteropTest, NGramsSentencesAndAnalogiesAreTheSame) {
  const VectorFile model = NGramModel(
      kWords, 10, BucketSubwords{.min_n = 2, .max_n = 4, .buckets = 300});
  const WordVectors& vectors = model.vectors;
  ASSERT_EQ(SaveVectorFile(model, folder_ + "/ours.ftbin", ""),
            absl::OkStatus());

  Fasttext("print-ngrams ours.ftbin wherever >n-grams");
  std::istringstream lines(ReadBytes(folder_ + "/n-grams"));
  size_t found = 0;
  for (const NGramVector& ours :
       NGramVectors(*vectors.subwords(), "wherever")) {
    std::string n_gram;
    ASSERT_TRUE(lines >> n_gram);
    EXPECT_EQ(n_gram, ours.n_gram);
    for (const float value : ours.vector) {
      double theirs = 0;
      ASSERT_TRUE(lines >> theirs);
      EXPECT_NEAR(theirs, value, kFiveDigits * std::abs(value) + 1e-7);
    }
    ++found;
  }
  EXPECT_GT(found, 10u);

  const std::string sentence = "where wherever zw\xc3\xb6lf where";
  WriteBytes(folder_ + "/line", sentence + "\n");
  Fasttext("print-sentence-vectors ours.ftbin <line >sentence");
  const auto encoder = SentenceEncoder::Create(vectors, {.unit_words = true});
  ASSERT_TRUE(encoder.ok());
  std::vector<float> mean(10);
  EXPECT_TRUE(encoder->Encode(sentence, absl::MakeSpan(mean)).ok());
  std::istringstream numbers(ReadBytes(folder_ + "/sentence"));
  for (const float value : mean) {
    double theirs = 0;
    ASSERT_TRUE(numbers >> theirs);
    EXPECT_NEAR(theirs, value, kFiveDigits * std::abs(value) + 1e-7);
  }

  const auto word = [&](size_t i) { return VectorOf(vectors, kWords[i]); };
  WriteBytes(folder_ + "/triple",
             absl::StrCat(kWords[1], " ", kWords[2], " ", kWords[3], "\n"));
  // At the end of its input it asks the last question again, without end.
  ASSERT_TRUE(Succeeds(
      absl::StrCat("cd '", folder_,
                   "' && fasttext analogies ours.ftbin 3 <triple 2>/dev/null | "
                   "head -n 4 >answers")));
  const std::vector<float> a = word(1), b = word(2), c = word(3);
  std::istringstream answers(absl::StrReplaceAll(
      ReadBytes(folder_ + "/answers"), {{"Query triplet (A - B + C)? ", ""},
                                        {"Loading model ours.ftbin\n", ""}}));
  for (const Neighbor& near : NearestNeighbors(vectors).FindSum(
           {{{a}, {b, -1}, {c}}, {ToWordId(1), ToWordId(2), ToWordId(3)}}, 3,
           AnalogyMethod::kAdd)) {
    std::string theirs;
    double score = 0;
    ASSERT_TRUE(answers >> theirs >> score) << ReadBytes(folder_ + "/answers");
    EXPECT_EQ(theirs, vectors.vocabulary().Word(near.word));
    EXPECT_NEAR(score, near.score, 1e-5);
  }
}

// Through a finalfusion file, which does not have the words' own rows.
TEST_F(FasttextInteropTest, ModelsFromFinalfusionAnswerAlike) {
  const std::vector<std::string> words = {"</s>", "where", "zw\xc3\xb6lf",
                                          "\xe6\x97\xa5\xe6\x9c\xac"};
  const VectorFile model = NGramModel(
      words, 6, BucketSubwords{.min_n = 2, .max_n = 4, .buckets = 100});
  ASSERT_EQ(SaveVectorFile(model, folder_ + "/m.fifu", ""), absl::OkStatus());
  const auto read = LoadVectorFile(folder_ + "/m.fifu");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(SaveVectorFile(*read, folder_ + "/m.ftbin", ""), absl::OkStatus());
  ExpectSameVectors("m.ftbin", model.vectors);
}

std::string TrainingText() {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    absl::StrAppend(&text, "where x", i % 20, "\tzw\xc3\xb6lf \xff\xfe ",
                    "\xe6\x97\xa5\xe6\x9c\xac a\xc2\xa0z  \n");
  }
  return text;
}

TEST_F(FasttextInteropTest, TheirModelsAnswerAlikeHere) {
  WriteBytes(folder_ + "/text", TrainingText());
  for (const char* how : {"skipgram -minn 2 -maxn 5", "cbow -minn 1 -maxn 3",
                          "cbow -maxn 0", "skipgram -loss hs"}) {
    SCOPED_TRACE(how);
    // Fewer threads leave a part of its rows uninitialised.
    Fasttext(absl::StrCat(how,
                          " -input text -output theirs -dim 10 -bucket 1000 "
                          "-thread 10 -epoch 1 -minCount 1 >log 2>&1"));
    const auto theirs = LoadVectorFile(folder_ + "/theirs.bin");
    ASSERT_TRUE(theirs.ok()) << theirs.status();
    ExpectSameVectors("theirs.bin", theirs->vectors);
    const auto text = LoadVectorFile(folder_ + "/theirs.vec");
    ASSERT_TRUE(text.ok()) << text.status();
    ASSERT_EQ(text->vectors.size(), theirs->vectors.size());
    for (size_t i = 0; i < text->vectors.size(); ++i) {
      EXPECT_EQ(text->vectors.vocabulary().Word(ToWordId(i)),
                theirs->vectors.vocabulary().Word(ToWordId(i)));
      for (size_t col = 0; col < 10; ++col) {
        const float exact = theirs->vectors.Vector(ToWordId(i))[col];
        EXPECT_NEAR(text->vectors.Vector(ToWordId(i))[col], exact,
                    kFiveDigits * std::abs(exact) + 1e-7);
      }
    }
  }
}

TEST_F(FasttextInteropTest, TheirQuantizedClassifiersAnswerAlikeHere) {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    absl::StrAppend(&text, "__label__", i % 2 == 0 ? "a" : "b", " where x",
                    i % 60, i % 2 == 0 ? " zw\xc3\xb6lf" : " \xff\xfe", " y",
                    i % 35, "\n");
  }
  WriteBytes(folder_ + "/text", text);
  Fasttext(
      "supervised -input text -output theirs -dim 8 -bucket 500 -minn 2 "
      "-maxn 3 -thread 10 -epoch 2 >log 2>&1");
  for (const char* how : {"", "-qnorm", "-qnorm -cutoff 300"}) {
    SCOPED_TRACE(how);
    Fasttext(absl::StrCat("quantize -input text -output theirs ", how,
                          " -dsub 2 >log 2>&1"));
    const auto theirs = LoadVectorFile(folder_ + "/theirs.ftz");
    ASSERT_TRUE(theirs.ok()) << theirs.status();
    ExpectSameVectors("theirs.ftz", theirs->vectors);
  }
}

// With all that such a model reads, dense, quantized and pruned.
TEST_F(FasttextInteropTest, SentencesOfTheirClassifiersAreTheSame) {
  std::string text;
  for (int i = 0; i < 900; ++i) {
    absl::StrAppend(&text, "__label__", i % 2 == 0 ? "a" : "b", " where x",
                    i % 300, i % 2 == 0 ? " zw\xc3\xb6lf" : " \xff\xfe", " y",
                    i % 235, "\n");
  }
  WriteBytes(folder_ + "/text", text);
  const std::vector<std::string> lines = {
      "where x1 zw\xc3\xb6lf x2 where", "", "nothing y3 __label__a known",
      "__label__new \xff\xfe\xff", "\xc2\xa0 where\vx5"};
  WriteBytes(folder_ + "/lines", LinesOf(lines));
  for (const char* how :
       {"-bucket 500", "-wordNgrams 2 -bucket 500",
        "-wordNgrams 3 -minn 2 -maxn 4 -bucket 500", "-maxn 3 -bucket 400"}) {
    Fasttext(absl::StrCat("supervised -input text -output theirs -dim 8 ", how,
                          " -thread 10 -epoch 2 -lr 0.5 >log 2>&1"));
    Fasttext(
        "quantize -input text -output theirs -qnorm -cutoff 300 -dsub 2 "
        ">log 2>&1");
    for (const char* name : {"theirs.bin", "theirs.ftz"}) {
      SCOPED_TRACE(absl::StrCat(how, " ", name));
      Fasttext(absl::StrCat("print-sentence-vectors ", name, " <lines >found"));
      const auto theirs = LoadVectorFile(folder_ + "/" + name);
      ASSERT_TRUE(theirs.ok()) << theirs.status();
      const auto encoder =
          SentenceEncoder::Create(theirs->vectors, {.unit_words = true});
      ASSERT_TRUE(encoder.ok());
      std::istringstream numbers(ReadBytes(folder_ + "/found"));
      for (const std::string& line : lines) {
        std::vector<float> mean(8);
        EXPECT_TRUE(encoder->Encode(line, absl::MakeSpan(mean)).ok());
        for (const float value : mean) {
          double expected = 0;
          ASSERT_TRUE(numbers >> expected) << line;
          EXPECT_NEAR(value, expected, kFiveDigits * std::abs(value) + 1e-7)
              << line;
        }
      }
    }
  }
}

}  // namespace
}  // namespace firth
