// Texts and trainings of the C interface: callbacks, and what comes of them.

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "c/c_test_support.h"
#include "c/handles.h"
#include "c/long_call.h"
#include "firth/firth.h"
#include "firth/vector_training.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What callbacks get, and what they do.
struct Caller {
  static int32_t Progress(void* context, const char* event, int64_t size) {
    Caller* const caller = static_cast<Caller*>(context);
    EXPECT_EQ(std::this_thread::get_id(), caller->thread);
    caller->events.emplace_back(event == nullptr ? "" : event,
                                static_cast<size_t>(size));
    return caller->on_progress ? caller->on_progress() : 0;
  }
  static int32_t Next(void* context, FirthSentenceSink* sink) {
    Caller* const caller = static_cast<Caller*>(context);
    EXPECT_EQ(std::this_thread::get_id(), caller->thread);
    caller->sink = sink;
    return caller->on_next(sink);
  }

  std::thread::id thread = std::this_thread::get_id();
  std::vector<std::string> events;
  std::function<int32_t()> on_progress;
  std::function<int32_t(FirthSentenceSink*)> on_next;
  FirthSentenceSink* sink = nullptr;
};

FirthStatus* Add(FirthSentenceSink* sink,
                 const std::vector<std::vector<std::string>>& sentences) {
  const CTexts texts(sentences);
  return firth_sentence_sink_add(sink, texts.bytes.data(), texts.offsets.data(),
                                 texts.sentences.data(),
                                 static_cast<int64_t>(sentences.size()));
}

// Hands over these batches, one a call.
std::function<int32_t(FirthSentenceSink*)> Batches(
    std::vector<std::vector<std::vector<std::string>>> batches) {
  return [batches, next = size_t{0}](FirthSentenceSink* sink) mutable {
    if (next < batches.size()) {
      EXPECT_TRUE(Fine(Add(sink, batches[next++])));
    }
    return 0;
  };
}

FirthStatus* ReadSentences(Caller* caller, const std::string& options,
                           FirthCorpus** corpus) {
  return firth_corpus_read_sentences(Caller::Next, options.data(),
                                     SizeOf(options), nullptr, Caller::Progress,
                                     caller, corpus);
}

std::vector<std::string> WordsOf(const FirthCorpus* corpus) {
  const char* bytes = nullptr;
  const int64_t* offsets = nullptr;
  int64_t count = 0;
  EXPECT_TRUE(Fine(firth_corpus_words(corpus, &bytes, &offsets, &count)));
  std::vector<std::string> words;
  for (int64_t i = 0; i < count; ++i) {
    words.emplace_back(bytes + offsets[i], bytes + offsets[i + 1]);
  }
  return words;
}

constexpr char kAll[] = R"({"min-count": 1})";

TEST(CCorpusTest, SentencesAreReadOnceWithTheirWhiteSpace) {
  Caller caller;
  caller.on_next = Batches({{{"a b", "c"}, {}, {"c"}}, {{"c", "a b", "\n"}}});
  FirthCorpus* corpus = nullptr;
  ASSERT_TRUE(Fine(ReadSentences(&caller, kAll, &corpus)));
  EXPECT_THAT(WordsOf(corpus), ElementsAre("c", "a b", "\n"));
  const int64_t* counts = nullptr;
  ASSERT_TRUE(Fine(firth_corpus_counts(corpus, &counts)));
  EXPECT_THAT(absl::MakeConstSpan(counts, 3), ElementsAre(3, 2, 1));
  FirthBuffer* json = nullptr;
  ASSERT_TRUE(Fine(firth_corpus_describe(corpus, &json)));
  const auto report = nlohmann::json::parse(TextOf(json));
  EXPECT_EQ(report["tokens"], 6);
  EXPECT_EQ(report["lines"], 4);
  firth_corpus_free(corpus);
}

