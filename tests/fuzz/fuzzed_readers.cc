#include "fuzz/fuzzed_readers.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "corpus/text_source.h"
#include "corpus/tokenizer.h"
#include "firth/align.h"
#include "firth/corpus.h"
#include "firth/evaluate.h"
#include "firth/file_info.h"
#include "firth/quantize.h"
#include "firth/query.h"
#include "firth/status_macros.h"
#include "firth/vector_io.h"
#include "fuzz/fuzz_folder.h"
#include "fuzz/fuzzed_classifiers.h"
#include "fuzz/fuzzed_json.h"
#include "fuzz/fuzzed_models.h"
#include "fuzz/fuzzed_ngrams.h"
#include "fuzz/fuzzed_options.h"
#include "fuzz/fuzzed_pretrained.h"
#include "fuzz/fuzzed_requests.h"
#include "fuzz/fuzzed_seq2seq.h"
#include "fuzz/fuzzed_texts.h"
#include "fuzz/fuzzed_tokenizers.h"
#include "fuzz/fuzzed_trainings.h"
#include "query/hnsw_graph.h"
#include "query/quantized_rows.h"
#include "support/compress.h"
#include "support/temp_files.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

// Between an array and its words, in the one input of a reader of two files.
constexpr absl::string_view kNextFile = "\n--next-file--\n";

FloatTable RandomTable(size_t rows, size_t cols, uint64_t seed) {
  return FloatTable(RandomFloats(rows * cols, seed), cols);
}

Vocabulary SeedWords() {
  constexpr absl::string_view kWords[] = {"the", "na\xc3\xafve", "</s>",
                                          "\xe6\x97\xa5", "x"};
  return *Vocabulary::Create(kWords, {9, 4, 2, 1, 1});
}

// A model with n-grams of this kind.
VectorFile Model(const SubwordOptions& options) {
  const Vocabulary words = SeedWords();
  VectorFile file;
  std::optional<SubwordTables> subwords;
  if (!std::holds_alternative<NoSubwords>(options)) {
    SubwordIndex index = *SubwordIndex::Create(options, words);
    const size_t rows = index.rows();
    subwords = SubwordTables{
        std::move(index),
        WordsHaveRows(options) ? RandomTable(words.size(), 2, 2) : FloatTable(),
        RandomTable(rows, 2, 3)};
  }
  file.vectors =
      *WordVectors::Create(words, RandomTable(words.size(), 2, 1), subwords);
  file.metadata = {{"arch", "cbow"}};
  return file;
}

std::vector<VectorFile> Models() {
  BucketSubwords finalfusion{.min_n = 1, .max_n = 2, .buckets = 4};
  finalfusion.hash = BucketHash::kFinalfusion;
  std::vector<VectorFile> models;
  for (const SubwordOptions& options :
       {SubwordOptions(NoSubwords()),
        SubwordOptions(BucketSubwords{.min_n = 2, .max_n = 3, .buckets = 7}),
        SubwordOptions(finalfusion), SubwordOptions(ExplicitSubwords{2, 2, 1}),
        SubwordOptions(FloretSubwords{.min_n = 2, .max_n = 2, .buckets = 5})}) {
    models.push_back(Model(options));
  }
  models.front().output = RandomTable(models.front().vectors.size(), 2, 4);
  models.front().output_bias = RandomTable(1, models.front().vectors.size(), 5);
  return models;
}

void Use(const VectorFile& file) {
  const WordVectors& vectors = file.vectors;
  FIRTH_CHECK(vectors.dim() > 0);
  for (size_t i = 0; i < vectors.size(); ++i) {
    const WordId word = ToWordId(i);
    FIRTH_CHECK(!vectors.vocabulary().Word(word).empty());
    for (const float value : vectors.Vector(word)) {
      FIRTH_CHECK(std::isfinite(value));
    }
    FIRTH_CHECK(vectors.Find(vectors.vocabulary().Word(word)).has_value());
  }
  for (const absl::string_view word : {"na\xc3\xafve", "a\xff", "</s>", ""}) {
    (void)vectors.FromNGrams(word);
    if (vectors.subwords() != nullptr) {
      (void)vectors.subwords()->index.NGrams(word);
    }
  }
  for (size_t row = 0; row < file.output.rows(); ++row) {
    for (const float value : file.output.Row(row)) {
      FIRTH_CHECK(std::isfinite(value));
    }
  }
}

absl::Status LoadAs(const char* format, const std::string& path) {
  (void)DescribeVectorFile(path);
  LoadOptions options;
  options.format = format;
  options.duplicates = DuplicateWords::kKeepFirst;
  FIRTH_ASSIGN_OR_RETURN(const VectorFile file, LoadVectorFile(path, options));
  Use(file);
  options.only_vectors = true;
  options.lazily = true;
  FIRTH_ASSIGN_OR_RETURN(const VectorFile lazily,
                         LoadVectorFile(path, options));
  (void)lazily.vectors.inverse_norms();
  (void)lazily.vectors.vocabulary().Find("word");
  return absl::OkStatus();
}

