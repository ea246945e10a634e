// Vectors of documents: training, inference and files.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/rng.h"
#include "corpus/token_stream.h"
#include "documents/document_options.h"
#include "documents/infer_shard.h"
#include "firth/documents.h"
#include "firth/file_info.h"
#include "firth/query.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "objective/objective_tables.h"
#include "support/temp_files.h"
#include "support/trainings.h"
#include "train/sentence_reader.h"
#include "train/worker.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Words = std::vector<std::string>;

// Document i is about topic i % 2, whose words are w0 to w9 or w10 to w19.
std::vector<Words> TwoTopics(size_t count, uint64_t seed) {
  Rng rng(seed);
  std::vector<Words> documents(count);
  for (size_t i = 0; i < count; ++i) {
    for (int word = 0; word < 12; ++word) {
      documents[i].push_back(absl::StrCat("w", 10 * (i % 2) + rng.Below(10)));
    }
  }
  return documents;
}

Documents Tagged(const std::vector<Words>& words,
                 const std::vector<Words>& tags) {
  CorpusOptions options;
  options.sentences = SentencesIn(words);
  const auto corpus = ReadDocumentCorpus(options, {.min_count = 1});
  EXPECT_TRUE(corpus.ok()) << corpus.status();
  std::vector<std::vector<absl::string_view>> views;
  for (const Words& of_document : tags) {
    views.emplace_back(of_document.begin(), of_document.end());
  }
  auto documents = AddTags(*corpus, views);
  EXPECT_TRUE(documents.ok()) << documents.status();
  return *std::move(documents);
}

Documents Numbered(const std::vector<Words>& words) {
  std::vector<Words> tags;
  for (size_t i = 0; i < words.size(); ++i) {
    tags.push_back({absl::StrCat("d", i)});
  }
  return Tagged(words, tags);
}

struct Way {
  std::string name;
  DocumentOptions options;
};

std::vector<Way> AllWays() {
  std::vector<Way> ways;
  for (const DocumentArchitecture& architecture :
       {DocumentArchitecture(DbowOptions{}),
        DocumentArchitecture(DbowOptions{.train_words = true}),
        DocumentArchitecture(DbowOptions{.shared_windows = 1}),
        DocumentArchitecture(DmOptions{}),
        DocumentArchitecture(DmOptions{.sum = true, .shared_windows = 1})}) {
    for (const auto& objective : Alternatives<DocumentObjective>()) {
      DocumentOptions options;
      options.architecture = architecture;
      options.objective = objective;
      options.dim = 16;
      options.epochs = 10;
      options.sample = 0;
      options.learning_rate = 0.05;
      options.threads = 1;
      // Beside the words around a position, a document adds little.
      if (std::holds_alternative<DmOptions>(architecture)) {
        options.window = 1;
        options.epochs = 60;
      }
      ways.push_back({absl::StrCat(NameOf(architecture), "_", NameOf(objective),
                                   "_", ways.size()),
                      options});
    }
  }
  return ways;
}

