// Sentence vectors on made-up topics: examples, learning, files, and what goes
// wrong.

#include "firth/sentence_training.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "firth/sentence_vectors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sentences/sentence_learner.h"
#include "sentences/sentence_sources.h"
#include "support/temp_files.h"
#include "support/tiny_vectors.h"
#include "support/trainings.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// `words` words of a topic, each as likely as the others, and some that all
// topics use.
std::string TopicText(int topic, int words, Rng* rng) {
  std::string text;
  for (int i = 0; i < words; ++i) {
    const uint32_t word = rng->Below(30);
    absl::StrAppend(&text, i > 0 ? " " : "",
                    word < 10 ? absl::StrCat("common", word)
                              : absl::StrCat("t", topic, "w", word));
  }
  return text;
}

std::string TopicTexts(int count, int words, uint64_t seed) {
  Rng rng(seed);
  std::string texts;
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&texts, TopicText(i % 20, words, &rng), "\n");
  }
  return texts;
}

SentenceTrainingOptions Small() {
  SentenceTrainingOptions options;
  options.dim = 16;
  options.min_count = 1;
  options.batch = 32;
  options.epochs = 10;
  options.held_out = 20;
  options.learning_rate = 0.02;
  options.threads = 1;
  return options;
}

class SentenceTrainingTest : public testing::Test {
 protected:
  SentenceInputs Texts(const std::string& text) const {
    SentenceInputs inputs;
    inputs.texts = {folder_.Write("texts.txt", text)};
    return inputs;
  }
  SentenceInputs Pairs(const std::string& text) const {
    SentenceInputs inputs;
    inputs.pairs = {folder_.Write("pairs.tsv", text)};
    return inputs;
  }

  static absl::StatusOr<VectorFile> Train(
      const SentenceInputs& inputs, const SentenceTrainingOptions& options,
      SentenceReport* report = nullptr, const VectorFile* start = nullptr,
      const Checkpointing& checkpointing = {}) {
    SentenceReport ignored;
    return TrainSentences(inputs, options, start, {},
                          report == nullptr ? &ignored : report, checkpointing);
  }

  std::string Saved(const VectorFile& file) const {
    const std::string path = folder_.File("saved.safetensors");
    EXPECT_EQ(SaveVectorFile(file, path, "safetensors"), absl::OkStatus());
    return ReadWholeFile(path);
  }

  TempFolder folder_;
};

std::vector<float> Encode(const WordVectors& vectors, const std::string& text,
                          size_t dim) {
  const auto encoder = SentenceEncoder::Create(vectors, {});
  EXPECT_EQ(encoder.status(), absl::OkStatus());
  std::vector<float> vector(encoder->dim());
  EXPECT_EQ(encoder->Encode(text, absl::MakeSpan(vector)).status(),
            absl::OkStatus());
  vector.resize(dim);
  return vector;
}

double Cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double product = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    product += double{a[i]} * b[i];
    aa += double{a[i]} * a[i];
    bb += double{b[i]} * b[i];
  }
  return product / std::sqrt(aa * bb);
}

// The fraction of new texts whose nearest other one has the same topic.
double RightTopics(const WordVectors& vectors, size_t dim) {
  Rng rng(77);
  std::vector<std::vector<float>> encoded;
  for (int i = 0; i < 100; ++i) {
    encoded.push_back(Encode(vectors, TopicText(i % 20, 6, &rng), dim));
  }
  double right = 0;
  for (size_t i = 0; i < encoded.size(); ++i) {
    size_t best = i == 0 ? 1 : 0;
    for (size_t j = 0; j < encoded.size(); ++j) {
      if (j != i &&
          Cosine(encoded[i], encoded[j]) > Cosine(encoded[i], encoded[best])) {
        best = j;
      }
    }
    right += best % 20 == i % 20 ? 0.01 : 0;
  }
  return right;
}

TEST_F(SentenceTrainingTest, LearnsTopicsFromSpansOfTexts) {
  SentenceReport report;
  const auto model = Train(Texts(TopicTexts(600, 20, 1)), Small(), &report);
  ASSERT_EQ(model.status(), absl::OkStatus());
  EXPECT_EQ(report.texts, 600u);
  EXPECT_EQ(report.held_out, 20u);
  ASSERT_THAT(report.epochs, SizeIs(10));
  EXPECT_LT(report.epochs.back().held_out_loss, report.epochs[0].held_out_loss);
  EXPECT_GT(RightTopics(model->vectors, 16), 0.9);
}

