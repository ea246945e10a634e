// Folders of others: the tiny BERT and GPT-2 of the golden data give what they
// give there, and folders that do not fit are refused by what does not.

#include "lm/import/pretrained_import.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "firth/contextualizer.h"
#include "firth/language_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/learn/context_tuner.h"
#include "lm/read/network_model.h"
#include "nlohmann/json.hpp"
#include "nn/elementwise.h"
#include "support/golden_data.h"
#include "support/pretrained_folder.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::HasSubstr;

constexpr double kTolerance = 5e-6;

// --- The golden data. ---

// The pieces of the tiny GPT-2, which has only numbers: letters that begin a
// text, and such with the space before them. 1 is the end of a text.
struct TinyPieces {
  std::vector<std::string> pieces;  // [40]
  std::string merges = "#version: 0.2\n";

  TinyPieces() : pieces(40) {
    // What the golden data has inside of texts.
    std::vector<size_t> spaced = {2, 3, 6, 8, 14, 19, 24, 25, 30, 37};
    std::vector<size_t> plain = {7};
    for (size_t id = 2; id < pieces.size(); ++id) {
      const auto is = [id](size_t other) { return other == id; };
      if (std::any_of(spaced.begin(), spaced.end(), is) || is(7)) continue;
      (spaced.size() < 19 ? spaced : plain).push_back(id);
    }
    pieces[0] = "\u0120";
    pieces[1] = "<|endoftext|>";
    for (size_t i = 0; i < 19; ++i) {
      const std::string letter(1, static_cast<char>('a' + i));
      pieces[plain[i]] = letter;
      pieces[spaced[i]] = "\u0120" + letter;
      absl::StrAppend(&merges, "\u0120 ", letter, "\n");
    }
  }
  // The text of ids, in which a space stands for the mark of one.
  std::string Text(const std::vector<size_t>& ids) const {
    std::string text;
    for (const size_t id : ids) text += pieces[id];
    return absl::StrReplaceAll(text, {{"\u0120", " "}});
  }
  std::string Json() const {
    nlohmann::json json;
    for (size_t id = 0; id < pieces.size(); ++id) json[pieces[id]] = id;
    return DumpJson(json);
  }
};

class GoldenTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* const data = std::getenv("FIRTH_DATA");
    if (data == nullptr) GTEST_SKIP() << "FIRTH_DATA is not set";
    golden_ = absl::StrCat(data, "/golden/");
  }

  // A folder of the tiny model of this name.
  void MakeFolder(const std::string& name) {
    for (const char* const file : {"config.json", "model.safetensors"}) {
      std::filesystem::copy(golden_ + name + "." + file, folder_.File(file));
    }
    if (name == "tiny_bert") {
      std::filesystem::copy(golden_ + "tiny_bert.vocab.txt",
                            folder_.File("vocab.txt"));
    } else {
      folder_.Write("vocab.json", TinyPieces().Json());
      folder_.Write("merges.txt", TinyPieces().merges);
    }
  }
  std::string Import(const std::string& name) {
    MakeFolder(name);
    const std::string path = folder_.File("lm.safetensors");
    EXPECT_EQ(ImportPretrained(folder_.path(), path), absl::OkStatus());
    return path;
  }

  TempFolder folder_;
  std::string golden_;
};

// The rows of layer `layer` of a sentence.
Matrix<float> LayerOf(const TokenVectors& vectors, size_t layer) {
  Matrix<float> rows(vectors.tokens, vectors.dim);
  for (size_t t = 0; t < vectors.tokens; ++t) {
    const auto vector = vectors.Vector(layer, t);
    std::copy(vector.begin(), vector.end(), rows.Row(t));
  }
  return rows;
}

