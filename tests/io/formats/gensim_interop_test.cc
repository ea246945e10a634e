// gensim and NumPy read what we write and we read what they write: words and
// values are the same. Skipped where gensim is not installed.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/matrix.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/formats/interop_support.h"
#include "io/io_test_support.h"

namespace firth {
namespace {

using testing_io::ExpectSameVectors;
using testing_io::ExpectVectorLines;
using testing_io::HasGensim;
using testing_io::kFloatDigits;
using testing_io::LinesOf;
using testing_io::MakeVectors;
using testing_io::NGramModel;
using testing_io::ReadBytes;
using testing_io::RunPython;
using testing_io::TestFolder;
using testing_io::WordsOf;
using testing_io::WriteBytes;

class GensimInteropTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasGensim()) GTEST_SKIP() << "gensim is not installed";
    folder_ = TestFolder();
  }

  VectorFile Load(const std::string& name) const {
    auto loaded = LoadVectorFile(folder_ + name);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return loaded.ok() ? *loaded : VectorFile();
  }

  std::string folder_;
};

constexpr char kWordVectors[] = R"(
import sys, numpy
from gensim.models import KeyedVectors
folder = sys.argv[1]
words = open(folder + '/words', encoding='utf-8').read().split('\n')[:-1]
array = numpy.load(folder + '/ours.npy')
assert array.dtype == numpy.float32 and array.shape == (len(words), 4)
for name, how in (('bin', dict(binary=True)), ('txt', dict(binary=False)),
                  ('glove', dict(binary=False, no_header=True))):
    vectors = KeyedVectors.load_word2vec_format(
        folder + '/ours.' + name, datatype=numpy.float32, **how)
    assert vectors.index_to_key == words, (name, vectors.index_to_key)
    assert (vectors.vectors == array).all(), name
    if name != 'glove':
        vectors.save_word2vec_format(folder + '/theirs.' + name, **how)
)";

TEST_F(GensimInteropTest, BothReadTheOthersWordVectors) {
  const std::vector<std::string> words = {
      "one", "zw\xc3\xb6lf", "\xe6\x97\xa5\xe6\x9c\xac", "</s>", "3.5"};
  const VectorFile ours = MakeVectors(words, 4);
  for (const char* name :
       {"/ours.bin", "/ours.txt", "/ours.glove", "/ours.npy"}) {
    ASSERT_EQ(SaveVectorFile(ours, folder_ + name, ""), absl::OkStatus());
  }
  WriteBytes(folder_ + "/words", LinesOf(words));
  RunPython(folder_, kWordVectors);
  ExpectSameVectors(ours.vectors, Load("/theirs.bin").vectors);
  ExpectSameVectors(ours.vectors, Load("/theirs.txt").vectors);
}

// Words that only the one or the other format holds, and bytes that are not
// UTF-8, which gensim is told to replace.
constexpr char kOddWords[] = R"(
import sys, numpy
from gensim.models import KeyedVectors
folder = sys.argv[1]
words = ['a\tb', 'a\u00a0z', '\ufffd\ufffd', 'caf\ufffd', 'x']
for name, binary in (('bin', True), ('txt', False)):
    vectors = KeyedVectors.load_word2vec_format(
        folder + '/ours.' + name, binary=binary, unicode_errors='replace',
        datatype=numpy.float32)
    assert vectors.index_to_key == words, (name, vectors.index_to_key)
    assert vectors.vectors[4][1] == numpy.float32(6 / 7.0), vectors.vectors
theirs = KeyedVectors(2)
theirs.add_vectors(['a\tb', 'new york', 'a\u00a0z', 'x'],
                   numpy.arange(8, dtype=numpy.float32).reshape(4, 2))
theirs.save_word2vec_format(folder + '/theirs.txt', binary=False)
theirs = KeyedVectors(2)
theirs.add_vectors(['a\tb', 'a\u00a0z', 'x'],
                   numpy.arange(6, dtype=numpy.float32).reshape(3, 2))
theirs.save_word2vec_format(folder + '/theirs.bin', binary=True)
)";

TEST_F(GensimInteropTest, OddWordsSurvive) {
  const VectorFile ours =
      MakeVectors({"a\tb", "a\xc2\xa0z", "\xff\xfe", "caf\xc3", "x"}, 2);
  ASSERT_EQ(SaveVectorFile(ours, folder_ + "/ours.bin", ""), absl::OkStatus());
  ASSERT_EQ(SaveVectorFile(ours, folder_ + "/ours.txt", ""), absl::OkStatus());
  RunPython(folder_, kOddWords);
  const VectorFile text = Load("/theirs.txt");
  EXPECT_THAT(WordsOf(text),
              testing::ElementsAre("a\tb", "new york", "a\xc2\xa0z", "x"));
  EXPECT_THAT(text.vectors.Vector(WordId{3}), testing::ElementsAre(6, 7));
  const VectorFile binary = Load("/theirs.bin");
  EXPECT_THAT(WordsOf(binary), testing::ElementsAre("a\tb", "a\xc2\xa0z", "x"));
  EXPECT_THAT(binary.vectors.Vector(WordId{2}), testing::ElementsAre(4, 5));
}

