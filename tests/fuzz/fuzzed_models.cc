#include "fuzz/fuzzed_models.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "base/saturated.h"
#include "firth/contextualizer.h"
#include "firth/corpus.h"
#include "firth/embedding_file.h"
#include "firth/language_model.h"
#include "firth/probe.h"
#include "firth/status_macros.h"
#include "firth/tagged_text.h"
#include "firth/tagger.h"
#include "firth/vector_io.h"
#include "fuzz/fuzz_folder.h"
#include "fuzz/fuzzed_pretrained.h"
#include "io/tensors/hdf5_file.h"
#include "lm/import/elmo_import.h"
#include "support/temp_files.h"

namespace firth {
namespace {

constexpr absl::string_view kText =
    "the cat sat\nthe dog sat\nthe cat ran\na dog ran\n";

// The smallest that there can be: files of 4 KB are fuzzed.
LanguageModelTraining SmallTraining() {
  LanguageModelTraining training;
  training.vocabulary.min_count = 1;
  training.head = HeadKind::kSoftmax;
  training.dim = 1;
  training.units = 1;
  training.projection = 0;
  training.layers = 1;
  training.epochs = 1;
  training.batch = 1;
  training.threads = 1;
  training.characters.filters = {{1, 1}};
  training.characters.dim = 1;
  training.characters.max_characters = 4;
  return training;
}

Corpus ReadSmallText(absl::string_view text) {
  CorpusOptions reading;
  reading.text = text;
  reading.threads = 1;
  return *ReadCorpus(reading, {.min_count = 1});
}

const Corpus& SmallText() {
  static const Corpus& corpus = *new Corpus(ReadSmallText(kText));
  return corpus;
}

std::string TrainedModel(const LanguageModelTraining& training) {
  auto trained = TrainLanguageModel(SmallText(), training);
  FIRTH_CHECK(trained.ok());
  const std::string path = FuzzFolder().File("seed.safetensors");
  FIRTH_CHECK(trained->model.Save(path).ok());
  return ReadWholeFile(path);
}

// Of which the tagger of the seed is made.
const std::string& TaggersModel() {
  static const auto& path = *new std::string(
      FuzzFolder().Write("context.safetensors", TrainedModel(SmallTraining())));
  return path;
}

absl::StatusOr<Tagger> TrainTagger(bool crf, const Checkpointing& saving) {
  std::vector<TaggedSentence> train(2);
  train[0].tokens = {"the", "cat"};
  train[0].tags = {"D", "N"};
  train[1].tokens = {"ran"};
  train[1].tags = {"V"};
  TaggerOptions options;
  options.lstm_layers = crf ? 0 : 1;
  options.units = 1;
  options.crf = crf;
  options.epochs = 2;
  options.batch = 1;
  options.threads = 1;
  TaggerReport report;
  return Tagger::Train(train, {}, {"", TaggersModel()}, options, {}, &report,
                       saving);
}

}  // namespace

absl::Status TrainSmallLanguageModel(const Checkpointing& saving) {
  // Of fewer than a hundred tokens no perplexity is measured.
  static const Corpus& validation = *new Corpus([] {
    std::string text;
    for (int i = 0; i < 10; ++i) absl::StrAppend(&text, kText);
    return ReadSmallText(text);
  }());
  LanguageModelTraining training = SmallTraining();
  training.unroll = 4;
  training.validation = &validation;
  return TrainLanguageModel(SmallText(), training, {}, saving).status();
}

absl::Status TrainSmallTagger(const Checkpointing& saving) {
  return TrainTagger(/*crf=*/true, saving).status();
}

absl::Status ReadLanguageModel(absl::string_view bytes) {
  const std::string path = FuzzFolder().Write("m.safetensors", bytes);
  FIRTH_ASSIGN_OR_RETURN(Contextualizer contextualizer,
                         Contextualizer::Load(path));
  const std::vector<Contextualizer::Sentence> sentences = {
      {"the", "cat", "na\xc3\xafve", "a\xff"}, {}};
  FIRTH_ASSIGN_OR_RETURN(const std::vector<TokenVectors> vectors,
                         contextualizer.Embed(sentences, {.threads = 1}));
  FIRTH_CHECK(vectors.size() == 2 && vectors[0].tokens == 4);
  for (const float value : vectors[0].values) FIRTH_CHECK(!std::isnan(value));
  FIRTH_ASSIGN_OR_RETURN(const VectorFile words, LoadVectorFile(path));
  FIRTH_CHECK(words.vectors.dim() == contextualizer.token_dim());
  FIRTH_ASSIGN_OR_RETURN(LanguageModel model, LanguageModel::Load(path));
  GenerateOptions options;
  options.prompt = {"the"};
  options.max_tokens = 3;
  return model.Generate(options).status();
}

std::vector<std::string> LanguageModelSeeds() {
  LanguageModelTraining training = SmallTraining();
  std::vector<std::string> seeds = {TrainedModel(training)};
  training.cell = CellKind::kGruResetBefore;
  training.use_characters = true;
  training.character_output = true;
  training.correction_dim = 1;
  training.dim = 0;
  seeds.push_back(TrainedModel(training));
  seeds.push_back(ImportedModelSeed());
  return seeds;
}

absl::Status ReadElmoOptionsFile(absl::string_view bytes) {
  return ReadElmoOptions(FuzzFolder().Write("options.json", bytes)).status();
}

std::vector<std::string> ElmoOptionsSeeds() {
  return {R"({"lstm": {"use_skip_connections": true, "projection_dim": 16,
"cell_clip": 3, "proj_clip": 3, "dim": 64, "n_layers": 2}, "char_cnn":
{"activation": "relu", "filters": [[1, 4], [2, 8]], "n_highway": 2,
"embedding": {"dim": 4}, "n_characters": 262,
"max_characters_per_token": 50}})"};
}