TEST_F(GoldenTest, TinyBertEmbeds) {
  auto model = Contextualizer::Load(Import("tiny_bert"));
  ASSERT_EQ(model.status(), absl::OkStatus());
  EXPECT_EQ(model->num_layers(), 3u);
  EXPECT_EQ(model->dim(), 16u);
  // The second sentence, of one segment: [CLS] w7 [MASK] w8 [SEP].
  const auto vectors = model->Embed({{"w7", "[MASK]", "W8"}});
  ASSERT_EQ(vectors.status(), absl::OkStatus());
  const nn::GoldenFile expected("tiny_bert.expected");
  for (size_t layer = 1; layer < 3; ++layer) {
    const auto rows = expected.Read<float>(absl::StrCat("hidden.", layer));
    nn::ExpectClose<float>(LayerOf((*vectors)[0], layer).view(),
                           rows.view().Rows(8 + 1, 3), kTolerance,
                           absl::StrCat("layer ", layer));
  }
}

// With both segments, whose vectors the words' are added to here, in a batch of
// two lengths, and to the scores of all words.
TEST_F(GoldenTest, TinyBertScoresWords) {
  MakeFolder("tiny_bert");
  const nn::GoldenFile weights("tiny_bert.model");
  const nn::GoldenFile expected("tiny_bert.expected");
  const auto model = ReadPretrained(folder_.path(), {});
  ASSERT_EQ(model.status(), absl::OkStatus());
  const auto segments =
      weights.Read<float>("bert.embeddings.token_type_embeddings.weight");
  const auto table =
      weights.Read<float>("bert.embeddings.word_embeddings.weight");
  const std::vector<size_t> ids = expected.ReadSizes("input_ids");
  const std::vector<size_t> types = expected.ReadSizes("token_type_ids");
  Matrix<float> input(ids.size(), 16);  // time-major
  for (size_t i = 0; i < ids.size(); ++i) {
    float* const row = input.Row(i % 8 * 2 + i / 8);
    nn::AddScaled(16, 1.0f, table.Row(ids[i]), row);
    nn::AddScaled(16, 1.0f, segments.Row(types[i]), row);
    nn::AddScaled(16, -1.0f, segments.Row(0), row);
  }
  const std::vector<size_t> lengths = expected.ReadSizes("lengths");
  auto& layers = (*model)->layers()[nn::Direction::kForward];
  nn::Head<float>& head = *(*model)->head();
  head.PrepareAll();
  layers.Read(
      input.view(), {8, 2, lengths}, nullptr,
      [&](size_t, ConstView<float> top) {
        Matrix<float> scores(16, head.vocab_size());
        head.Scores(top, scores.view());
        const auto hidden = expected.ReadTimeMajor<float>("hidden.2", 2);
        const auto logits = expected.ReadTimeMajor<float>("mlm_logits", 2);
        const auto pieces = ReadWholeFile(golden_ + "tiny_bert.vocab.txt");
        for (size_t row = 0; row < 16; ++row) {
          if (row / 2 >= lengths[row % 2]) continue;
          nn::ExpectClose<float>(layers.output(1).Rows(row, 1),
                                 hidden.view().Rows(row, 1), kTolerance,
                                 "hidden");
          // Our words stand in another order.
          const Vocabulary& words = (*model)->data().words;
          const std::map<std::string, std::string> marks = {
              {"[CLS]", "<S>"},
              {"[SEP]", "</S>"},
              {"[UNK]", "<UNK>"},
              {"[MASK]", "<MASK>"}};
          std::istringstream lines(pieces);
          std::string piece;
          for (size_t id = 0; std::getline(lines, piece); ++id) {
            const auto mark = marks.find(piece);
            const auto word =
                words.Find(mark == marks.end() ? piece : mark->second);
            ASSERT_TRUE(word.has_value()) << piece;
            EXPECT_NEAR(scores.Row(row)[Index(*word)], logits.Row(row)[id],
                        kTolerance);
          }
        }
      });
}