DocumentModel Trained(const Documents& documents,
                      const DocumentOptions& options,
                      const Checkpointing& checkpointing = {}) {
  TrainReport report;
  auto model =
      DocumentModel::Train(documents, options, {}, &report, checkpointing);
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

std::vector<float> Inferred(const DocumentModel& model,
                            const std::vector<Words>& documents,
                            const InferOptions& options = {}) {
  std::vector<std::vector<absl::string_view>> views;
  for (const Words& words : documents) {
    views.emplace_back(words.begin(), words.end());
  }
  std::vector<float> rows(documents.size() * model.documents().dim());
  const absl::Status status = model.Infer(views, options, {}, rows.data(), {});
  EXPECT_TRUE(status.ok()) << status;
  return rows;
}

void ExpectSame(const DocumentModel& a, const DocumentModel& b) {
  EXPECT_TRUE(SameTable(a.documents().table(), b.documents().table()));
  EXPECT_TRUE(SameTable(a.output(), b.output()));
  if (a.options().has_word_vectors()) {
    EXPECT_TRUE(SameTable(a.words().table(), b.words().table()));
  }
}

TEST(DocumentModelTest, DocumentsOfATopicAreNeighborsInEveryWay) {
  const Documents documents = Numbered(TwoTopics(200, 1));
  const std::vector<Words> fresh = TwoTopics(40, 2);
  for (const Way& way : AllWays()) {
    SCOPED_TRACE(way.name);
    const DocumentModel model = Trained(documents, way.options);
    const NearestNeighbors neighbors(model.documents());
    const std::vector<float> rows = Inferred(model, fresh);
    int right = 0;
    for (size_t i = 0; i < 200; ++i) {
      const auto trained = neighbors.FindWord(ToWordId(i), 1);
      right += Index(trained[0].word) % 2 == i % 2;
    }
    for (size_t i = 0; i < 40; ++i) {
      const auto inferred =
          neighbors.Find(absl::MakeConstSpan(rows).subspan(i * 16, 16), 1);
      right += Index(inferred[0].word) % 2 == i % 2;
    }
    // Neighboring words show the topic, too, so a document of dm learns little.
    const bool is_dm =
        std::holds_alternative<DmOptions>(way.options.architecture);
    EXPECT_GE(right, is_dm ? 160 : 228);
  }
}

TEST(DocumentModelTest, WordsAreInTheSpaceOfTheDocuments) {
  const Documents documents = Numbered(TwoTopics(300, 1));
  for (const Way& way : AllWays()) {
    const auto* const dm = std::get_if<DmOptions>(&way.options.architecture);
    if (!way.options.has_word_vectors() || (dm != nullptr && dm->sum)) continue;
    SCOPED_TRACE(way.name);
    DocumentOptions options = way.options;
    options.epochs *= 3;
    const DocumentModel model = Trained(documents, options);
    const NearestNeighbors neighbors(model.documents());
    int right = 0;
    for (size_t word = 0; word < 20; ++word) {
      const auto vector = model.words().Find(absl::StrCat("w", word));
      ASSERT_TRUE(vector.has_value());
      right += Index(neighbors.Find(*vector, 1)[0].word) % 2 == word / 10;
    }
    EXPECT_GE(right, 18);
  }
}

TEST(DocumentModelTest, ThreadsDoNotChangeTheBytesOfADeterministicTraining) {
  const Documents documents = Numbered(TwoTopics(150, 1));
  for (const Way& way : AllWays()) {
    SCOPED_TRACE(way.name);
    DocumentOptions options = way.options;
    options.epochs = 3;
    ExpectSame(Trained(documents, options), Trained(documents, options));
    options.deterministic = true;
    const DocumentModel one = Trained(documents, options);
    for (const int threads : {2, 5}) {
      options.threads = threads;
      ExpectSame(one, Trained(documents, options));
    }
  }
}

TEST(DocumentModelTest, ATrainingResumesToTheSameBytes) {
  const Documents documents = Numbered(TwoTopics(400, 1));
  for (const Way& way : AllWays()) {
    for (const bool deterministic : {false, true}) {
      SCOPED_TRACE(absl::StrCat(way.name, deterministic));
      const TempFolder folder;
      DocumentOptions options = way.options;
      options.deterministic = deterministic;
      const DocumentModel whole =
          Trained(documents, options, Often(folder.path()));
      RemoveNewest(folder);
      if (deterministic) options.threads = 3;
      TrainReport report;
      const auto resumed =
          DocumentModel::Train(documents, options, {}, &report,
                               Often(folder.path(), /*resume=*/true));
      ASSERT_TRUE(resumed.ok()) << resumed.status();
      EXPECT_GT(report.resumed_words, 0u);
      EXPECT_LT(report.resumed_words, report.words);
      ExpectSame(whole, *resumed);
    }
  }
}

TEST(DocumentModelTest, ACheckpointOfOtherTagsIsRefused) {
  const std::vector<Words> words = TwoTopics(100, 1);
  DocumentOptions options = AllWays()[0].options;
  const TempFolder folder;
  Trained(Numbered(words), options, Often(folder.path()));
  std::vector<Words> tags(100, {"same"});
  options.architecture = DmOptions{};
  TrainReport report;
  const auto resumed =
      DocumentModel::Train(Tagged(words, tags), options, {}, &report,
                           Often(folder.path(), /*resume=*/true));
  EXPECT_THAT(std::string(resumed.status().message()),
              testing::AllOf(HasSubstr("arch was \"dbow\" and is now \"dm\""),
                             HasSubstr("tags")));
  const auto info = DescribeFile(folder.path());
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->kind, "checkpoint of document vectors");
}