template <const char* format>
absl::Status ReadVectors(absl::string_view bytes) {
  return LoadAs(format, FuzzFolder().Write("v", bytes));
}

absl::Status ReadNpy(absl::string_view bytes) {
  const size_t array = std::min(bytes.find(kNextFile), bytes.size());
  const size_t words = std::min(array + kNextFile.size(), bytes.size());
  FuzzFolder().Write("v.vocab", bytes.substr(words));
  return LoadAs("npy", FuzzFolder().Write("v.npy", bytes.substr(0, array)));
}

// The three files of a folder, one after another.
constexpr const char* kModel2vecFiles[] = {"model.safetensors",
                                           "tokenizer.json", "config.json"};

absl::Status ReadModel2vec(absl::string_view bytes) {
  const std::string folder = FuzzFolder().File("m2v");
  std::filesystem::create_directory(folder);
  for (const char* name : kModel2vecFiles) {
    const size_t end = std::min(bytes.find(kNextFile), bytes.size());
    FuzzFolder().Write(absl::StrCat("m2v/", name), bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + kNextFile.size(), bytes.size()));
  }
  return LoadAs("model2vec", folder);
}

std::vector<std::string> Model2vecSeeds() {
  std::vector<std::string> seeds;
  const std::string folder = FuzzFolder().File("m2v-seed");
  const VectorFile plain = Model(NoSubwords());
  for (const QuantizeOptions& form :
       {QuantizeOptions(ToFloat16()), QuantizeOptions(ToInt8())}) {
    VectorFile model = plain;
    model.vectors = *Quantize(plain.vectors, form);
    FIRTH_CHECK(SaveVectorFile(model, folder, "model2vec").ok());
    std::vector<std::string> files;
    for (const char* name : kModel2vecFiles) {
      files.push_back(ReadWholeFile(absl::StrCat(folder, "/", name)));
    }
    seeds.push_back(absl::StrJoin(files, kNextFile));
  }
  return seeds;
}

// Of those models that the format holds something of.
template <const char* format>
std::vector<std::string> VectorSeeds() {
  std::vector<std::string> seeds;
  for (const VectorFile& model : Models()) {
    const std::string path = FuzzFolder().File("seed");
    if (!SaveVectorFile(model, path, format).ok()) continue;
    seeds.push_back(ReadWholeFile(path));
    if (absl::string_view(format) == "npy") {
      absl::StrAppend(&seeds.back(), kNextFile,
                      ReadWholeFile(FuzzFolder().File("seed.vocab")));
    }
  }
  return seeds;
}

constexpr char kAny[] = "";
constexpr char kBin[] = "bin";
constexpr char kFasttext[] = "fasttext";
constexpr char kFinalfusion[] = "finalfusion";
constexpr char kFloret[] = "floret";
constexpr char kGlove[] = "glove";
constexpr char kNpy[] = "npy";
constexpr char kSafetensors[] = "safetensors";
constexpr char kText[] = "text";

std::vector<std::string> AnySeeds() {
  std::vector<std::string> seeds;
  for (const auto make :
       {VectorSeeds<kBin>, VectorSeeds<kFasttext>, VectorSeeds<kFinalfusion>,
        VectorSeeds<kFloret>, VectorSeeds<kGlove>, VectorSeeds<kSafetensors>,
        VectorSeeds<kText>}) {
    seeds.push_back(make().front());
  }
  const std::string text = seeds.back();
  for (const auto pack : {Gzip, Bzip2, Xz}) seeds.push_back(pack(text));
  seeds.push_back(Zstd(text));
  return seeds;
}

absl::Status ReadVocabulary(absl::string_view bytes) {
  const std::string path = FuzzFolder().Write("words", bytes);
  FIRTH_ASSIGN_OR_RETURN(const Vocabulary words, LoadVocabulary(path));
  for (size_t i = 0; i < words.size(); ++i) {
    FIRTH_CHECK(words.Find(words.Word(ToWordId(i))) == ToWordId(i));
  }
  return absl::OkStatus();
}

std::vector<std::string> VocabularySeeds() {
  return {"the 9\nof 4\n\xe6\x97\xa5 1\n", "one\ntwo\n"};
}