// [CLS] was bank river [SEP] ##er ##ly [SEP], of two segments, beside a longer
// pair.
TEST_F(GoldenTest, TinyBertTellsNextSentences) {
  MakeFolder("tiny_bert");
  const auto model = ReadPretrained(folder_.path(), {});
  ASSERT_EQ(model.status(), absl::OkStatus());
  const std::vector<LanguageModel::Pair> pairs = {
      {{"was", "bank", "river"}, {"##er", "##ly"}},
      {{"the", "bank", "of", "the", "river"}, {"w3", "w4"}}};
  const auto scores = ScorePairs(**model, pairs, {});
  ASSERT_EQ(scores.status(), absl::OkStatus());
  const nn::GoldenFile expected("tiny_bert.expected");
  for (const auto& [name, found] :
       {std::pair("nsp_logits", &*scores),
        {"pooled", &(*model)->next_sentence()->pooled()}}) {
    nn::ExpectClose<float>(found->view().Rows(0, 1),
                           expected.Read<float>(name).view().Rows(0, 1),
                           kTolerance, name);
  }
  // A pair has the same scores alone.
  const auto second = ScorePairs(**model, {pairs[1]}, {});
  ASSERT_EQ(second.status(), absl::OkStatus());
  nn::ExpectClose<float>(second->view(), scores->view().Rows(1, 1), 1e-6,
                         "alone");
}

// The states that the pooler reads are those that a pair is embedded with, and
// that a training which tunes the model starts from.
TEST_F(GoldenTest, TinyBertEmbedsPairs) {
  auto model = Contextualizer::Load(Import("tiny_bert"));
  ASSERT_EQ(model.status(), absl::OkStatus());
  EXPECT_TRUE(model->reads_pairs());
  const std::vector<Contextualizer::Sentence> texts = {
      {"the", "bank", "[SEP]", "was", "near"}, {"the", "bank", "was", "near"}};
  const auto vectors = model->Embed(texts);
  ASSERT_EQ(vectors.status(), absl::OkStatus());
  ContextTuner tuner(*model, 5e-5, 1);
  std::vector<Matrix<float>> layers;
  tuner.Forward(texts, {}, &layers);
  for (size_t layer = 0; layer < 3; ++layer) {
    nn::ExpectClose<float>(LayerOf((*vectors)[0], layer).view(),
                           layers[layer].view().Rows(0, 5), 1e-6, "tuned");
  }
  // Layer 0 has the second segment's vector behind the mark alone.
  BiLanguageModel& inside = ModelOf(*model);
  const float* const segment = inside.second_segment()->value.Row(0);
  const auto pair = LayerOf((*vectors)[0], 0), one = LayerOf((*vectors)[1], 0);
  for (size_t d = 0; d < 16; ++d) {
    EXPECT_EQ(pair.Row(1)[d], one.Row(1)[d]);
    EXPECT_NEAR(pair.Row(3)[d], one.Row(2)[d] + segment[d], 1e-6);
    EXPECT_NEAR(pair.Row(4)[d], one.Row(3)[d] + segment[d], 1e-6);
  }
}

TEST_F(GoldenTest, AFileOfTinyBertTellsNextSentences) {
  auto model = LanguageModel::Load(Import("tiny_bert"));
  ASSERT_EQ(model.status(), absl::OkStatus());
  const auto likely = model->NextSentence(
      {{{"The", "bank"}, {"was", "nearly"}}, {{"the", "bank"}, {}}});
  ASSERT_EQ(likely.status(), absl::OkStatus());
  ASSERT_EQ(likely->size(), 2u);
  const std::vector<LanguageModel::Pair> pieces = {
      {{"the", "bank"}, {"was", "near", "##ly"}}, {{"the", "bank"}, {}}};
  const auto scores =
      ScorePairs(**ReadPretrained(folder_.path(), {}), pieces, {});
  for (size_t i = 0; i < 2; ++i) {
    const float* const row = scores->Row(i);
    EXPECT_NEAR((*likely)[i],
                std::exp(row[0]) / (std::exp(row[0]) + std::exp(row[1])), 1e-6);
  }
  // Of 24 positions, three are for marks.
  const LanguageModel::Sentence ten(10, "the"), eleven(11, "the");
  EXPECT_EQ(model->NextSentence({{ten, eleven}}).status(), absl::OkStatus());
  const absl::Status longer =
      model->NextSentence({{ten, ten}, {eleven, eleven}}).status();
  EXPECT_EQ(longer.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      longer.message(),
      HasSubstr("pair 2: the two sentences together must have at most 21 "
                "tokens, for which the model has positions, found 22"));
}

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