// Two documents with a tag train it together; one of them has another tag.
TEST(DocumentModelTest, DocumentsShareTags) {
  std::vector<Words> words = TwoTopics(100, 1);
  std::vector<Words> tags;
  for (size_t i = 0; i < words.size(); ++i) {
    tags.push_back({i % 2 == 0 ? "even" : "odd", absl::StrCat(i)});
  }
  words.push_back({});
  tags.push_back({"empty", "odd"});
  words.push_back({"w1", "w2"});
  tags.push_back({});
  for (const Way& way : AllWays()) {
    SCOPED_TRACE(way.name);
    const DocumentModel model = Trained(Tagged(words, tags), way.options);
    const WordVectors& vectors = model.documents();
    ASSERT_EQ(vectors.size(), 103u);
    EXPECT_EQ(vectors.vocabulary().Count(ToWordId(0)), 50u);
    const auto id = [&](absl::string_view tag) {
      return *vectors.vocabulary().Find(tag);
    };
    int right = 0;
    for (size_t i = 0; i < 100; ++i) {
      const WordId own = id(absl::StrCat(i));
      const float even = Similarity(vectors, own, id("even"));
      const float odd = Similarity(vectors, own, id("odd"));
      right += (i % 2 == 0) == (even > odd);
    }
    // See above for dm.
    if (std::holds_alternative<DbowOptions>(way.options.architecture)) {
      EXPECT_GE(right, 95);
    }
    // Nothing trained this one.
    const auto empty = vectors.Find("empty");
    ASSERT_TRUE(empty.has_value());
    for (const float value : *empty) EXPECT_EQ(value, 0);
  }
}

double Sigmoid(double score) { return 1 / (1 + std::exp(-score)); }

// What inference computes, one pair at a time and in double.
std::vector<double> PlainRun(const DocumentModel& model, const Words& document,
                             int shared, uint64_t number) {
  const DocumentOptions& options = model.options();
  const TrainOptions train = TrainOptionsOf(options);
  const auto tables =
      MakeObjectiveTables(train.objective, model.vocabulary()).value();
  std::vector<uint32_t> tokens;
  for (const std::string& word : document) {
    tokens.push_back(static_cast<uint32_t>(*model.vocabulary().Find(word)));
  }
  const uint64_t words = tokens.size();
  tokens.push_back(TokenStream::kSentenceEnd);
  const TokenStream stream(tokens, words, nullptr);
  const Subsampler keep_all(model.vocabulary().counts(), 0);
  const uint64_t key = CombineKeys(
      CombineKeys(options.seed, Checksum(absl::MakeConstSpan(tokens), words)),
      number);
  const size_t dim = model.documents().dim();
  std::vector<double> vector(dim);
  Rng start(key);
  for (double& value : vector) {
    value = (2 * start.NextFloat() - 1) * (0.5f / static_cast<float>(dim));
  }
  const bool is_dm = std::holds_alternative<DmOptions>(options.architecture);
  const bool sum = is_dm && std::get<DmOptions>(options.architecture).sum;
  const auto window = is_dm ? static_cast<size_t>(options.window) : 0;
  const LearningRateSchedule schedule = ScheduleFor(train, words);
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    SentenceReader reader(stream, keep_all, {0, tokens.size()},
                          CombineKeys(key, static_cast<uint64_t>(epoch)),
                          window);
    WordRun run;
    EXPECT_TRUE(reader.Next(&run));
    const double rate = schedule.At(words * static_cast<uint64_t>(epoch));
    for (size_t first = 0; first < words;
         first += static_cast<size_t>(shared)) {
      const size_t end = std::min(first + static_cast<size_t>(shared),
                                  static_cast<size_t>(words));
      Rng rng(run.keys[first]);
      std::vector<size_t> noise;
      if (tables.noise.has_value()) {
        const int negatives =
            std::get<NegativeSamplingOptions>(options.objective).negatives;
        for (int k = 0; k < negatives; ++k) {
          const size_t drawn = Index(tables.noise->Sample(rng));
          const bool is_target = std::any_of(
              run.words.begin() + static_cast<int>(first),
              run.words.begin() + static_cast<int>(end),
              [drawn](WordId word) { return Index(word) == drawn; });
          if (!is_target) noise.push_back(drawn);
        }
      }
      std::vector<double> moved(dim);
      for (size_t center = first; center < end; ++center) {
        // h = the document, or the mean or sum of it and the words around.
        std::vector<double> h = vector;
        size_t count = 1;
        if (is_dm) {
          const Window around =
              WindowAt(run, center, window, options.dynamic_window);
          for (size_t pos = around.begin; pos < around.end; ++pos) {
            if (pos == center) continue;
            const auto row = model.words().Vector(run.words[pos]);
            for (size_t i = 0; i < dim; ++i) h[i] += row[i];
            ++count;
          }
        }
        const auto n = static_cast<double>(count);
        for (double& value : h) value /= is_dm && !sum ? n : 1;
        const auto step = [&](size_t row, double label) {
          double score = 0;
          for (size_t i = 0; i < dim; ++i) {
            score += h[i] * model.output().Row(row)[i];
          }
          for (size_t i = 0; i < dim; ++i) {
            moved[i] += rate * (label - Sigmoid(score)) *
                        model.output().Row(row)[i] / (sum ? n : 1);
          }
        };
        if (tables.tree.has_value()) {
          for (const auto& node : tables.tree->Path(run.words[center])) {
            step(node.node, node.branch == 0 ? 1 : 0);
          }
        } else {
          step(Index(run.words[center]), 1);
          for (const size_t row : noise) step(row, 0);
        }
      }
      for (size_t i = 0; i < dim; ++i) vector[i] += moved[i];
    }
  }
  return vector;
}