// A file of any compression, in blocks of a few bytes, tokenized. What a short
// file unpacks to may be long.
absl::Status ReadTextSource(absl::string_view bytes) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 20;
  CorpusOptions options;
  options.inputs = {FuzzFolder().Write("text", bytes)};
  options.max_word_bytes = 1 + bytes.size() % 29;
  FIRTH_ASSIGN_OR_RETURN(
      TextSource source,
      TextSource::Create(options, 16 + bytes.size() % 61, nullptr));
  TextBlock block;
  TokenizedBlock tokens;
  while (source.bytes() < kMostBytes) {
    FIRTH_ASSIGN_OR_RETURN(const bool more, source.Next(&block));
    if (!more) break;
    Tokenize(block, options.max_word_bytes, &tokens);
    for (const BlockWords::Word& word : tokens.words.words()) {
      FIRTH_CHECK(word.size > 0 && word.size <= options.max_word_bytes);
      FIRTH_CHECK(word.offset + word.size <= block.size);
    }
  }
  return absl::OkStatus();
}

std::vector<std::string> TextSourceSeeds() {
  const std::string text =
      "one two three\nzw\xc3\xb6lf\xc2\xa0 \xe6\x97\xa5\xe6\x9c\xac\n\n"
      "a word of more than a block: "
      "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
      "\n";
  return {text, Gzip(text), Bzip2(text), Xz(text), Zstd(text)};
}

// The first byte chooses what is done with the text.
absl::Status ReadCorpusText(absl::string_view bytes) {
  if (bytes.empty()) return absl::OkStatus();
  const auto choice = static_cast<unsigned char>(bytes.front());
  CorpusOptions options;
  options.text = bytes.substr(1);
  options.utf8 = choice % 3 == 0   ? Utf8Policy::kKeep
                 : choice % 3 == 1 ? Utf8Policy::kReplace
                                   : Utf8Policy::kError;
  options.lowercase = choice % 2 == 1;
  options.threads = 1;
  FIRTH_ASSIGN_OR_RETURN(const Corpus corpus,
                         CountWords(options, {.min_count = 1}));
  FIRTH_CHECK(corpus.vocabulary.total_count() == corpus.report.words_kept);
  return absl::OkStatus();
}

std::vector<std::string> CorpusSeeds() {
  const std::string text = "One TWO two\n\xc3\x84rger \xe2\x84\xaa\n";
  return {"0" + text, "1" + text, "3" + text};
}

WordVectors SearchedVectors() {
  return *WordVectors::Create(SeedWords(), RandomTable(5, 4, 6));
}

absl::Status ReadHnsw(absl::string_view bytes) {
  static const CenteredRows rows(SearchedVectors());
  FIRTH_ASSIGN_OR_RETURN(const HnswGraph graph,
                         HnswGraph::FromLinks(rows, {}, bytes));
  const std::vector<float> unit = {1, 0, 0, 0};
  FIRTH_CHECK(graph.Search(unit, 3).size() <= 5);
  return absl::OkStatus();
}

std::vector<std::string> HnswSeeds() {
  return {HnswGraph::Build(CenteredRows(SearchedVectors()), {})->Links()};
}

// Of every kind that has a reader of its own here.
std::vector<std::string> FileInfoSeeds() {
  std::vector<std::string> seeds = AnySeeds();
  for (const auto make :
       {VocabularySeeds, LanguageModelSeeds, ArpaSeeds, CountingModelSeeds,
        TaggerSeeds, HmmSeeds, Seq2SeqSeeds, CheckpointSeeds<TrainSmallSeq2Seq>,
        ClassifierSeeds, CheckpointSeeds<TrainSmallVectors>,
        CheckpointSeeds<TrainSmallLanguageModel>,
        CheckpointSeeds<TrainSmallTagger>}) {
    for (std::string& seed : make()) seeds.push_back(std::move(seed));
  }
  seeds.push_back("new_york\t17\t3.5\n");
  const std::string index = FuzzFolder().File("seed");
  FIRTH_CHECK(BuildHnswIndex(SearchedVectors(), {}, index).ok());
  seeds.push_back(ReadWholeFile(index));
  return seeds;
}

absl::Status ReadFileInfo(absl::string_view bytes) {
  const auto info = DescribeFile(FuzzFolder().Write("file", bytes));
  if (info.ok()) FIRTH_CHECK(!info->kind.empty() && !info->facts.empty());
  return info.status();
}

absl::Status ReadTestSets(absl::string_view bytes) {
  static const WordVectors vectors = SearchedVectors();
  const std::string path = FuzzFolder().Write("set", bytes);
  const absl::Status status =
      EvaluateAnalogies(vectors, path, EvaluateOptions()).status();
  const absl::Status other =
      EvaluateSimilarity(vectors, path, EvaluateOptions()).status();
  return status.ok() ? status : other;
}

std::vector<std::string> TestSetSeeds() {
  return {": one\nthe na\xc3\xafve x the\n# no\n\nthe x x the\n",
          "word1\tword2\tscore\nthe\tx\t3.5\n",
          ",word1,word2,score\n1,the,x,-2\n2,x,the,7\n"};
}