TEST_F(GoldenTest, TinyGpt2Embeds) {
  auto model = Contextualizer::Load(Import("tiny_gpt2"));
  ASSERT_EQ(model.status(), absl::OkStatus());
  const nn::GoldenFile expected("tiny_gpt2.expected");
  const std::vector<size_t> ids = expected.ReadSizes("input_ids");
  ASSERT_EQ(ids[0], 1u);  // what we begin every sentence with
  const auto words = Words(TinyPieces().Text({ids.begin() + 1, ids.end()}));
  const auto vectors = model->Embed({{words.begin(), words.end()}});
  ASSERT_EQ(vectors.status(), absl::OkStatus());
  ASSERT_EQ((*vectors)[0].tokens, 9u);
  for (const auto& [layer, name] : {std::pair(1, "hidden.1"), {2, "final"}}) {
    nn::ExpectClose<float>(LayerOf((*vectors)[0], layer).view(),
                           expected.Read<float>(name).view().Rows(1, 9),
                           kTolerance, name);
  }
}

TEST_F(GoldenTest, TinyGpt2ScoresAndGenerates) {
  auto model = LanguageModel::Load(Import("tiny_gpt2"));
  ASSERT_EQ(model.status(), absl::OkStatus());
  const nn::GoldenFile expected("tiny_gpt2.expected");
  const TinyPieces pieces;
  const std::vector<size_t> ids = expected.ReadSizes("input_ids");
  const auto words = Words(pieces.Text({ids.begin() + 1, ids.end()}));
  // ln p of each word, and of the end.
  const auto next = expected.Read<double>("log_p_next");
  const auto logits = expected.Read<double>("logits");
  double sum = 0;
  for (size_t c = 0; c < 40; ++c) sum += std::exp(logits.Row(9)[c]);
  const double log_p =
      std::accumulate(next.data(), next.data() + next.size(), 0.0) +
      logits.Row(9)[1] - std::log(sum);
  const auto scores = model->Score({{words.begin(), words.end()}});
  ASSERT_EQ(scores.status(), absl::OkStatus());
  EXPECT_EQ((*scores)[0].tokens, 10u);
  EXPECT_EQ((*scores)[0].unknown, 0u);
  EXPECT_NEAR((*scores)[0].log_probability, log_p, 10 * kTolerance);

  const std::vector<size_t> greedy = expected.ReadSizes("greedy_from_1_7");
  GenerateOptions options;
  options.prompt = {pieces.pieces[greedy[1]]};
  options.max_tokens = static_cast<int>(greedy.size()) - 2;
  const auto generated = model->Generate(options);
  ASSERT_EQ(generated.status(), absl::OkStatus());
  EXPECT_EQ((*generated)[0].words,
            Words(pieces.Text({greedy.begin() + 1, greedy.end()})));
}

// --- Folders as they should not be. ---

class Warnings : public ProgressSink {
 public:
  void OnWarning(absl::string_view message) override {
    absl::StrAppend(&text, message, "\n");
  }
  std::string text;
};