constexpr char kEmpty[] = R"(
import sys, numpy
from gensim.models import KeyedVectors
folder = sys.argv[1]
for name, binary in (('bin', True), ('txt', False)):
    vectors = KeyedVectors.load_word2vec_format(folder + '/ours.' + name,
                                                binary=binary)
    assert vectors.vectors.shape == (0, 5), vectors.vectors.shape
    with open(folder + '/theirs.' + name, 'wb') as out:
        out.write(b'0 5\n')
)";

TEST_F(GensimInteropTest, EmptyModelsAreReadByBoth) {
  VectorFile empty;
  empty.vectors = *WordVectors::Create(Vocabulary(), Matrix<float>(0, 5));
  for (const char* name : {"/ours.bin", "/ours.txt"}) {
    ASSERT_EQ(SaveVectorFile(empty, folder_ + name, ""), absl::OkStatus());
  }
  RunPython(folder_, kEmpty);
  EXPECT_EQ(Load("/theirs.bin").vectors.dim(), 5u);
  EXPECT_EQ(Load("/theirs.txt").vectors.dim(), 5u);
}

const std::vector<std::string> kWords = {
    "where",    "zw\xc3\xb6lf", "\xe6\x97\xa5\xe6\x9c\xac",
    "\xff\xfe", "</s>",         "x"};
// gensim gives "</s>" n-grams, which fastText does not, and has other words for
// what is not UTF-8.
const std::vector<std::string> kAsked = {
    "where",
    "zw\xc3\xb6lf",
    "\xe6\x97\xa5\xe6\x9c\xac",
    "x",
    "wherever",
    "zw\xc3\xb6lfte",
    "\xe6\x97\xa5\xe6\x9c\xac\xe4\xba\xba"};

constexpr char kFasttextModel[] = R"(
import sys
from gensim.models.fasttext import load_facebook_model, load_facebook_vectors
folder = sys.argv[1]
vectors = load_facebook_vectors(folder + '/ours.ftbin')
load_facebook_model(folder + '/ours.ftbin')
with open(folder + '/answered', 'w', encoding='utf-8') as out:
    for word in open(folder + '/asked', encoding='utf-8').read().split('\n')[:-1]:
        out.write(word + ' ' + ' '.join('%.9g' % x for x in vectors[word]) + '\n')
)";

TEST_F(GensimInteropTest, OurFasttextModelsAnswerAlike) {
  VectorFile model = NGramModel(
      kWords, 10, BucketSubwords{.min_n = 2, .max_n = 5, .buckets = 500});
  model.output = MakeVectors(kWords, 10).vectors.table();
  ASSERT_EQ(SaveVectorFile(model, folder_ + "/ours.ftbin", ""),
            absl::OkStatus());
  WriteBytes(folder_ + "/asked", LinesOf(kAsked));
  RunPython(folder_, kFasttextModel);
  ExpectVectorLines(ReadBytes(folder_ + "/answered"), kAsked, model.vectors,
                    kFloatDigits);
}

constexpr char kTheirModel[] = R"(
import sys
from gensim.models.fasttext import FastText, save_facebook_model
folder = sys.argv[1]
model = FastText([['where', 'zw\u00f6lf', '\u65e5\u672c', 'x']] * 50,
                 vector_size=10, min_count=1, bucket=700, min_n=2, max_n=4,
                 epochs=1, workers=1, seed=1)
save_facebook_model(model, folder + '/theirs.bin')
with open(folder + '/answered', 'w', encoding='utf-8') as out:
    for word in open(folder + '/asked', encoding='utf-8').read().split('\n')[:-1]:
        out.write(word + ' ' + ' '.join('%.9g' % x for x in model.wv[word]) + '\n')
)";

TEST_F(GensimInteropTest, TheirFasttextModelsAnswerAlikeHere) {
  WriteBytes(folder_ + "/asked", LinesOf(kAsked));
  RunPython(folder_, kTheirModel);
  ExpectVectorLines(ReadBytes(folder_ + "/answered"), kAsked,
                    Load("/theirs.bin").vectors, kFloatDigits);
}

}  // namespace
}  // namespace firth