namespace {

absl::Status ReadWholeDataset(const Hdf5File& file, const std::string& name,
                              size_t file_bytes) {
  FIRTH_ASSIGN_OR_RETURN(const std::vector<uint64_t> shape, file.Shape(name));
  uint64_t count = 1;
  for (const uint64_t size : shape) count = MultiplySaturated(count, size);
  FIRTH_CHECK(count <= file_bytes / sizeof(float));
  std::vector<float> values(count);
  FIRTH_RETURN_IF_ERROR(file.Read(name, shape, values.data()));
  for (const float value : values) FIRTH_CHECK(std::isfinite(value));
  return absl::OkStatus();
}

// Of the smallest ELMo: an embedding, a filter and a layer of one dimension.
const std::string& SmallestElmo() {
  static const auto& path = *new std::string(FuzzFolder().Write(
      "smallest.json",
      R"({"lstm": {"use_skip_connections": true, "projection_dim": 1,
"cell_clip": 3, "proj_clip": 3, "dim": 2, "n_layers": 1}, "char_cnn":
{"activation": "relu", "filters": [[1, 2]], "n_highway": 1, "embedding":
{"dim": 1}, "n_characters": 262, "max_characters_per_token": 50}})"));
  return path;
}

}  // namespace

// As what embed writes, as a dataset in a group, and as weights.
absl::Status ReadHdf5(absl::string_view bytes) {
  const std::string path = FuzzFolder().Write("w.hdf5", bytes);
  FIRTH_ASSIGN_OR_RETURN(const Hdf5File file, Hdf5File::Open(path));
  const absl::Status member = ReadWholeDataset(file, "0", bytes.size());
  (void)ReadWholeDataset(file, "10", bytes.size());
  (void)ReadWholeDataset(file, "group/table", bytes.size());
  const absl::Status weights = ReadElmo(SmallestElmo(), path).status();
  return weights.ok() ? weights : member;
}

std::vector<std::string> Hdf5Seeds() {
  std::vector<std::string> seeds;
  for (const size_t sentences : {1, 11}) {
    const std::string path = FuzzFolder().File("seed.hdf5");
    auto writer = EmbeddingWriter::Create(path, EmbeddingFormat::kHdf5, 1, 2);
    FIRTH_CHECK(writer.ok());
    for (size_t i = 0; i < sentences; ++i) {
      FIRTH_CHECK(writer->Add({1, 1, 2, {0.5f, -1}}).ok());
    }
    FIRTH_CHECK(writer->Commit().ok());
    seeds.push_back(ReadWholeFile(path));
  }
  return seeds;
}

absl::Status ReadTagger(absl::string_view bytes) {
  const std::string path = FuzzFolder().Write("t.safetensors", bytes);
  FIRTH_ASSIGN_OR_RETURN(Tagger tagger,
                         Tagger::Load(path, {"", TaggersModel()}, 1));
  std::vector<TaggedSentence> sentences(2);
  sentences[0].tokens = {"the", "cat", "a\xff"};
  FIRTH_RETURN_IF_ERROR(tagger.Tag(absl::MakeSpan(sentences)));
  FIRTH_CHECK(sentences[0].predicted.size() == 3);
  return absl::OkStatus();
}