class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    folder_.Write("config.json", kBertConfig);
    folder_.Write("vocab.txt", kBertPieces);
  }

  absl::Status Import() {
    EXPECT_EQ(WriteTensors(tensors_, folder_.File("model.safetensors")),
              absl::OkStatus());
    return ImportPretrained(folder_.path(), output_, {&warnings_, nullptr});
  }
  // The vectors of two sentences.
  std::vector<float> Vectors() {
    auto model = Contextualizer::Load(output_);
    EXPECT_EQ(model.status(), absl::OkStatus());
    if (!model.ok()) return {};
    return model->Embed({{"a", "ab"}})->front().values;
  }

  TempFolder folder_;
  std::string output_ = folder_.File("lm.safetensors");
  Tensors tensors_ = BertTensors();
  Warnings warnings_;
};

TEST_F(FolderTest, IsRead) {
  ASSERT_EQ(Import(), absl::OkStatus());
  EXPECT_EQ(warnings_.text, "");
  EXPECT_EQ(Vectors().size(), 2u * 2u * 2u);
}

TEST_F(FolderTest, NamesOfOtherVersionsMeanTheSame) {
  ASSERT_EQ(Import(), absl::OkStatus());
  const std::vector<float> vectors = Vectors();
  Tensors renamed;
  for (const auto& [name, tensor] : tensors_) {
    std::string old = absl::StrReplaceAll(name, {{"bert.", ""}});
    if (absl::StrContains(name, "LayerNorm")) {
      old = absl::StrReplaceAll(old, {{"weight", "gamma"}, {"bias", "beta"}});
    }
    renamed[old] = tensor;
  }
  tensors_ = renamed;
  ASSERT_EQ(Import(), absl::OkStatus());
  EXPECT_EQ(warnings_.text, "");
  EXPECT_EQ(Vectors(), vectors);
}

TEST_F(FolderTest, EveryTensorMustBeThereAndOfItsShape) {
  for (const auto& [name, tensor] : BertTensors()) {
    if (absl::StartsWith(name, "cls.predictions.transform.dense.weight")) {
      continue;  // without it nothing is predicted
    }
    tensors_ = BertTensors();
    tensors_.erase(name);
    const absl::Status lacks = Import();
    EXPECT_EQ(lacks.code(), absl::StatusCode::kInvalidArgument) << name;
    // By the newest name, which has no prefix.
    const std::string shown = absl::StrReplaceAll(name, {{"bert.", ""}});
    EXPECT_THAT(std::string(lacks.message()),
                HasSubstr(absl::StrCat(
                    "tensor \"", shown, "\": expected F32, F16 or BF16 [",
                    absl::StrJoin(tensor.shape, ", "), "], found none")));
    tensors_[name] = tensor;
    tensors_[name].shape.push_back(1);
    const absl::Status other = Import();
    EXPECT_EQ(other.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_THAT(std::string(other.message()),
                HasSubstr(absl::StrCat("\"", name, "\": expected")));
    EXPECT_FALSE(std::filesystem::exists(output_));
  }
}

TEST_F(FolderTest, AValueThatIsNotFiniteIsRefused) {
  for (const auto& [name, tensor] : BertTensors()) {
    tensors_ = BertTensors();
    tensors_[name].values.back() = std::nanf("");
    const absl::Status status = Import();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(absl::StrCat("tensor \"", name, "\", value ")));
  }
}

TEST_F(FolderTest, KnownTensorsBesidesAreLeftOutAndOthersNamed) {
  AddTensor("bert.pooler.dense.weight", {2, 2}, &tensors_);
  AddTensor("bert.embeddings.position_ids", {8}, &tensors_);
  AddTensor("cls.predictions.decoder.weight", {6, 2}, &tensors_);
  ASSERT_EQ(Import(), absl::OkStatus());
  EXPECT_EQ(warnings_.text, "");
  AddTensor("bert.encoder.layer.1.output.dense.bias", {2}, &tensors_);
  AddTensor("classifier.weight", {2, 2}, &tensors_);
  ASSERT_EQ(Import(), absl::OkStatus());
  EXPECT_THAT(warnings_.text,
              HasSubstr("bert.encoder.layer.1.output.dense.bias, "
                        "classifier.weight\n"));
}