// The mean of the runs.
std::vector<double> PlainInference(const DocumentModel& model,
                                   const Words& document, int shared) {
  const uint64_t runs = InferenceRuns(document.size());
  std::vector<double> mean(model.documents().dim());
  for (uint64_t i = 0; i < runs; ++i) {
    const std::vector<double> run = PlainRun(model, document, shared, i);
    for (size_t k = 0; k < mean.size(); ++k) {
      mean[k] += run[k] / static_cast<double>(runs);
    }
  }
  return mean;
}

TEST(DocumentModelTest, InferenceAgreesWithAPlainLoop) {
  const Documents documents = Numbered(TwoTopics(100, 1));
  const Words fresh = {"w1", "w11", "w2", "w3", "w1", "w19", "w4"};
  for (Way way : AllWays()) {
    SCOPED_TRACE(way.name);
    const DocumentModel model = Trained(documents, way.options);
    const bool draws =
        std::holds_alternative<NegativeSamplingOptions>(way.options.objective);
    const int shared =
        std::visit([](const auto& chosen) { return chosen.shared_windows; },
                   Resolved(way.options).architecture);
    const std::vector<double> expected =
        PlainInference(model, fresh, draws ? shared : 1);
    const std::vector<float> found = Inferred(model, {fresh});
    for (size_t i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(found[i], expected[i], 1e-4) << i;
    }
  }
}

TEST(DocumentModelTest, ADocumentHasOneVectorWhateverIsInferredWithIt) {
  const Documents documents = Numbered(TwoTopics(100, 1));
  std::vector<Words> fresh = TwoTopics(30, 7);
  fresh[3] = {};
  fresh[4] = {"unknown"};
  for (const Way& way : AllWays()) {
    SCOPED_TRACE(way.name);
    DocumentOptions sampling = way.options;
    sampling.sample = 0.05;
    const DocumentModel model = Trained(documents, sampling);
    const std::vector<float> all = Inferred(model, fresh, {.threads = 1});
    for (const int threads : {2, 5}) {
      EXPECT_EQ(Inferred(model, fresh, {.threads = threads}), all);
    }
    std::vector<Words> reversed(fresh.rbegin(), fresh.rend());
    const std::vector<float> turned = Inferred(model, reversed);
    for (size_t i = 0; i < fresh.size(); ++i) {
      const std::vector<float> row(all.begin() + static_cast<int>(i) * 16,
                                   all.begin() + static_cast<int>(i + 1) * 16);
      EXPECT_EQ(Inferred(model, {fresh[i]}), row);
      const size_t other = fresh.size() - 1 - i;
      EXPECT_TRUE(std::equal(row.begin(), row.end(),
                             turned.begin() + static_cast<int>(other) * 16));
      const bool is_zero = row == std::vector<float>(16);
      EXPECT_EQ(is_zero, i == 3 || i == 4);
    }
  }
}

TEST(DocumentModelTest, InferenceOfACorpusIsThatOfItsWords) {
  const DocumentModel model =
      Trained(Numbered(TwoTopics(100, 1)), AllWays()[0].options);
  CorpusOptions reading;
  reading.text = "w1 w2 new w11\n\nnew\nw3";
  const auto corpus = ReadDocumentCorpus(reading, model.vocabulary());
  ASSERT_TRUE(corpus.ok()) << corpus.status();
  std::vector<float> rows(4 * 16, 9);
  std::vector<uint64_t> known(4);
  ASSERT_TRUE(
      model.Infer(*corpus, {}, {}, rows.data(), absl::MakeSpan(known)).ok());
  EXPECT_THAT(known, ElementsAre(3, 0, 0, 1));
  EXPECT_EQ(rows, Inferred(model, {{"w1", "w2", "w11"}, {}, {}, {"w3"}}));
  const absl::Status refused =
      model.Infer(*corpus, {.learning_rate = 1e-9}, {}, rows.data(), {});
  EXPECT_THAT(
      std::string(refused.message()),
      HasSubstr("min-learning-rate: must be at most the learning rate"));
}