TEST(CCorpusTest, SentencesGiveWhatTheSameFileGives) {
  const TempFolder folder;
  std::string text;
  std::vector<std::vector<std::vector<std::string>>> batches(20);
  for (int i = 0; i < 4000; ++i) {
    const std::vector<std::string> sentence = {
        absl::StrCat("w", i % 7), absl::StrCat("w", i % 101), "end"};
    absl::StrAppend(&text, sentence[0], " ", sentence[1], " end\n");
    batches[static_cast<size_t>(i) / 200].push_back(sentence);
  }
  const std::string options = R"({"min-count": 20, "dim": 5, "epochs": 1,
      "threads": 1})";
  const std::string with_input =
      R"({"min-count": 20, "input": [")" + folder.Write("t.txt", text) + "\"]}";
  Caller caller;
  caller.on_next = Batches(batches);
  FirthCorpus *of_caller = nullptr, *of_file = nullptr;
  ASSERT_TRUE(Fine(ReadSentences(&caller, options, &of_caller)));
  ASSERT_TRUE(Fine(firth_corpus_read(with_input.data(), SizeOf(with_input),
                                     nullptr, nullptr, nullptr, &of_file)));
  EXPECT_EQ(WordsOf(of_caller), WordsOf(of_file));
  std::vector<std::vector<float>> trained;
  for (FirthCorpus* corpus : {of_caller, of_file}) {
    FirthVectors* vectors = nullptr;
    ASSERT_TRUE(
        Fine(firth_train(corpus, options.data(), SizeOf(options), nullptr,
                         nullptr, nullptr, &vectors, nullptr)));
    std::vector<float>& rows = trained.emplace_back(5 * 8);
    const int64_t ids[] = {0, 1, 2, 3, 4, 5, 6, 7};
    EXPECT_TRUE(Fine(firth_vectors_copy(vectors, ids, 8, rows.data())));
    firth_vectors_free(vectors);
    firth_corpus_free(corpus);
  }
  EXPECT_EQ(trained[0], trained[1]);
}

TEST(CCorpusTest, ASinkRefusesWhatIsNoSentence) {
  Caller caller;
  std::vector<std::string> messages;
  caller.on_next = [&](FirthSentenceSink* sink) {
    if (!messages.empty()) return 0;
    messages.push_back(FailureOf(Add(sink, {{"a", "", "b"}})).message);
    const int64_t offsets[] = {0, 2, 1}, sentences[] = {0, 2};
    messages.push_back(
        FailureOf(firth_sentence_sink_add(sink, "ab", offsets, sentences, 1))
            .message);
    messages.push_back(
        FailureOf(firth_sentence_sink_add(sink, "ab", offsets, sentences, -1))
            .message);
    EXPECT_TRUE(Fine(Add(sink, {{"kept"}})));
    return 0;
  };
  FirthCorpus* corpus = nullptr;
  ASSERT_TRUE(Fine(ReadSentences(&caller, kAll, &corpus)));
  EXPECT_THAT(messages,
              ElementsAre("words: word 1 is empty",
                          "offsets: expected 2 or more at position 2, found 1",
                          "n: must be 0 or more, found -1"));
  EXPECT_THAT(WordsOf(corpus), ElementsAre("kept"));
  firth_corpus_free(corpus);
  EXPECT_EQ(FailureOf(Add(caller.sink, {{"late"}})).code,
            FIRTH_INVALID_ARGUMENT);
}

TEST(CCorpusTest, ASinkIsClosedOutsideOfItsCall) {
  Caller caller;
  CFailure failure;
  caller.on_next = Batches({{{"a"}}});
  caller.on_progress = [&] {
    if (caller.sink != nullptr && failure.code == FIRTH_OK) {
      failure = FailureOf(Add(caller.sink, {{"b"}}));
    }
    return 0;
  };
  FirthCorpus* corpus = nullptr;
  ASSERT_TRUE(Fine(ReadSentences(&caller, kAll, &corpus)));
  firth_corpus_free(corpus);
  EXPECT_EQ(failure.code, FIRTH_FAILED_PRECONDITION);
}

