// fastText and gensim read the models that we write, and we read fastText's:
// vectors of known and of unknown words are the same. Skipped where the
// programs are not installed.

#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/train.h"
#include "firth/vector_io.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"
#include "support/corpora.h"

namespace firth {
namespace {

using testing_io::ReadBytes;
using testing_io::TestFolder;
using testing_io::WriteBytes;

// Known and unknown, also beyond ASCII.
const std::vector<std::string> kAsked = {
    "w1", "w12", "w99", "\xe6\x97\xa5w1", "zw\xc3\xb6lf", "w"};

VectorFile TrainedModel(ArchitectureOptions architecture) {
  TrainOptions options;
  options.architecture = architecture;
  options.dim = 10;
  options.epochs = 2;
  options.threads = 1;
  options.sample = 0;
  options.subwords = BucketSubwords{.min_n = 1, .max_n = 4, .buckets = 500};
  auto trained = Train(TwoTopicCorpus(300, 1), options);
  EXPECT_TRUE(trained.ok()) << trained.status();
  return {trained->vectors, trained->output, trained->output_bias, {}};
}

std::vector<float> VectorOf(const WordVectors& vectors,
                            const std::string& word) {
  const auto known = vectors.Find(word);
  if (known.has_value()) return {known->begin(), known->end()};
  const auto made = vectors.FromNGrams(word);
  return made.value_or(std::vector<float>(vectors.dim()));
}

bool Succeeds(const std::string& command) {
  const int result = std::system(command.c_str());
  return WIFEXITED(result) && WEXITSTATUS(result) == 0;
}

// "word v1 v2 ..." lines, printed with so many digits.
void ExpectSameAsLines(const std::string& lines, const WordVectors& vectors,
                       double tolerance) {
  std::istringstream stream(lines);
  for (const std::string& word : kAsked) {
    std::string line;
    ASSERT_TRUE(std::getline(stream, line)) << word;
    std::istringstream values(line.substr(word.size()));
    EXPECT_EQ(line.substr(0, word.size()), word);
    for (const float expected : VectorOf(vectors, word)) {
      double found;
      ASSERT_TRUE(values >> found) << line;
      EXPECT_NEAR(found, expected, tolerance * (1 + std::abs(expected)))
          << word;
    }
  }
}

std::string AskedLines() {
  std::string lines;
  for (const std::string& word : kAsked) absl::StrAppend(&lines, word, "\n");
  return lines;
}

TEST(FasttextInteropTest, FasttextGivesTheSameVectors) {
  if (!Succeeds("command -v fasttext >/dev/null")) {
    GTEST_SKIP() << "fasttext is not installed";
  }
  const std::string folder = TestFolder();
  WriteBytes(folder + "/asked", AskedLines());
  const VectorFile model = TrainedModel(SkipGramOptions{});
  ASSERT_EQ(SaveVectorFile(model, folder + "/ours.ftbin", ""),
            absl::OkStatus());
  ASSERT_TRUE(Succeeds(absl::StrCat("cd '", folder,
                                    "' && fasttext print-word-vectors "
                                    "ours.ftbin <asked >answered")));
  ExpectSameAsLines(ReadBytes(folder + "/answered"), model.vectors, 2e-5);
}

TEST(FasttextInteropTest, FasttextsModelsGiveTheSameVectorsHere) {
  if (!Succeeds("command -v fasttext >/dev/null")) {
    GTEST_SKIP() << "fasttext is not installed";
  }
  const std::string folder = TestFolder();
  std::string text;
  for (int i = 0; i < 300; ++i) {
    absl::StrAppend(&text, "w1 w", i % 20, " zw\xc3\xb6lf\t", AskedLines());
  }
  WriteBytes(folder + "/text", text);
  WriteBytes(folder + "/asked", AskedLines());
  for (const char* model : {"skipgram", "cbow"}) {
    ASSERT_TRUE(Succeeds(absl::StrCat(
        "cd '", folder, "' && fasttext ", model,
        " -input text -output theirs -dim 10 -bucket 1000 -thread 10 -epoch 1 "
        "-minCount 1 -minn 2 -maxn 5 >log 2>&1 && fasttext print-word-vectors "
        "theirs.bin <asked >answered")));
    const auto theirs = LoadVectorFile(folder + "/theirs.bin");
    ASSERT_TRUE(theirs.ok()) << theirs.status();
    ExpectSameAsLines(ReadBytes(folder + "/answered"), theirs->vectors, 2e-5);
  }
}

constexpr char kScript[] = R"(
import sys
try:
    from gensim.models.fasttext import load_facebook_model, load_facebook_vectors
except ImportError:
    sys.exit(77)
folder = sys.argv[1]
vectors = load_facebook_vectors(folder + '/ours.ftbin')
load_facebook_model(folder + '/ours.ftbin')
with open(folder + '/answered', 'w', encoding='utf-8') as out:
    for word in open(folder + '/asked', encoding='utf-8').read().split('\n')[:-1]:
        out.write(word + ' ' + ' '.join('%.9g' % x for x in vectors[word]) + '\n')
)";

TEST(FasttextInteropTest, GensimGivesTheSameVectors) {
  const std::string folder = TestFolder();
  WriteBytes(folder + "/asked", AskedLines());
  WriteBytes(folder + "/check.py", kScript);
  const VectorFile model = TrainedModel(CbowOptions{});
  ASSERT_EQ(SaveVectorFile(model, folder + "/ours.ftbin", ""),
            absl::OkStatus());
  const int result = std::system(
      absl::StrCat("/usr/bin/python3 '", folder, "/check.py' '", folder, "'")
          .c_str());
  if (!WIFEXITED(result) || WEXITSTATUS(result) == 77 ||
      WEXITSTATUS(result) == 127) {
    GTEST_SKIP() << "no Python with gensim here";
  }
  ASSERT_EQ(WEXITSTATUS(result), 0);
  ExpectSameAsLines(ReadBytes(folder + "/answered"), model.vectors, 1e-6);
}

}  // namespace
}  // namespace firth