TEST_F(FolderTest, AHeadForNextSentencesIsWholeOrLacks) {
  const std::map<std::string, std::vector<uint64_t>> head = {
      {"bert.pooler.dense.weight", {2, 2}},
      {"bert.pooler.dense.bias", {2}},
      {"cls.seq_relationship.weight", {2, 2}},
      {"cls.seq_relationship.bias", {2}}};
  const auto tell = [&] {
    auto model = LanguageModel::Load(output_);
    EXPECT_EQ(model.status(), absl::OkStatus());
    return model->NextSentence({{{"a"}, {"ab"}}}).status();
  };
  ASSERT_EQ(Import(), absl::OkStatus());
  EXPECT_EQ(tell().code(), absl::StatusCode::kFailedPrecondition);
  for (const auto& [name, shape] : head) AddTensor(name, shape, &tensors_);
  ASSERT_EQ(Import(), absl::OkStatus());
  EXPECT_EQ(warnings_.text, "");
  EXPECT_EQ(tell(), absl::OkStatus());
  for (const auto& [name, shape] : head) {
    if (name == "cls.seq_relationship.weight") continue;
    const Tensor kept = tensors_[name];
    tensors_.erase(name);
    EXPECT_THAT(Import().message(),
                HasSubstr(absl::StrReplaceAll(name, {{"bert.", ""}})));
    tensors_[name] = kept;
  }
  // One segment: there is no second sentence.
  folder_.Write("config.json",
                absl::StrReplaceAll(kBertConfig, {{"\"type_vocab_size\": 2",
                                                   "\"type_vocab_size\": 1"}}));
  const std::string segments = "bert.embeddings.token_type_embeddings.weight";
  tensors_.erase(segments);
  AddTensor(segments, {1, 2}, &tensors_);
  ASSERT_EQ(Import(), absl::OkStatus());
  EXPECT_EQ(tell().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(FolderTest, WithoutWhatPredictsItEmbedsAlone) {
  ASSERT_EQ(Import(), absl::OkStatus());
  const std::vector<float> vectors = Vectors();
  for (auto it = tensors_.begin(); it != tensors_.end();) {
    it = absl::StartsWith(it->first, "cls.") ? tensors_.erase(it) : ++it;
  }
  ASSERT_EQ(Import(), absl::OkStatus());
  EXPECT_EQ(Vectors(), vectors);
}

TEST_F(FolderTest, IsTrainedFurtherOnPieces) {
  ASSERT_EQ(Import(), absl::OkStatus());
  auto start = LanguageModel::Load(output_);
  ASSERT_EQ(start.status(), absl::OkStatus());
  CorpusOptions options;
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "ab a\n";
  options.text = lines;
  const Corpus text = *ReadCorpus(options, VocabularyOptions{.min_count = 1});
  LanguageModelTraining training;
  training.start = &*start;
  training.epochs = 20;
  training.learning_rate = 0.05;
  training.batch = 4;
  training.threads = 1;
  auto updated = TrainLanguageModel(text, training);
  ASSERT_EQ(updated.status(), absl::OkStatus());
  const auto before = start->Measure(text, {.threads = 1});
  const auto after = updated->model.Measure(text, {.threads = 1});
  ASSERT_EQ(before.status(), absl::OkStatus());
  ASSERT_EQ(after.status(), absl::OkStatus());
  EXPECT_LT(after->loss(), before->loss() - 0.5);
}

TEST_F(FolderTest, WithoutWhatPredictsItIsNotTrainedFurther) {
  for (auto it = tensors_.begin(); it != tensors_.end();) {
    it = absl::StartsWith(it->first, "cls.") ? tensors_.erase(it) : ++it;
  }
  ASSERT_EQ(Import(), absl::OkStatus());
  auto start = LanguageModel::Load(output_);
  ASSERT_EQ(start.status(), absl::OkStatus());
  CorpusOptions options;
  options.text = "ab a\n";
  const Corpus text = *ReadCorpus(options, VocabularyOptions{.min_count = 1});
  LanguageModelTraining training;
  training.start = &*start;
  const absl::Status status = TrainLanguageModel(text, training).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("cannot be trained further"));
}

TEST_F(FolderTest, AVocabularyThatDoesNotFitIsRefused) {
  const auto message = [&](const std::string& pieces) {
    folder_.Write("vocab.txt", pieces);
    const absl::Status status = Import();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << pieces;
    return std::string(status.message());
  };
  EXPECT_THAT(message(absl::StrCat(kBertPieces, "more\n")),
              HasSubstr("vocab.txt: expected 6 pieces, as in \"vocab_size\" of "
                        "config.json, found 7"));
  EXPECT_THAT(message("a\nb\nc\n"),
              HasSubstr("vocab.txt: the piece \"[CLS]\" is missing"));
  // A table may be a little longer, and no more.
  folder_.Write("vocab.txt", "[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n");
  EXPECT_EQ(Import(), absl::OkStatus());
  folder_.Write("vocab.txt", kBertPieces);
  folder_.Write("config.json",
                absl::StrReplaceAll(kBertConfig, {{"\"vocab_size\": 6",
                                                   "\"vocab_size\": 134"}}));
  EXPECT_THAT(std::string(Import().message()),
              HasSubstr("expected 134 pieces"));
}

TEST_F(FolderTest, SizesThatNoTensorHasTakeNoMemory) {
  folder_.Write(
      "config.json",
      absl::StrReplaceAll(
          kBertConfig, {{"\"hidden_size\": 2", "\"hidden_size\": 1048576"}}));
  const absl::Status status = Import();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("expected F32, F16 or BF16 [6, 1048576], found F32 [6, "
                        "2]"));
}