TEST(CCorpusTest, ACallbackThatFailsCancels) {
  for (const bool progress : {false, true}) {
    Caller caller;
    caller.on_next = [&](FirthSentenceSink* sink) {
      EXPECT_TRUE(Fine(Add(sink, {{"a"}})));
      return progress ? 0 : 1;
    };
    if (progress) caller.on_progress = [] { return 1; };
    FirthCorpus* corpus = nullptr;
    EXPECT_EQ(FailureOf(ReadSentences(&caller, kAll, &corpus)).code,
              FIRTH_CANCELLED);
    EXPECT_EQ(corpus, nullptr);
    if (progress) {
      EXPECT_EQ(caller.events.size(), 1u);
    }
  }
}

TEST(CCorpusTest, ACallbackThatThrowsEndsTheCallOnly) {
  const size_t before = c::NumHandles();
  for (const bool progress : {false, true}) {
    Caller caller;
    caller.on_next = [&](FirthSentenceSink* sink) {
      if (!progress) throw std::runtime_error("from the caller");
      EXPECT_TRUE(Fine(Add(sink, {{"a"}})));
      return 0;
    };
    if (progress) {
      caller.on_progress = []() -> int32_t { throw std::bad_alloc(); };
    }
    FirthCorpus* corpus = nullptr;
    EXPECT_EQ(FailureOf(ReadSentences(&caller, kAll, &corpus)).code,
              progress ? FIRTH_RESOURCE_EXHAUSTED : FIRTH_INTERNAL);
    EXPECT_EQ(corpus, nullptr);
  }
  EXPECT_EQ(c::NumHandles(), before);
}

TEST(CCorpusTest, ErrorsOfTheTextComeOut) {
  const TempFolder folder;
  const std::string bad =
      R"({"utf8": "error", "input": [")" + folder.Write("t", "\xff") + "\"]}";
  FirthCorpus* corpus = nullptr;
  const CFailure failure = FailureOf(firth_corpus_read(
      bad.data(), SizeOf(bad), nullptr, nullptr, nullptr, &corpus));
  EXPECT_EQ(failure.code, FIRTH_INVALID_ARGUMENT);
  EXPECT_THAT(failure.message, HasSubstr("t:1"));
}

TEST(CLongCallTest, ACallbackIsCalledWhileNothingHappens) {
  Caller caller;
  std::atomic<int> calls = 0;
  caller.on_progress = [&] { return ++calls, 0; };
  c::LongCall call(Caller::Progress, nullptr, &caller);
  EXPECT_EQ(call.Run([&](const Hooks&) {
    while (calls < 3) std::this_thread::yield();
    return absl::OkStatus();
  }),
            absl::OkStatus());
  EXPECT_THAT(caller.events, testing::Each(""));
}

TEST(CLongCallTest, ASlowCallbackGetsTheLatestFiguresAndEveryMessage) {
  Caller caller;
  std::atomic<bool> all_sent = false;
  std::atomic<int> calls = 0;
  // The first call comes before the work.
  caller.on_progress = [&] {
    while (++calls > 1 && !all_sent) std::this_thread::yield();
    return 0;
  };
  c::LongCall call(Caller::Progress, nullptr, &caller);
  ASSERT_EQ(call.Run([&](const Hooks& hooks) {
    hooks.progress->OnWarning("first");
    while (calls < 2) std::this_thread::yield();
    for (uint64_t i = 0; i < 1000; ++i) {
      hooks.progress->OnRead({.tokens = i});
    }
    hooks.progress->OnMilestone("second \"one\"");
    hooks.progress->OnTrain({.fraction = 0.25});
    hooks.progress->OnTrain({.fraction = 0.5, .epoch = 3});
    all_sent = true;
    return absl::OkStatus();
  }),
            absl::OkStatus());
  std::erase(caller.events, "");
  ASSERT_EQ(caller.events.size(), 4u);
  EXPECT_EQ(caller.events[0], R"({"event":"warning","message":"first"})");
  EXPECT_THAT(caller.events[1], HasSubstr(R"("tokens":999)"));
  EXPECT_EQ(caller.events[2],
            R"({"event":"milestone","message":"second \"one\""})");
  EXPECT_EQ(caller.events[3],
            R"({"event":"train","fraction":0.5,"epoch":3,"loss":0.0,)"
            R"("learning_rate":0.0,"words_per_second":0.0,)"
            R"("seconds_left":0.0})");
}

