// Long calls hear in the midst of their work that they are to stop. Each has
// far more to do than passes until its second report; every_call_test.cc has
// those that are stopped before they begin.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "c/c_test_support.h"
#include "c/call_table.h"
#include "firth/firth.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

// Under ThreadSanitizer the calls take far longer, and less work is enough to
// reach the second report.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FIRTH_THREAD_SANITIZER 1
#endif
#endif
#ifdef FIRTH_THREAD_SANITIZER
constexpr size_t kLess = 20;
#else
constexpr size_t kLess = 1;
#endif

// Counts its calls, the first of which comes before the work.
int32_t StopAtSecondCall(void* context, const char*, int64_t) {
  return ++*static_cast<int*>(context) > 1 ? 1 : 0;
}

std::string Repeated(const std::string& text, size_t times) {
  std::string repeated;
  for (size_t i = 0; i < times; ++i) repeated += text;
  return repeated;
}

class CStoppingTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { files_ = new CallFiles; }
  static void TearDownTestSuite() { delete files_; }

  static void ExpectCancelled(
      const std::function<FirthStatus*(int* calls)>& call) {
    int calls = 0;
    const CFailure failure = FailureOf(call(&calls));
    EXPECT_EQ(failure.code, FIRTH_CANCELLED) << failure;
    EXPECT_EQ(calls, 2);
  }

  // So many words of dim 64, in memory.
  static FirthVectors* Vectors(size_t words) {
    const std::string path = files_->folder.File("many.safetensors");
    VectorFile file;
    file.vectors = RandomVectors(words, 64, 1);
    EXPECT_EQ(SaveVectorFile(file, path, "safetensors"), absl::OkStatus());
    FirthVectors* vectors = nullptr;
    EXPECT_TRUE(Fine(firth_vectors_load(path.data(), SizeOf(path), nullptr, 0,
                                        nullptr, nullptr, &vectors)));
    return vectors;
  }

  static CallFiles* files_;
};

CallFiles* CStoppingTest::files_ = nullptr;