TEST_F(FolderTest, AFileThatLacksIsNamed) {
  ASSERT_EQ(WriteTensors(tensors_, folder_.File("model.safetensors")),
            absl::OkStatus());
  for (const char* const name : {"config.json", "vocab.txt"}) {
    const std::string content = ReadWholeFile(folder_.File(name));
    std::filesystem::remove(folder_.File(name));
    const absl::Status status = Import();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << name;
    EXPECT_THAT(std::string(status.message()), HasSubstr(name));
    folder_.Write(name, content);
  }
}

// The smallest GPT-2, with byte pairs.
class ModelFileTest : public testing::Test {
 protected:
  ModelFileTest() {
    folder_.Write("config.json", kGpt2Config);
    folder_.Write("vocab.json", kGpt2Pieces);
    folder_.Write("merges.txt", kGpt2Merges);
    EXPECT_EQ(WriteTensors(Gpt2Tensors(), folder_.File("model.safetensors")),
              absl::OkStatus());
    EXPECT_EQ(ImportPretrained(folder_.path(), output_), absl::OkStatus());
  }

  TempFolder folder_;
  std::string output_ = folder_.File("lm.safetensors");
};

TEST_F(ModelFileTest, HoldsHowWordsAreCut) {
  auto model = LanguageModel::Load(output_);
  ASSERT_EQ(model.status(), absl::OkStatus());
  const std::string again = folder_.File("again.safetensors");
  ASSERT_EQ(model->Save(again), absl::OkStatus());
  EXPECT_EQ(ReadWholeFile(again), ReadWholeFile(output_));
  EXPECT_THAT(ReadWholeFile(again), HasSubstr("a b\n"));
}