TEST(CLongCallTest, ASlowCallbackGetsEveryEpoch) {
  Caller caller;
  std::atomic<bool> all_sent = false;
  std::atomic<int> calls = 0;
  caller.on_progress = [&] {
    while (++calls > 1 && !all_sent) std::this_thread::yield();
    return 0;
  };
  c::LongCall call(Caller::Progress, nullptr, &caller);
  ASSERT_EQ(call.Run([&](const Hooks& hooks) {
    hooks.progress->OnTrain({.epoch = 0});
    while (calls < 2) std::this_thread::yield();
    hooks.progress->OnEpoch({0, 3.5});
    hooks.progress->OnEpoch({1, 2.5});
    hooks.progress->OnTrain({.epoch = 2});
    hooks.progress->OnEpoch({2, 1.5});
    all_sent = true;
    return absl::OkStatus();
  }),
            absl::OkStatus());
  std::erase(caller.events, "");
  ASSERT_EQ(caller.events.size(), 5u);
  EXPECT_EQ(caller.events[1], R"({"event":"epoch","epoch":0,"loss":3.5})");
  EXPECT_EQ(caller.events[2], R"({"event":"epoch","epoch":1,"loss":2.5})");
  EXPECT_THAT(caller.events[3], HasSubstr(R"("epoch":2)"));
  EXPECT_EQ(caller.events[4], R"({"event":"epoch","epoch":2,"loss":1.5})");
}

TEST(CLongCallTest, WorkWaitsWhileAnEpochsVectorsAreLent) {
  const std::function<absl::StatusOr<WordVectors>()> copy = [] {
    return WordVectors();
  };
  std::atomic<bool> goes_on = false;
  int epochs = 0;
  Caller caller;
  caller.on_progress = [&] {
    if (const EpochProgress* const epoch = c::AnnouncedEpoch()) {
      EXPECT_EQ(epoch->copy_vectors, &copy);
      EXPECT_FALSE(goes_on);
      ++epochs;
    }
    return 0;
  };
  c::LongCall call(Caller::Progress, nullptr, &caller);
  ASSERT_EQ(call.Run([&](const Hooks& hooks) {
    hooks.progress->OnEpoch({0, 3.5, &copy});
    goes_on = true;
    return absl::OkStatus();
  }),
            absl::OkStatus());
  EXPECT_EQ(epochs, 1);
  EXPECT_EQ(c::AnnouncedEpoch(), nullptr);
}

TEST(CLongCallTest, WhatTheWorkThrowsIsAnError) {
  c::LongCall call(nullptr, nullptr, nullptr);
  EXPECT_EQ(call.Run([](const Hooks&) -> absl::Status {
                  throw std::runtime_error("in the work");
                })
                .code(),
            absl::StatusCode::kInternal);
}

// Trainings on a text of two topics.
class CTrainTest : public testing::Test {
 protected:
  CTrainTest() {
    std::string text;
    for (int i = 0; i < 300; ++i) {
      text += i % 2 == 0 ? "sun moon star sky\n" : "bread milk salt rice\n";
    }
    path = folder.Write("t.txt", text);
    corpus = Read(nullptr);
  }
  ~CTrainTest() override { firth_corpus_free(corpus); }

  FirthCorpus* Read(const FirthVectors* update) {
    const std::string options = absl::StrCat(R"({"input": [")", path, "\"]}");
    FirthCorpus* read = nullptr;
    EXPECT_TRUE(Fine(firth_corpus_read(options.data(), SizeOf(options), update,
                                       nullptr, nullptr, &read)));
    return read;
  }

  TempFolder folder;
  std::string path;
  FirthCorpus* corpus = nullptr;
  std::string options = R"({"dim": 8, "epochs": 100, "threads": 1, "sample": 0,
                            "learning-rate": 0.1, "negative": 2})";
  FirthVectors* vectors = nullptr;
};