TEST_F(SentenceTrainingTest, NestedPrefixesAreUsefulAlone) {
  SentenceTrainingOptions options = Small();
  const SentenceInputs inputs = Texts(TopicTexts(600, 20, 1));
  const auto plain = Train(inputs, options);
  ASSERT_EQ(plain.status(), absl::OkStatus());
  options.nested = {4, 8};
  const auto nested = Train(inputs, options);
  ASSERT_EQ(nested.status(), absl::OkStatus());
  EXPECT_GT(RightTopics(nested->vectors, 16), 0.9);
  EXPECT_GT(RightTopics(nested->vectors, 4),
            RightTopics(plain->vectors, 4) + 0.1);
  EXPECT_THAT(nested->metadata.at("sentences"), HasSubstr("\"nested\":[4,8]"));
}

TEST_F(SentenceTrainingTest, LearnsFromPairsTriplesAndParaphrases) {
  Rng rng(3);
  std::string pairs, json, paraphrases;
  for (int i = 0; i < 300; ++i) {
    const auto text = [&](int topic) { return TopicText(topic % 20, 5, &rng); };
    absl::StrAppend(&pairs, text(i), "\t", text(i), "\t", text(i + 1), "\n");
    absl::StrAppend(&json, "{\"anchor\": \"", text(i), "\", \"positive\": \"",
                    text(i), "\"}\n");
    absl::StrAppend(&paraphrases, text(i), "\t", text(i), "\t", text(i), "\t",
                    text(i), "\n");
  }
  SentenceInputs inputs = Pairs(pairs);
  inputs.pairs.push_back(folder_.Write("pairs.jsonl", json));
  inputs.paraphrases = {folder_.Write("paraphrases.tsv", paraphrases)};
  SentenceReport report;
  SentenceTrainingOptions options = Small();
  options.optimizer = RowOptimizer::kAdagrad;
  options.learning_rate = 0.1;
  options.mix = {2, 1};
  const auto model = Train(inputs, options, &report);
  ASSERT_EQ(model.status(), absl::OkStatus());
  EXPECT_EQ(report.pairs, 600u);
  EXPECT_EQ(report.paraphrases, 300u);
  EXPECT_GT(RightTopics(model->vectors, 16), 0.9);
}

TEST_F(SentenceTrainingTest, ImitatesATeacher) {
  // The teacher has one direction for each topic.
  const int texts = 400;
  Rng rng(5);
  std::string lines;
  std::vector<float> teacher(texts * 20);
  for (int i = 0; i < texts; ++i) {
    absl::StrAppend(&lines, TopicText(i % 20, 6, &rng), "\n");
    teacher[i * 20 + i % 20] = 3;
  }
  SentenceInputs inputs;
  inputs.teacher_texts = folder_.Write("t.txt", lines);
  inputs.teacher_vectors = folder_.File("t.npy");
  ASSERT_EQ(SaveNpyArray(FloatTable(teacher, 20), inputs.teacher_vectors),
            absl::OkStatus());
  for (const TeacherLoss loss : {TeacherLoss::kGram, TeacherLoss::kCosine}) {
    SentenceTrainingOptions options = Small();
    options.dim = 20;
    options.epochs = 20;
    options.teacher_loss = loss;
    const auto model = Train(inputs, options);
    ASSERT_EQ(model.status(), absl::OkStatus());
    EXPECT_GT(RightTopics(model->vectors, 20), 0.9);
  }
  SentenceTrainingOptions options = Small();
  options.teacher_loss = TeacherLoss::kCosine;
  EXPECT_THAT(Train(inputs, options).status().message(),
              HasSubstr("expected vectors of 16 dimensions for teacher-loss "
                        "cosine, found 20"));
  teacher[25] = std::nanf("");
  ASSERT_EQ(SaveNpyArray(FloatTable(teacher, 20), inputs.teacher_vectors),
            absl::OkStatus());
  EXPECT_THAT(Train(inputs, options).status().message(),
              HasSubstr("t.npy: row 1: expected finite values"));
  teacher.resize(20);
  ASSERT_EQ(SaveNpyArray(FloatTable(teacher, 20), inputs.teacher_vectors),
            absl::OkStatus());
  EXPECT_THAT(Train(inputs, options).status().message(),
              HasSubstr("expected one row for each of the 400 texts, found an "
                        "array [1, 20]"));
}