TEST_F(CStoppingTest, IndexesAreNotWrittenThen) {
  FirthVectors* const vectors = Vectors(50'000 / kLess);
  const std::string path = files_->folder.File("many.hnsw");
  ExpectCancelled([&](int* calls) {
    return firth_index_build(vectors, path.data(), SizeOf(path), nullptr, 0,
                             StopAtSecondCall, calls);
  });
  EXPECT_FALSE(std::filesystem::exists(path));
  firth_vectors_free(vectors);
}

TEST_F(CStoppingTest, QuestionsToVectors) {
  FirthVectors* const vectors = Vectors(20'000 / kLess);
  std::vector<int64_t> words(200'000 / kLess), ids(words.size(), 7);
  std::vector<float> scores(words.size());
  for (const std::string options : {"{}", R"({"search": "int8"})"}) {
    FirthSearch* search = nullptr;
    ASSERT_TRUE(Fine(firth_search_create(
        vectors, options.data(), SizeOf(options), nullptr, nullptr, &search)));
    ExpectCancelled([&](int* calls) {
      return firth_search_words(
          search, words.data(), static_cast<int64_t>(words.size()), 1,
          StopAtSecondCall, calls, ids.data(), scores.data());
    });
    firth_search_free(search);
  }
  EXPECT_THAT(ids, testing::Each(7));
  firth_vectors_free(vectors);
}

TEST_F(CStoppingTest, FilesOfVectors) {
  FirthVectors* const vectors = Vectors(200'000 / kLess);
  const std::string path = files_->folder.File("many.txt");
  const std::string lossy = R"({"lossy": true})";
  ExpectCancelled([&](int* calls) {
    return firth_vectors_save(vectors, path.data(), SizeOf(path), lossy.data(),
                              SizeOf(lossy), StopAtSecondCall, calls);
  });
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE(
      Fine(firth_vectors_save(vectors, path.data(), SizeOf(path), lossy.data(),
                              SizeOf(lossy), nullptr, nullptr)));
  firth_vectors_free(vectors);
  FirthVectors* loaded = nullptr;
  ExpectCancelled([&](int* calls) {
    return firth_vectors_load(path.data(), SizeOf(path), nullptr, 0,
                              StopAtSecondCall, calls, &loaded);
  });
  EXPECT_EQ(loaded, nullptr);
}

TEST_F(CStoppingTest, Analogies) {
  FirthVectors* const vectors = Vectors(100'000 / kLess);
  std::string questions;
  for (size_t i = 0; i + 3 < 90'000 / kLess; i += 3) {
    for (size_t word = i; word < i + 4; ++word) {
      questions += "w" + std::to_string(word) + (word == i + 3 ? "\n" : " ");
    }
  }
  const std::string path = files_->folder.Write("many.q", questions);
  FirthModels* models = nullptr;
  ASSERT_TRUE(Fine(firth_models_create(&models)));
  ASSERT_TRUE(Fine(firth_models_add_vectors(models, "v", 1, vectors)));
  const std::string body = R"({"requests":[{"analogies":[")" + path + "\"]}]}";
  FirthBuffer* report = nullptr;
  ExpectCancelled([&](int* calls) {
    return firth_ask(models, "eval", 4, body.data(), SizeOf(body),
                     StopAtSecondCall, calls, &report);
  });
  EXPECT_EQ(report, nullptr);
  firth_models_free(models);
  firth_vectors_free(vectors);
}

TEST_F(CStoppingTest, LanguageModels) {
  FirthLanguageModel* model = nullptr;
  ASSERT_TRUE(Fine(firth_language_model_load(
      files_->model_path.data(), SizeOf(files_->model_path), &model)));
  const std::vector<std::vector<std::string>> sentences(
      100'000, {"the", "cat", "sat", "on", "the", "cat", "and", "sat"});
  const CTexts texts(sentences);
  const auto n = static_cast<int64_t>(sentences.size());
  FirthBuffer* values = nullptr;
  ExpectCancelled([&](int* calls) {
    return firth_language_model_embed(
        model, texts.bytes.data(), texts.offsets.data(), texts.sentences.data(),
        n, nullptr, 0, StopAtSecondCall, calls, &values);
  });
  std::vector<double> scores(sentences.size());
  ExpectCancelled([&](int* calls) {
    return firth_language_model_score(
        model, texts.bytes.data(), texts.offsets.data(), texts.sentences.data(),
        n, StopAtSecondCall, calls, scores.data(), nullptr, nullptr);
  });
  for (const std::string options :
       {R"({"count": 1000000, "temperature": 1})",
        R"({"beam": 1000, "max-tokens": 1000000, "unknown": true,
            "end-normalization": 1000, "expected-length": 1000000})"}) {
    ExpectCancelled([&](int* calls) {
      return firth_language_model_generate(model, options.data(),
                                           SizeOf(options), StopAtSecondCall,
                                           calls, &values);
    });
  }
  EXPECT_EQ(values, nullptr);
  firth_language_model_free(model);
}

TEST_F(CStoppingTest, Taggers) {
  FirthTagger* tagger = nullptr;
  const std::string& options = files_->tagger_options;
  ASSERT_TRUE(Fine(
      firth_tagger_load(files_->tagger_path.data(), SizeOf(files_->tagger_path),
                        options.data(), SizeOf(options), &tagger)));
  const CTexts texts(
      std::vector<std::vector<std::string>>(200'000, {"w1", "w2", "w3"}));
  std::vector<int32_t> tags(600'000, 7);
  ExpectCancelled([&](int* calls) {
    return firth_tagger_tag(tagger, texts.bytes.data(), texts.offsets.data(),
                            texts.sentences.data(), 200'000, StopAtSecondCall,
                            calls, tags.data(), nullptr);
  });
  EXPECT_THAT(tags, testing::Each(7));
  firth_tagger_free(tagger);
}

TEST_F(CStoppingTest, Texts) {
  FirthVectors* const vectors = Vectors(1000);
  FirthSentenceEncoder* encoder = nullptr;
  ASSERT_TRUE(
      Fine(firth_sentence_encoder_create(vectors, nullptr, 0, &encoder)));
  const CTexts texts(
      std::vector<std::string>(20'000, Repeated("w1 w2 w3 w4 w5 ", 100)));
  std::vector<float> rows(20'000 * 64, 7);
  ExpectCancelled([&](int* calls) {
    return firth_sentence_encoder_encode(
        encoder, texts.bytes.data(), texts.offsets.data(), texts.size(),
        StopAtSecondCall, calls, rows.data(), nullptr);
  });
  EXPECT_THAT(rows, testing::Each(7));
  firth_sentence_encoder_free(encoder);
  firth_vectors_free(vectors);
}

TEST_F(CStoppingTest, Phrases) {
  std::string line;
  for (int i = 0; i < 500; ++i) line += "w" + std::to_string(i * i % 397) + " ";
  const std::string text =
      files_->folder.Write("long.txt", Repeated(line + "\n", 8000));
  const std::string reading = R"({"min-count": 1, "input": [")" + text + "\"]}";
  FirthCorpus* corpus = nullptr;
  FirthCorpus* joined = nullptr;
  ASSERT_TRUE(Fine(firth_corpus_read(reading.data(), SizeOf(reading), nullptr,
                                     nullptr, nullptr, &corpus)));
  const std::string options =
      R"({"phrase-passes": 10, "phrase-threshold": 0.001})";
  ExpectCancelled([&](int* calls) {
    return firth_corpus_join_phrases(corpus, options.data(), SizeOf(options),
                                     StopAtSecondCall, calls, &joined, nullptr);
  });
  EXPECT_EQ(joined, nullptr);
  firth_corpus_free(corpus);
}

}  // namespace
}  // namespace firth