// Of a word that has 8 values, its own or those of its n-grams.
std::vector<float> VectorOf(const FirthVectors* vectors,
                            const std::string& word) {
  const int64_t offsets[] = {0, SizeOf(word)};
  std::vector<float> row(8);
  int8_t from = 0;
  EXPECT_TRUE(Fine(firth_vectors_lookup(vectors, word.data(), offsets, 1,
                                        row.data(), &from)));
  return row;
}

TEST_F(CTrainTest, TopicsAreLearnt) {
  Caller caller;
  FirthBuffer* json = nullptr;
  ASSERT_TRUE(Fine(firth_train(corpus, options.data(), SizeOf(options), nullptr,
                               Caller::Progress, &caller, &vectors, &json)));
  const auto report = nlohmann::json::parse(TextOf(json));
  EXPECT_EQ(report["interrupted"], false);
  EXPECT_EQ(report["options"]["dim"], 8);
  EXPECT_EQ(report["corpus"]["tokens"], 1200);
  EXPECT_EQ(report["loss"].size(), 100u);
  std::erase(caller.events, "");
  EXPECT_TRUE(absl::StrContains(caller.events[0], "\"memory\""));
  int64_t sun = -1, near[3];
  float scores[3];
  ASSERT_TRUE(Fine(firth_vectors_find(vectors, "sun", 3, &sun)));
  FirthSearch* search = nullptr;
  ASSERT_TRUE(Fine(
      firth_search_create(vectors, nullptr, 0, nullptr, nullptr, &search)));
  ASSERT_TRUE(Fine(
      firth_search_words(search, &sun, 1, 3, nullptr, nullptr, near, scores)));
  const std::vector<std::string> words = WordsOf(corpus);
  EXPECT_THAT((std::vector<std::string>{words[static_cast<size_t>(near[0])],
                                        words[static_cast<size_t>(near[1])],
                                        words[static_cast<size_t>(near[2])]}),
              testing::UnorderedElementsAre("moon", "star", "sky"));
  firth_search_free(search);
  firth_vectors_free(vectors);
}

TEST_F(CTrainTest, VectorsAreCopiedAfterEachEpoch) {
  for (const std::string n_grams : {"", R"(, "min-n": 2, "max-n": 3)"}) {
    options = absl::StrCat(
        R"({"dim": 8, "epochs": 3, "threads": 2, "sample": 0)", n_grams, "}");
    std::vector<FirthVectors*> copies;
    Caller caller;
    caller.on_progress = [&] {
      FirthVectors* copy = nullptr;
      if (absl::StrContains(caller.events.back(), "\"epoch\",")) {
        EXPECT_TRUE(Fine(firth_epoch_vectors(&copy)));
        copies.push_back(copy);
      } else {
        EXPECT_THAT(FailureOf(firth_epoch_vectors(&copy)).message,
                    HasSubstr("during an \"epoch\" event"));
      }
      return 0;
    };
    ASSERT_TRUE(
        Fine(firth_train(corpus, options.data(), SizeOf(options), nullptr,
                         Caller::Progress, &caller, &vectors, nullptr)));
    ASSERT_EQ(copies.size(), 3u);
    const std::vector<float> learned = VectorOf(vectors, "sun");
    EXPECT_NE(VectorOf(copies[0], "sun"), VectorOf(copies[1], "sun"));
    EXPECT_NE(VectorOf(copies[1], "sun"), learned);
    EXPECT_EQ(VectorOf(copies[2], "sun"), learned);
    const std::vector<float> of_n_grams = VectorOf(vectors, "sunsun");
    EXPECT_EQ(VectorOf(copies[2], "sunsun"), of_n_grams);
    EXPECT_EQ(of_n_grams == std::vector<float>(8), n_grams.empty());
    for (FirthVectors* const copy : copies) firth_vectors_free(copy);
    firth_vectors_free(vectors);
  }
}