TEST_F(ModelFileTest, WhereItIsTruncatedOrAlteredItIsRefused) {
  const std::string bytes = ReadWholeFile(output_);
  for (size_t size = 0; size < bytes.size(); size += 11) {
    EXPECT_FALSE(LanguageModel::Load(
                     folder_.Write("part.safetensors", bytes.substr(0, size)))
                     .ok())
        << size;
  }
  // Behind the header, whose length is the first number.
  for (size_t at = 8 + static_cast<unsigned char>(bytes[0]) +
                   256 * static_cast<unsigned char>(bytes[1]);
       at < bytes.size(); ++at) {
    std::string altered = bytes;
    altered[at] = static_cast<char>(altered[at] ^ 4);
    EXPECT_EQ(LanguageModel::Load(folder_.Write("part.safetensors", altered))
                  .status()
                  .code(),
              absl::StatusCode::kDataLoss)
        << at;
  }
}

// Its most probable next words are pieces, and a word is as probable as its
// pieces, one after another.
TEST_F(ModelFileTest, TheNextPiecesHaveProbabilities) {
  auto model = LanguageModel::Load(output_);
  ASSERT_EQ(model.status(), absl::OkStatus());
  const auto next = model->NextWords({"a"}, 1000);
  ASSERT_EQ(next.status(), absl::OkStatus());
  ASSERT_GT(next->words.size(), 1u);
  double sum = next->unknown;
  for (const WordProbability& word : next->words) {
    sum += word.probability;
    EXPECT_FALSE(word.word.empty());
  }
  EXPECT_GT(sum, 0.5);
  EXPECT_LT(sum, 1 + 1e-5);
  const auto given = model->NextWords({"a"}, 0, {"b", "</S>"});
  ASSERT_EQ(given.status(), absl::OkStatus());
  const auto tokens = model->TokenScores({{"a", "b"}, {"a"}});
  ASSERT_EQ(tokens.status(), absl::OkStatus());
  double log_p = 0;
  for (size_t i = (*tokens)[1].size() - 1; i + 1 < (*tokens)[0].size(); ++i) {
    log_p += (*tokens)[0][i].log_probability;
  }
  EXPECT_NEAR(given->words[0].probability, std::exp(log_p), 1e-6);
  EXPECT_NEAR(given->words[1].probability,
              std::exp((*tokens)[1].back().log_probability), 1e-6);
}

TEST_F(ModelFileTest, AMaskedModelFillsAndAnotherDoesNot) {
  auto model = LanguageModel::Load(output_);
  ASSERT_EQ(model.status(), absl::OkStatus());
  EXPECT_EQ(model->Fill({"a", "<MASK>"}, 1).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(FolderTest, AMaskedModelFillsGapsWithPieces) {
  ASSERT_EQ(Import(), absl::OkStatus());
  auto model = LanguageModel::Load(output_);
  ASSERT_EQ(model.status(), absl::OkStatus());
  for (const char* const mask : {"<MASK>", "[MASK]"}) {
    const auto gaps = model->Fill({"ab", mask, "a"}, 10);
    ASSERT_EQ(gaps.status(), absl::OkStatus());
    ASSERT_EQ(gaps->size(), 1u);
    std::vector<std::string> words;
    double sum = 0;
    for (const WordProbability& word : (*gaps)[0].words) {
      words.push_back(word.word);
      sum += word.probability;
    }
    EXPECT_THAT(words, testing::UnorderedElementsAre("a", "##b"));
    EXPECT_LT(sum, 1);  // marks have the rest
  }
  // The last word of a sentence is a single piece.
  const auto next = model->NextWords({"ab"}, 1, {"a", "ab"});
  EXPECT_EQ(next.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(next.status().message()),
              HasSubstr("consists of 2 pieces"));
  const auto one = model->NextWords({"ab"}, 1, {"a"});
  ASSERT_EQ(one.status(), absl::OkStatus());
  EXPECT_EQ(one->words[0].word, "a");
  EXPECT_FALSE(one->words[0].unknown);
  EXPECT_EQ(model->Score({{"a"}}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace firth