std::vector<std::string> TaggerSeeds() {
  std::vector<std::string> seeds;
  for (const bool crf : {false, true}) {
    auto tagger = TrainTagger(crf, {});
    FIRTH_CHECK(tagger.ok());
    const std::string path = FuzzFolder().File("seed.safetensors");
    FIRTH_CHECK(tagger->Save(path).ok());
    seeds.push_back(ReadWholeFile(path));
  }
  return seeds;
}

absl::Status ReadHmm(absl::string_view bytes) {
  const std::string path = FuzzFolder().Write("h.safetensors", bytes);
  FIRTH_ASSIGN_OR_RETURN(Tagger tagger, Tagger::Load(path, {}, 1));
  std::vector<TaggedSentence> sentences(2);
  sentences[0].tokens = {"The", "cat", "na\xc3\xafve", "1", "a\xff"};
  FIRTH_RETURN_IF_ERROR(
      tagger.Tag(absl::MakeSpan(sentences), {.probabilities = true}));
  FIRTH_CHECK(sentences[0].predicted.size() == 5);
  for (const double p : sentences[0].probabilities) {
    FIRTH_CHECK(p >= 0 && p <= 1);
  }
  return absl::OkStatus();
}

std::vector<std::string> HmmSeeds() {
  std::vector<TaggedSentence> train(2);
  train[0].tokens = {"the", "cat"};
  train[0].tags = {"D", "N"};
  train[1].tokens = {"It", "ran"};
  train[1].tags = {"P", "V"};
  HmmOptions options;
  options.ending_length = 2;
  TaggerReport report;
  auto tagger = Tagger::TrainHmm(train, {}, {}, options, {}, &report);
  FIRTH_CHECK(tagger.ok());
  const std::string path = FuzzFolder().File("seed.safetensors");
  FIRTH_CHECK(tagger->Save(path).ok());
  return {ReadWholeFile(path)};
}

// The first byte chooses the form.
absl::Status ReadTags(absl::string_view bytes) {
  if (bytes.empty()) return absl::OkStatus();
  constexpr TextForm kForms[] = {TextForm::kText, TextForm::kSlashes,
                                 TextForm::kColumns};
  TaggedTextOptions options;
  options.form = kForms[static_cast<unsigned char>(bytes.front()) % 3];
  options.inputs = {FuzzFolder().Write("tags", bytes.substr(1))};
  FIRTH_ASSIGN_OR_RETURN(const std::vector<TaggedSentence> sentences,
                         ReadTaggedText(options));
  for (const TaggedSentence& sentence : sentences) {
    FIRTH_CHECK(!sentence.tokens.empty());
    FIRTH_CHECK(options.form == TextForm::kText ||
                sentence.tags.size() == sentence.tokens.size());
  }
  return absl::OkStatus();
}

std::vector<std::string> TagSeeds() {
  return {"0the cat\n", "1the/D cat/N\n", "2the\tD\ncat\tN\n\nit\tP\n"};
}

absl::Status ReadSenseFile(absl::string_view bytes) {
  const std::string path = FuzzFolder().Write("senses", bytes);
  const auto text = ReadSensedText(path);
  if (text.ok()) {
    for (const SensedSentence& sentence : *text) {
      for (const SensedWord& word : sentence.words) {
        FIRTH_CHECK(word.position + word.tokens <= sentence.tokens.size());
      }
    }
    return absl::OkStatus();
  }
  FIRTH_ASSIGN_OR_RETURN(const std::vector<SenseInstance> instances,
                         ReadSenses(path));
  for (const SenseInstance& instance : instances) {
    FIRTH_CHECK(instance.position < instance.tokens.size());
  }
  return absl::OkStatus();
}

std::vector<std::string> SenseSeeds() {
  return {
      "<contextfile>\n<s snum=1>\n<wf cmd=done lemma=say wnsn=1 "
      "lexsn=2:32:00::>had_said</wf>\n<punc>.</punc>\n</s>\n",
      "river 3 by the bank of the Seine\nmoney 2 the bank paid\n",
      "<instance id=\"line.1\">\n<answer instance=\"line.1\" "
      "senseid=\"cord\"/>\n<context>\n<s> a <head>line</head> of "
      "rope </s>\n</context>\n</instance>\n"};
}

}  // namespace firth