TEST_F(CTrainTest, ViewsHaveNoVectorsBeforeTheEnd) {
  options = R"({"dim": 8, "epochs": 1, "threads": 1, "views": [1, 2]})";
  int refusals = 0;
  Caller caller;
  caller.on_progress = [&] {
    FirthVectors* copy = nullptr;
    const CFailure failure = FailureOf(firth_epoch_vectors(&copy));
    EXPECT_EQ(failure.code, FIRTH_FAILED_PRECONDITION);
    refusals += absl::StrContains(failure.message, "views") ? 1 : 0;
    return 0;
  };
  ASSERT_TRUE(Fine(firth_train(corpus, options.data(), SizeOf(options), nullptr,
                               Caller::Progress, &caller, &vectors, nullptr)));
  EXPECT_EQ(refusals, 2);
  firth_vectors_free(vectors);
}

TEST_F(CTrainTest, AModelGoesOnWithMoreText) {
  ASSERT_TRUE(Fine(firth_train(corpus, options.data(), SizeOf(options), nullptr,
                               nullptr, nullptr, &vectors, nullptr)));
  path = folder.Write(
      "more.txt",
      std::string("sun bread new new new new new new\nsun bread new\n"));
  FirthCorpus* const more = Read(vectors);
  EXPECT_EQ(WordsOf(more).size(), 9u);
  FirthVectors* updated = nullptr;
  const std::string bad = R"({"dim": 9})";
  EXPECT_THAT(FailureOf(firth_train(more, bad.data(), SizeOf(bad), nullptr,
                                    nullptr, nullptr, &updated, nullptr))
                  .message,
              HasSubstr("dim was 8 and is now 9"));
  const std::string one = R"({"epochs": 1, "threads": 1})";
  ASSERT_TRUE(Fine(firth_train(more, one.data(), SizeOf(one), nullptr, nullptr,
                               nullptr, &updated, nullptr)));
  int64_t id = -1;
  EXPECT_TRUE(Fine(firth_vectors_find(updated, "new", 3, &id)));
  EXPECT_GE(id, 0);
  firth_vectors_free(updated);
  firth_vectors_free(vectors);
  firth_corpus_free(more);
}

TEST_F(CTrainTest, StoppingKeepsWhatWasLearnt) {
  Caller caller;
  caller.on_progress = [] { return 1; };
  const std::string long_training =
      R"({"dim": 8, "epochs": 10000, "threads": 1, "sample": 0})";
  FirthBuffer* json = nullptr;
  ASSERT_TRUE(
      Fine(firth_train(corpus, long_training.data(), SizeOf(long_training),
                       nullptr, Caller::Progress, &caller, &vectors, &json)));
  EXPECT_EQ(nlohmann::json::parse(TextOf(json))["interrupted"], true);
  EXPECT_EQ(caller.events.size(), 1u);
  firth_vectors_free(vectors);
}

TEST_F(CTrainTest, InitialVectorsAreKeptWhereTheyAreFrozen) {
  FirthVectors* const initial = VectorsOf({"sun", "else"}, {1, 2, 3, 4});
  const std::string frozen =
      R"({"freeze-init": true, "epochs": 1, "threads": 1, "sample": 0})";
  ASSERT_TRUE(Fine(firth_train(corpus, frozen.data(), SizeOf(frozen), initial,
                               nullptr, nullptr, &vectors, nullptr)));
  int64_t ids[2];
  ASSERT_TRUE(Fine(firth_vectors_find(vectors, "sun", 3, &ids[0])));
  ASSERT_TRUE(Fine(firth_vectors_find(vectors, "else", 4, &ids[1])));
  float rows[4];
  ASSERT_TRUE(Fine(firth_vectors_copy(vectors, ids, 2, rows)));
  EXPECT_THAT(rows, ElementsAre(1, 2, 3, 4));
  firth_vectors_free(vectors);
  firth_vectors_free(initial);
}