absl::Status ReadDictionary(absl::string_view bytes) {
  static const Vocabulary words = SeedWords();
  FIRTH_ASSIGN_OR_RETURN(
      const BilingualDictionary dictionary,
      LoadDictionary(FuzzFolder().Write("dictionary", bytes), words, words));
  for (const auto& pair : dictionary.pairs) {
    FIRTH_CHECK(Index(pair.source) < words.size());
    FIRTH_CHECK(Index(pair.target) < words.size());
  }
  return absl::OkStatus();
}

std::vector<std::string> DictionarySeeds() {
  return {"the x\nx the\n", "the\tna\xc3\xafve\n"};
}

constexpr FuzzedReader kReaders[] = {
    {"any", ReadVectors<kAny>, AnySeeds},
    {"file_info", ReadFileInfo, FileInfoSeeds},
    {kBin, ReadVectors<kBin>, VectorSeeds<kBin>},
    {kFasttext, ReadVectors<kFasttext>, VectorSeeds<kFasttext>},
    {kFinalfusion, ReadVectors<kFinalfusion>, VectorSeeds<kFinalfusion>},
    {kFloret, ReadVectors<kFloret>, VectorSeeds<kFloret>},
    {kGlove, ReadVectors<kGlove>, VectorSeeds<kGlove>},
    {"model2vec", ReadModel2vec, Model2vecSeeds},
    {kNpy, ReadNpy, VectorSeeds<kNpy>},
    {kSafetensors, ReadVectors<kSafetensors>, VectorSeeds<kSafetensors>},
    {kText, ReadVectors<kText>, VectorSeeds<kText>},
    {"vocabulary", ReadVocabulary, VocabularySeeds},
    {"text_source", ReadTextSource, TextSourceSeeds},
    {"corpus", ReadCorpusText, CorpusSeeds},
    {"hnsw", ReadHnsw, HnswSeeds},
    {"test_sets", ReadTestSets, TestSetSeeds},
    {"dictionary", ReadDictionary, DictionarySeeds},
    {"checkpoint", ReadCheckpoint<TrainSmallVectors>,
     CheckpointSeeds<TrainSmallVectors>},
    {"lm_checkpoint", ReadCheckpoint<TrainSmallLanguageModel>,
     CheckpointSeeds<TrainSmallLanguageModel>},
    {"tag_checkpoint", ReadCheckpoint<TrainSmallTagger>,
     CheckpointSeeds<TrainSmallTagger>},
    {"seq2seq_checkpoint", ReadCheckpoint<TrainSmallSeq2Seq>,
     CheckpointSeeds<TrainSmallSeq2Seq>},
    {"options", ReadCommandLine, CommandLineSeeds},
    {"language_model", ReadLanguageModel, LanguageModelSeeds},
    {"arpa", ReadCountingModel, ArpaSeeds},
    {"counting_model", ReadCountingModel, CountingModelSeeds},
    {"elmo_options", ReadElmoOptionsFile, ElmoOptionsSeeds},
    {"pretrained_file", ReadPretrainedFile, PretrainedFileSeeds},
    {"pretrained_weights", ReadPretrainedWeights, PretrainedWeightsSeeds},
    {"hdf5", ReadHdf5, Hdf5Seeds},
    {"tagger", ReadTagger, TaggerSeeds},
    {"seq2seq", ReadSeq2Seq, Seq2SeqSeeds},
    {"parallel_text", ReadParallel, ParallelSeeds},
    {"hmm", ReadHmm, HmmSeeds},
    {"classifier", ReadClassifier, ClassifierSeeds},
    {"labelled_text", ReadLabelled, LabelledSeeds},
    {"tagged_text", ReadTags, TagSeeds},
    {"senses", ReadSenseFile, SenseSeeds},
    {"json", ReadJsonText, JsonSeeds},
    {"request", AnswerRequest, RequestSeeds},
    {"labels", ReadLabels, LabelSeeds},
    {"tokenizer", EncodeText, TokenizerSeeds},
    {"sentence_texts", TrainSentencesOn, SentenceTextSeeds},
    {"teacher", ReadTeacherVectors, TeacherSeeds},
    {"sentence_checkpoint", ReadCheckpoint<TrainSmallSentences>,
     CheckpointSeeds<TrainSmallSentences>},
    {"text_sets", ReadTextSets, TextSetSeeds},
    {"document_texts", ReadDocumentTexts, DocumentTextSeeds},
    {"document_model", ReadDocumentModel, DocumentModelSeeds},
};

}  // namespace

absl::Span<const FuzzedReader> FuzzedReaders() { return kReaders; }

const FuzzedReader* FindFuzzedReader(absl::string_view name) {
  for (const FuzzedReader& reader : kReaders) {
    if (reader.name == name) return &reader;
  }
  return nullptr;
}

}  // namespace firth