TEST(DocumentModelTest, AFileHoldsTheWholeModel) {
  const Documents documents = Numbered(TwoTopics(60, 1));
  const TempFolder folder;
  const std::string path = folder.File("d.safetensors");
  for (const Way& way : AllWays()) {
    SCOPED_TRACE(way.name);
    CorpusOptions reading;
    reading.lowercase = true;
    const DocumentModel model =
        Trained(documents, way.options).With(reading, {{"note", "mine"}});
    ASSERT_TRUE(model.Save(path).ok());
    const auto loaded = DocumentModel::Load(path);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    ExpectSame(model, *loaded);
    EXPECT_TRUE(loaded->reading().lowercase);
    EXPECT_EQ(loaded->metadata().at("note"), "mine");
    const std::vector<Words> fresh = TwoTopics(5, 3);
    EXPECT_EQ(Inferred(*loaded, fresh), Inferred(model, fresh));
    // It is also a vector file, whose copies are vectors alone.
    const auto vectors = LoadVectorFile(path);
    ASSERT_TRUE(vectors.ok()) << vectors.status();
    EXPECT_TRUE(SameTable(vectors->vectors.table(), model.documents().table()));
    EXPECT_EQ(vectors->vectors.vocabulary().Word(ToWordId(7)), "d7");
    const std::string copy = folder.File("copy.safetensors");
    ASSERT_TRUE(SaveVectorFile(*vectors, copy, "safetensors").ok());
    EXPECT_EQ(DescribeFile(copy)->kind, "vectors");
    const auto info = DescribeFile(path);
    ASSERT_TRUE(info.ok()) << info.status();
    EXPECT_EQ(info->kind, "document vectors");
    EXPECT_EQ(std::get<uint64_t>(info->facts[0].value), 60u);
  }
}

TEST(DocumentModelTest, ADamagedFileIsRefused) {
  const TempFolder folder;
  const std::string path = folder.File("d.safetensors");
  const DocumentModel model =
      Trained(Numbered(TwoTopics(60, 1)), AllWays()[2].options);
  ASSERT_TRUE(model.Save(path).ok());
  const std::string whole = ReadWholeFile(path);
  for (const size_t at : {whole.size() / 3, whole.size() - 9}) {
    std::string damaged = whole;
    damaged[at] ^= 1;
    folder.Write("d.safetensors", damaged);
    EXPECT_FALSE(DocumentModel::Load(path).ok()) << at;
    EXPECT_FALSE(DescribeFile(path).ok()) << at;
  }
  for (const size_t size : {size_t{0}, size_t{40}, whole.size() - 1}) {
    folder.Write("d.safetensors", whole.substr(0, size));
    const auto loaded = DocumentModel::Load(path);
    EXPECT_FALSE(loaded.ok()) << size;
    EXPECT_THAT(std::string(loaded.status().message()), HasSubstr(path));
  }
  folder.Write("d.safetensors", "3 2\na 1 2\n");
  EXPECT_THAT(std::string(DocumentModel::Load(path).status().message()),
              HasSubstr("expected a model of documents"));
}

TEST(DocumentModelTest, SaysWhyThereIsNoModel) {
  const std::vector<Words> words = TwoTopics(4, 1);
  const DocumentOptions good = AllWays()[0].options;
  const auto status_of = [](const Documents& documents,
                            const DocumentOptions& options) {
    TrainReport report;
    return std::string(DocumentModel::Train(documents, options, {}, &report)
                           .status()
                           .message());
  };
  EXPECT_THAT(status_of(Tagged(words, std::vector<Words>(4)), good),
              HasSubstr("tags: no document has a tag"));
  EXPECT_THAT(status_of(Numbered({{"one"}, {"one"}}), good),
              HasSubstr("at least 2 words"));
  DocumentOptions bad = good;
  bad.dim = 0;
  EXPECT_THAT(status_of(Numbered(words), bad), HasSubstr("dim"));
  bad = good;
  bad.min_learning_rate = 1;
  EXPECT_THAT(status_of(Numbered(words), bad),
              HasSubstr("min-learning-rate: must be at most"));
}

}  // namespace
}  // namespace firth