// A file of the words "sun" and `second`, [2, 2], opened without a look at it.
FirthVectors* Unchecked(const TempFolder& folder, const std::string& second,
                        float last) {
  FirthVectors* vectors = VectorsOf({"sun", "xxx"}, {1, 2, 3, 123.25f});
  const std::string path = folder.File("unchecked.safetensors");
  EXPECT_TRUE(Fine(firth_vectors_save(vectors, path.data(), SizeOf(path),
                                      nullptr, 0, nullptr, nullptr)));
  firth_vectors_free(vectors);
  constexpr float kBefore = 123.25f;
  const std::string before(reinterpret_cast<const char*>(&kBefore), 4);
  const std::string after(reinterpret_cast<const char*>(&last), 4);
  folder.Write("unchecked.safetensors",
               absl::StrReplaceAll(ReadWholeFile(path),
                                   {{"xxx", second}, {before, after}}));
  vectors = nullptr;
  EXPECT_TRUE(Fine(firth_vectors_load(path.data(), SizeOf(path), nullptr, 0,
                                      nullptr, nullptr, &vectors)));
  return vectors;
}

TEST_F(CTrainTest, VectorsToStartFromAreChecked) {
  for (const auto& [vectors_to_start, message] :
       {std::pair(Unchecked(folder, "sun", 4), "duplicate word \"sun\""),
        std::pair(Unchecked(folder, "new", NAN),
                  "row 1 of the vectors contains NaN or infinity")}) {
    EXPECT_THAT(
        FailureOf(firth_train(corpus, options.data(), SizeOf(options),
                              vectors_to_start, nullptr, nullptr, &vectors,
                              nullptr))
            .message,
        testing::AllOf(testing::StartsWith("initial: "), HasSubstr(message)));
    const std::string read = absl::StrCat(R"({"input": [")", path, "\"]}");
    FirthCorpus* more = nullptr;
    EXPECT_NE(
        FailureOf(firth_corpus_read(read.data(), SizeOf(read), vectors_to_start,
                                    nullptr, nullptr, &more))
            .code,
        FIRTH_OK);
    FirthLanguageModel* model = nullptr;
    EXPECT_THAT(
        FailureOf(firth_language_model_train(corpus, nullptr, 0,
                                             vectors_to_start, nullptr, nullptr,
                                             &model, nullptr))
            .message,
        testing::AllOf(testing::StartsWith("vectors: "), HasSubstr(message)));
    firth_vectors_free(vectors_to_start);
  }
  EXPECT_EQ(vectors, nullptr);
}

TEST_F(CTrainTest, PhrasesAreJoined) {
  Caller caller;
  std::vector<std::vector<std::string>> sentences(50,
                                                  {"new", "york", "is", "new"});
  sentences.insert(sentences.end(), 50, {"is", "it", "so"});
  caller.on_next = Batches({sentences});
  FirthCorpus *text = nullptr, *joined = nullptr;
  ASSERT_TRUE(Fine(ReadSentences(&caller, kAll, &text)));
  const std::string scores =
      R"({"phrase-threshold": 4, "phrase-min-count": 5})";
  FirthBuffer* json = nullptr;
  ASSERT_TRUE(Fine(firth_corpus_join_phrases(
      text, scores.data(), SizeOf(scores), nullptr, nullptr, &joined, &json)));
  // (50 - 5) * 350 / (50 * 50) = 6.3; others have words that occur 100 times.
  const auto phrases = nlohmann::json::parse(TextOf(json));
  ASSERT_EQ(phrases.size(), 1u);
  EXPECT_EQ(phrases[0]["text"], "it_so");
  EXPECT_EQ(phrases[0]["count"], 50);
  EXPECT_NEAR(phrases[0]["score"].get<double>(), 6.3, 1e-9);
  EXPECT_THAT(WordsOf(joined), ElementsAre("new", "is", "york", "it_so"));
  firth_corpus_free(text);
  firth_corpus_free(joined);
}

}  // namespace
}  // namespace firth