TEST_F(SentenceTrainingTest, StartsWithVectorsAndBuildsUnknownWords) {
  // "t3w11s" is unknown, but has the n-grams of "t3w11".
  VectorFile start;
  std::vector<std::string> words;
  for (int w = 0; w < 10; ++w) words.push_back(absl::StrCat("common", w));
  for (int topic = 0; topic < 20; ++topic) {
    for (int w = 10; w < 30; ++w) {
      words.push_back(absl::StrCat("t", topic, "w", w));
    }
  }
  const std::vector<absl::string_view> views(words.begin(), words.end());
  const Vocabulary vocabulary =
      *Vocabulary::Create(views, std::vector<uint64_t>(words.size(), 5));
  const auto index = *SubwordIndex::Create(
      ExplicitSubwords{.min_n = 3, .max_n = 5, .min_count = 1}, vocabulary);
  start.vectors = *WordVectors::Create(
      vocabulary, FloatTable(RandomFloats(words.size() * 16, 1), 16),
      SubwordTables{
          index, {}, FloatTable(RandomFloats(index.rows() * 16, 2), 16)});
  SentenceTrainingOptions options = Small();
  options.ngram_examples = 20;
  SentenceReport report;
  const auto model =
      Train(Texts(TopicTexts(600, 20, 1)), options, &report, &start);
  ASSERT_EQ(model.status(), absl::OkStatus());
  EXPECT_EQ(report.rows, words.size() + index.rows());
  EXPECT_GT(RightTopics(model->vectors, 16), 0.6);  // by chance 0.05
  const auto unknown = [&](int topic) {
    return Encode(model->vectors,
                  absl::StrCat("t", topic, "w11s t", topic, "w12s"), 16);
  };
  const auto known = [&](int topic) {
    return Encode(model->vectors,
                  absl::StrCat("t", topic, "w15 t", topic, "w16"), 16);
  };
  double own = 0, others = 0;
  for (int topic = 0; topic < 20; ++topic) {
    own += Cosine(unknown(topic), known(topic)) / 20;
    others += Cosine(unknown(topic), known((topic + 7) % 20)) / 20;
  }
  EXPECT_GT(own, others + 0.3);

  // A file gives the same vectors, n-grams included.
  const std::string path = folder_.File("m.safetensors");
  ASSERT_EQ(SaveVectorFile(*model, path, "safetensors"), absl::OkStatus());
  const auto loaded = LoadVectorFile(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_EQ(Encode(loaded->vectors, "t3w11s common4", 16),
            Encode(model->vectors, "t3w11s common4", 16));
}

TEST_F(SentenceTrainingTest, TheModelReadsTextsInItsForm) {
  SentenceTrainingOptions options = Small();
  options.lowercase = true;
  options.epochs = 1;
  const auto model = Train(Texts(TopicTexts(100, 20, 1)), options);
  ASSERT_EQ(model.status(), absl::OkStatus());
  EXPECT_EQ(Encode(model->vectors, "T3W11 Common4", 16),
            Encode(model->vectors, "t3w11 common4", 16));
  VectorFile damaged = *model;
  damaged.metadata["sentences"] = "{}";
  const std::string path = folder_.File("damaged.safetensors");
  ASSERT_EQ(SaveVectorFile(damaged, path, "safetensors"), absl::OkStatus());
  EXPECT_THAT(LoadVectorFile(path).status().message(),
              HasSubstr("metadata \"sentences\": expected an object"));
}

// Rates at which nothing is learned.
SentenceTrainingOptions Frozen() {
  SentenceTrainingOptions options = Small();
  options.epochs = 1;
  options.learning_rate = 1e-9;
  options.weight_rate = 0;
  return options;
}

TEST_F(SentenceTrainingTest, AModelOfTextsStartsAsItIs) {
  const SentenceInputs inputs = Texts(TopicTexts(300, 20, 1));
  SentenceTrainingOptions options = Small();
  options.lowercase = true;
  const auto first = Train(inputs, options);
  ASSERT_EQ(first.status(), absl::OkStatus());
  const auto again = Train(inputs, Frozen(), nullptr, &*first);
  ASSERT_EQ(again.status(), absl::OkStatus());
  for (const char* text : {"common1 T3w11", "t3w12 t3w13 common4"}) {
    EXPECT_NEAR(Cosine(Encode(first->vectors, text, 16),
                       Encode(again->vectors, text, 16)),
                1, 1e-5);
  }
}

TEST_F(SentenceTrainingTest, AFolderReadsTextsInTheFormOfTheModel) {
  SentenceTrainingOptions options = Small();
  options.lowercase = true;
  options.split_punctuation = true;
  options.epochs = 1;
  const std::string texts = absl::StrCat(
      TopicTexts(100, 20, 1), "don't (stop) at 3.14, \u00e9t\u00e9 a_b. ok!\n",
      "stop! at don't \u00e9t\u00e9, 3.14: ok a_b\n");
  const auto model = Train(Texts(texts), options);
  ASSERT_EQ(model.status(), absl::OkStatus());
  const std::string path = absl::StrCat(folder_.File("folder"), "/");
  ASSERT_EQ(SaveVectorFile(*model, path, "model2vec"), absl::OkStatus());
  const auto loaded = LoadVectorFile(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_EQ(loaded->metadata.count("sentences"), 0);
  for (const char* text :
       {"Don't (STOP) at 3.14, \u00c9T\u00c9 A_B.", "T3W11!Common4... unknown",
        "3.14.stop a.b don't."}) {
    SCOPED_TRACE(text);
    EXPECT_NEAR(Cosine(Encode(model->vectors, text, 16),
                       Encode(loaded->vectors, text, 16)),
                1, 1e-5);
  }
}

TEST_F(SentenceTrainingTest, AFolderKeepsItsTokenizer) {
  // Words of topics are divided into pieces: "t3w11" into "t3" and "##w11".
  std::vector<std::string> tokens = {"[UNK]"};
  for (int w = 0; w < 10; ++w) tokens.push_back(absl::StrCat("common", w));
  for (int topic = 0; topic < 20; ++topic) {
    tokens.push_back(absl::StrCat("t", topic));
  }
  for (int w = 10; w < 30; ++w) tokens.push_back(absl::StrCat("##w", w));
  const std::vector<absl::string_view> views(tokens.begin(), tokens.end());
  VectorFile made;
  made.vectors =
      *WordVectors::Create(*Vocabulary::Create(views, {}),
                           FloatTable(RandomFloats(tokens.size() * 16, 3), 16));
  made.metadata = {{"tokenizer",
                    R"({"normalizer": {"type": "Lowercase"},
                        "pre_tokenizer": {"type": "WhitespaceSplit"},
                        "model": {"type": "WordPiece", "unk_token": "[UNK]",
                                  "continuing_subword_prefix": "##",
                                  "max_input_chars_per_word": 100,
                                  "vocab": {}}})"},
                   {"normalize", "false"}};
  const std::string path = absl::StrCat(folder_.File("start"), "/");
  ASSERT_EQ(SaveVectorFile(made, path, "model2vec"), absl::OkStatus());
  const auto start = LoadVectorFile(path);
  ASSERT_EQ(start.status(), absl::OkStatus());

  const SentenceInputs inputs = Texts(TopicTexts(600, 20, 1));
  SentenceReport report;
  const auto same = Train(inputs, Frozen(), &report, &*start);
  ASSERT_EQ(same.status(), absl::OkStatus());
  EXPECT_GT(report.words, 600u * 20);
  EXPECT_EQ(report.unknown, 0);
  const std::string text = "T3w11 common4 t7W29";
  EXPECT_NEAR(
      Cosine(Encode(start->vectors, text, 16), Encode(same->vectors, text, 16)),
      1, 1e-5);

  const auto model = Train(inputs, Small(), nullptr, &*start);
  ASSERT_EQ(model.status(), absl::OkStatus());
  EXPECT_GT(RightTopics(model->vectors, 16), 0.6);  // by chance 0.05
  const std::string trained = absl::StrCat(folder_.File("trained"), "/");
  ASSERT_EQ(SaveVectorFile(*model, trained, "model2vec"), absl::OkStatus());
  const auto loaded = LoadVectorFile(trained);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_EQ(Encode(loaded->vectors, text, 16),
            Encode(model->vectors, text, 16));

  SentenceTrainingOptions lowercase = Small();
  lowercase.lowercase = true;
  EXPECT_THAT(Train(inputs, lowercase, nullptr, &*start).status().message(),
              HasSubstr("lowercase: cannot be combined with vectors that have "
                        "a tokenizer"));
}

TEST_F(SentenceTrainingTest, ThreadsDoNotChangeTheResult) {
  SentenceTrainingOptions options = Small();
  options.nested = {8};
  options.epochs = 2;
  options.batch = 100;
  const SentenceInputs inputs = Texts(TopicTexts(600, 20, 1));
  std::set<std::string> results;
  for (const int threads : {1, 2, 5}) {
    options.threads = threads;
    const auto model = Train(inputs, options);
    ASSERT_EQ(model.status(), absl::OkStatus());
    results.insert(Saved(*model));
  }
  EXPECT_THAT(results, SizeIs(1));
}

TEST_F(SentenceTrainingTest, AResumedTrainingEndsAsAnUninterruptedOne) {
  const SentenceInputs inputs = Texts(TopicTexts(200, 20, 1));
  for (const RowOptimizer optimizer :
       {RowOptimizer::kAdam, RowOptimizer::kAdagrad}) {
    SentenceTrainingOptions options = Small();
    options.optimizer = optimizer;
    options.epochs = 3;
    const auto whole = Train(inputs, options);
    ASSERT_EQ(whole.status(), absl::OkStatus());
    SentenceReport report;
    const TempFolder saved;
    const auto train_on = [&](bool resume) {
      return Train(inputs, options, &report, nullptr,
                   Often(saved.path(), resume));
    };
    ASSERT_EQ(train_on(false).status(), absl::OkStatus());
    RemoveNewest(saved);
    const auto resumed = train_on(true);
    ASSERT_EQ(resumed.status(), absl::OkStatus());
    EXPECT_THAT(report.epochs, SizeIs(3));
    EXPECT_EQ(Saved(*resumed), Saved(*whole));
    options.learning_rate = 0.03;
    EXPECT_THAT(train_on(true).status().message(),
                HasSubstr("learning-rate was 0.02 and is now 0.03"));
  }
}

TEST_F(SentenceTrainingTest, AStoppedTrainingReturnsWhatItLearned) {
  StoppingSink sink;
  SentenceReport report;
  SentenceTrainingOptions options = Small();
  options.epochs = 10000;
  const auto model =
      TrainSentences(Texts(TopicTexts(200, 20, 1)), options, nullptr,
                     {{&sink, &sink.stop}, {}}, &report);
  ASSERT_EQ(model.status(), absl::OkStatus());
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(model->vectors.dim(), 16u);
}

TEST_F(SentenceTrainingTest, WrongInputIsNamed) {
  const SentenceTrainingOptions options = Small();
  EXPECT_THAT(Train(Pairs("a b\tc d\nonly one\n"), options).status().message(),
              HasSubstr("pairs.tsv:2: expected 2 or 3 texts separated by tabs, "
                        "found 1"));
  EXPECT_THAT(
      Train(Pairs("a b\tc d\n{\"anchor\": 1}\n"), options).status().message(),
      HasSubstr("pairs.tsv:2: expected a text as \"anchor\", found 1"));
  EXPECT_THAT(Train(Pairs("{\"anchor\": \"a\"\n"), options).status().message(),
              HasSubstr("pairs.tsv:1: expected a JSON object"));
  EXPECT_THAT(Train(Pairs("a\ta\nb\tb\n"), options).status().message(),
              HasSubstr("expected at least 2 examples of texts with known "
                        "words, found 0"));
  // All examples share a text, so that no batch has two of them.
  EXPECT_THAT(Train(Pairs("a\tb\na\tc\na\td\n"), options).status().message(),
              HasSubstr("expected two examples that share no text"));
  SentenceTrainingOptions unmixed = options;
  unmixed.mix = {0};
  EXPECT_THAT(Train(Pairs("a\tb\nc\td\n"), unmixed).status().message(),
              HasSubstr("mix: expected a number above 0"));
  SentenceTrainingOptions frequent = options;
  frequent.min_count = 50;
  EXPECT_THAT(Train(Pairs("a b\tc d\n"), frequent).status().message(),
              HasSubstr("min-count: none of the 4 different words occurs 50 "
                        "times"));
  SentenceTrainingOptions nested = options;
  nested.nested = {8, 32};
  EXPECT_THAT(Train(Texts(TopicTexts(50, 20, 1)), nested).status().message(),
              HasSubstr("nested: expected at most 16 dimensions"));
  nested.nested = {8, 8};
  EXPECT_THAT(nested.Validate().message(), HasSubstr("expected increasing"));
}

// Keeps the warnings.
class Warnings : public ProgressSink {
 public:
  void OnWarning(absl::string_view warning) override {
    warnings.emplace_back(warning);
  }
  std::vector<std::string> warnings;
};

TEST_F(SentenceTrainingTest, LinesThatAreLeftOutAreReported) {
  Warnings sink;
  SentenceReport report;
  SentenceTrainingOptions options = Small();
  options.epochs = 1;
  options.min_count = 2;
  // Equal texts, a text without known words, twice, and a text that is too
  // long. Empty lines are ignored.
  const std::string lines =
      absl::StrCat("a b\tb a\n\nb a\tb a\na\tx\na\ty\na\t",
                   std::string(2 << 20, 'z'), "\nc\tc c\n");
  const auto model = TrainSentences(Pairs(lines), options, nullptr,
                                    {{&sink, nullptr}, {}}, &report);
  ASSERT_EQ(model.status(), absl::OkStatus());
  EXPECT_EQ(report.pairs, 2u);
  EXPECT_THAT(
      sink.warnings,
      testing::IsSupersetOf(
          {testing::AllOf(HasSubstr("pairs.tsv:6: left out"),
                          HasSubstr("more than 1 MiB")),
           testing::AllOf(HasSubstr("pairs.tsv:4 and 1 other line: left out"),
                          HasSubstr("no known word")),
           testing::AllOf(HasSubstr("pairs.tsv:3: left out"),
                          HasSubstr("two texts are equal"))}));
}

TEST(SentenceSourcesTest, SpansDoNotOverlap) {
  SentenceTrainingOptions options;
  for (size_t words = 2; words < 100; ++words) {
    for (uint64_t key = 0; key < 20; ++key) {
      const TwoSpans spans = DrawTwoSpans(words, options, key);
      auto [first, second] = std::pair(spans.first, spans.second);
      if (first > second) std::swap(first, second);
      for (const auto& [begin, count] : {first, second}) {
        EXPECT_GE(count, std::min<size_t>(words / 2, options.min_span));
        EXPECT_LE(count, options.max_span);
        EXPECT_LE(begin + count, words);
      }
      EXPECT_LE(first.first + first.second, second.first);
    }
  }
}

TEST(SentenceSourcesTest, NoTextIsTwiceInABatch) {
  SentenceSources sources;
  ExampleSource& pairs = sources[SourceKind::kPairs];
  for (uint32_t i = 0; i < 500; ++i) {
    // 40 different anchors.
    pairs.texts.Add({i % 40});
    pairs.texts.Add({1000 + i});
    pairs.begins.push_back(pairs.texts.size());
  }
  SentenceTrainingOptions options;
  options.batch = 30;
  HeldOutExamples held_out;
  held_out[1] = {3, 7};
  const auto batches = BatchesOfEpoch(sources, held_out, options, 0);
  std::multiset<uint32_t> used;
  for (const ExampleBatch& batch : batches) {
    std::set<uint32_t> anchors;
    for (const uint32_t example : batch.examples) {
      anchors.insert(pairs.texts.Text(pairs.begins[example])[0]);
      used.insert(example);
    }
    EXPECT_EQ(anchors.size(), batch.examples.size());
    EXPECT_LE(batch.examples.size(), 30u);
    EXPECT_GE(batch.examples.size(), 2u);
  }
  EXPECT_EQ(used.count(3) + used.count(7), 0u);
  EXPECT_GE(used.size(), 490u);
  EXPECT_EQ(std::set<uint32_t>(used.begin(), used.end()).size(), used.size());
  const auto again = BatchesOfEpoch(sources, held_out, options, 0);
  ASSERT_EQ(again.size(), batches.size());
  EXPECT_EQ(again[0].examples, batches[0].examples);
  EXPECT_NE(BatchesOfEpoch(sources, held_out, options, 1)[0].examples,
            batches[0].examples);
}

TEST(SentenceSourcesTest, KindsAreMixedInTheirProportions) {
  SentenceSources sources;
  for (const SourceKind kind : {SourceKind::kSpans, SourceKind::kPairs}) {
    ExampleSource& source = sources[kind];
    const uint32_t size = kind == SourceKind::kSpans ? 900 : 100;
    for (uint32_t i = 0; i < size; ++i) {
      source.texts.Add({i, 1, 2});
      if (kind == SourceKind::kPairs) source.texts.Add({i, 3});
      source.begins.push_back(source.texts.size());
    }
  }
  SentenceTrainingOptions options;
  options.batch = 10;
  options.mix = {1, 3, 0, 0};
  size_t counts[kSourceKinds] = {};
  for (const ExampleBatch& batch : BatchesOfEpoch(sources, {}, options, 0)) {
    counts[static_cast<size_t>(batch.kind)] += batch.examples.size();
  }
  EXPECT_THAT(counts, ElementsAre(250, 750, 0, 0));
}

TEST(BagRowsTest, SumsAndGradientsAreThoseOfPlainLoops) {
  constexpr size_t kRows = 5, kDim = 3;
  BagRows rows(kRows, kDim);
  const std::vector<float> values = RandomFloats(kRows * kDim, 1);
  std::copy(values.begin(), values.end(), rows.rows().data());
  const std::vector<float> logs = RandomFloats(kRows, 2);
  std::copy(logs.begin(), logs.end(), rows.logs().data());
  Bags bags;
  const std::vector<std::vector<std::pair<uint32_t, float>>> texts = {
      {{1, 1}, {4, 0.5f}, {1, 1}}, {}, {{0, 1}, {4, 1}}};
  for (const auto& text : texts) {
    for (const auto& [row, factor] : text) bags.Push(row, factor);
    bags.EndText();
  }
  Matrix<float> vectors(3, kDim);
  rows.Forward(bags, vectors.view());
  const std::vector<float> d_vectors = RandomFloats(3 * kDim, 3);
  rows.Backward(bags, ConstView<float>(d_vectors.data(), 3, kDim));
  std::vector<float> d_rows(kRows * kDim), d_logs(kRows);
  for (size_t t = 0; t < texts.size(); ++t) {
    for (size_t d = 0; d < kDim; ++d) {
      float sum = 0;
      for (const auto& [row, factor] : texts[t]) {
        const float weight = factor * std::exp(logs[row]);
        sum += weight * values[row * kDim + d];
        d_rows[row * kDim + d] += weight * d_vectors[t * kDim + d];
        d_logs[row] +=
            weight * values[row * kDim + d] * d_vectors[t * kDim + d];
      }
      EXPECT_NEAR(vectors.Row(t)[d], sum, 1e-6);
    }
  }
  const nn::Gradient<float>& gradient = rows.row_parameters()[0]->gradient;
  const nn::Gradient<float>& of_logs = rows.weight_parameters()[0]->gradient;
  ASSERT_EQ(gradient.num_stored(), 3u);
  for (size_t k = 0; k < 3; ++k) {
    const size_t row = gradient.TableRow(k);
    EXPECT_NEAR(*of_logs.Stored(k), d_logs[row], 1e-6);
    for (size_t d = 0; d < kDim; ++d) {
      EXPECT_NEAR(gradient.Stored(k)[d], d_rows[row * kDim + d], 1e-6);
    }
  }
}

}  // namespace
}  // namespace firth
