#include "fuzz/fuzzed_texts.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "firth/documents.h"
#include "firth/evaluate_texts.h"
#include "firth/sentence_training.h"
#include "firth/status_macros.h"
#include "firth/vector_io.h"
#include "fuzz/fuzz_folder.h"
#include "support/trainings.h"

namespace firth {
namespace {

constexpr char kTexts[] = "a b c d\nb c a a\n\nc na\xc3\xafve d b\n";

SentenceTrainingOptions TinySentences() {
  SentenceTrainingOptions options;
  options.dim = 2;
  options.min_count = 1;
  options.min_span = 1;
  options.max_span = 2;
  options.batch = 4;
  options.held_out = 0;
  options.epochs = 2;
  options.threads = 1;
  return options;
}

void CheckFinite(const FloatTable& table) {
  for (size_t row = 0; row < table.rows(); ++row) {
    for (const float value : table.Row(row)) FIRTH_CHECK(std::isfinite(value));
  }
}

absl::Status TrainTiny(const SentenceInputs& inputs,
                       const SentenceTrainingOptions& options,
                       const Checkpointing& saving = {}) {
  SentenceReport report;
  FIRTH_ASSIGN_OR_RETURN(
      const VectorFile model,
      TrainSentences(inputs, options, nullptr, {}, &report, saving));
  FIRTH_CHECK(model.vectors.dim() == options.dim);
  CheckFinite(model.vectors.table());
  return absl::OkStatus();
}

std::string WithByte(unsigned char byte, absl::string_view text) {
  std::string whole(1, static_cast<char>(byte));
  whole.append(text.data(), text.size());
  return whole;
}

const WordVectors& TinyWords() {
  static const WordVectors& vectors = *new WordVectors(
      *WordVectors::Create(*Vocabulary::Create({"a", "b", "c"}, {3, 2, 1}),
                           FloatTable({1, 0, 0, 1, .5f, -.5f}, 2)));
  return vectors;
}

DocumentOptions TinyDocuments() {
  DocumentOptions options;
  options.dim = 2;
  options.epochs = 1;
  options.threads = 1;
  return options;
}

absl::StatusOr<Documents> TinyTexts(const std::string& path,
                                    DocumentTags tags) {
  DocumentTextOptions options;
  options.corpus.inputs = {path};
  options.corpus.threads = 1;
  options.vocabulary.min_count = 1;
  options.tags = tags;
  return ReadDocuments(options);
}

}  // namespace

absl::Status TrainSentencesOn(absl::string_view bytes) {
  if (bytes.empty()) return absl::OkStatus();
  const auto form = static_cast<unsigned char>(bytes.front());
  SentenceTrainingOptions options = TinySentences();
  options.lowercase = form / 4 % 2 == 1;
  options.split_punctuation = form / 8 % 2 == 1;
  if (form / 16 % 2 == 1) options.nested = {1};
  if (form / 32 % 2 == 1) options.mix = {1};
  SentenceInputs inputs;
  auto& paths = form % 4 == 0   ? inputs.texts
                : form % 4 == 1 ? inputs.paraphrases
                                : inputs.pairs;
  paths = {FuzzFolder().Write("texts", bytes.substr(1))};
  return TrainTiny(inputs, options);
}

std::vector<std::string> SentenceTextSeeds() {
  constexpr char kPairs[] =
      "a b\tb c\nb\tc a\ta d\n"
      "{\"anchor\": \"a\", \"positive\": \"c d\", \"negative\": \"b\"}\n";
  return {WithByte(0, kTexts), WithByte(1, "a b\tb\tc a\nd\tc\n"),
          WithByte(2, kPairs), WithByte(60, "Don't stop. Don't go.\nA b! B c?"),
          WithByte(18, kPairs)};
}

absl::Status ReadTeacherVectors(absl::string_view bytes) {
  SentenceInputs inputs;
  inputs.teacher_texts = FuzzFolder().Write("texts", "a b\nb c\nc\n");
  inputs.teacher_vectors = FuzzFolder().Write("teacher.npy", bytes);
  return TrainTiny(inputs, TinySentences());
}

std::vector<std::string> TeacherSeeds() {
  const std::string path = FuzzFolder().File("seed.npy");
  FIRTH_CHECK(
      SaveNpyArray(FloatTable({1, 0, 2, 0, 1, 0, 3, 3, 1}, 3), path).ok());
  return {ReadWholeFile(path)};
}

absl::Status TrainSmallSentences(const Checkpointing& saving) {
  SentenceInputs inputs;
  inputs.texts = {FuzzFolder().Write("small.txt", kTexts)};
  return TrainTiny(inputs, TinySentences(), saving);
}

absl::Status ReadTextSets(absl::string_view bytes) {
  const std::vector<absl::string_view> files =
      absl::StrSplit(bytes, absl::MaxSplits('\f', 2));
  const char* const names[] = {"documents.tsv", "queries.tsv", "relevant.tsv"};
  for (size_t i = 0; i < 3; ++i) {
    FuzzFolder().Write(std::string("collection/") + names[i],
                       i < files.size() ? files[i] : "");
  }
  const std::string folder = FuzzFolder().File("collection");
  EvaluateTextsOptions options;
  options.dim = bytes.size() % 3;
  const auto scores =
      EvaluateTextSimilarity(TinyWords(), folder + "/documents.tsv", options);
  const auto ranking = EvaluateRetrieval(TinyWords(), folder, options);
  if (ranking.ok()) {
    FIRTH_CHECK(ranking->asked <= ranking->total);
    for (const RankingQuality* quality :
         {&ranking->vectors, &ranking->bm25, &ranking->hybrid}) {
      FIRTH_CHECK(quality->ndcg >= 0 && quality->ndcg <= 1 + 1e-9);
      FIRTH_CHECK(quality->recall >= 0 && quality->recall <= 1 + 1e-9);
    }
  }
  return scores.ok() ? absl::OkStatus() : ranking.status();
}

std::vector<std::string> TextSetSeeds() {
  return {"1\ta b\n2\tc\n\fq\tb c\nr\tc\n\fq\t1\t2\nq\t2\nr\t2\t0\n",
          "score\ttext\ttext\n1.5\ta b\tc\n0\ta\tb\n2\tc\ta\n",
          "a\tb c\t1\nb\ta\t2\nc\tc\t5\n"};
}

absl::Status ReadDocumentTexts(absl::string_view bytes) {
  if (bytes.empty()) return absl::OkStatus();
  const auto form = static_cast<unsigned char>(bytes.front());
  FIRTH_ASSIGN_OR_RETURN(
      const Documents documents,
      TinyTexts(FuzzFolder().Write("documents", bytes.substr(1)),
                form % 2 == 0 ? DocumentTags::kLine : DocumentTags::kColumn));
  FIRTH_CHECK(documents.tag_begins.back() == documents.tag_ids.size());
  for (const uint32_t tag : documents.tag_ids) {
    FIRTH_CHECK(tag < documents.tags.size());
  }
  DocumentOptions options = TinyDocuments();
  if (form / 2 % 2 == 1) options.architecture = DmOptions{};
  if (form / 4 % 2 == 1) options.objective = HierarchicalSoftmaxOptions{};
  TrainReport report;
  FIRTH_ASSIGN_OR_RETURN(const DocumentModel model,
                         DocumentModel::Train(documents, options, {}, &report));
  CheckFinite(model.documents().table());
  return absl::OkStatus();
}

std::vector<std::string> DocumentTextSeeds() {
  return {WithByte(0, kTexts), WithByte(3, "x y\ta b c\nx\tb b a\n"),
          WithByte(6, kTexts)};
}

absl::Status ReadDocumentModel(absl::string_view bytes) {
  FIRTH_ASSIGN_OR_RETURN(
      const DocumentModel model,
      DocumentModel::Load(FuzzFolder().Write("model.safetensors", bytes)));
  std::vector<float> row(model.documents().dim());
  uint64_t known = 0;
  InferOptions options;
  options.epochs = 1;
  options.threads = 1;
  FIRTH_RETURN_IF_ERROR(model.Infer({{"a", "b", "x"}}, options, {}, row.data(),
                                    absl::MakeSpan(&known, 1)));
  FIRTH_CHECK(known <= 3);
  return absl::OkStatus();
}

std::vector<std::string> DocumentModelSeeds() {
  std::vector<std::string> seeds;
  const std::string path = FuzzFolder().File("seed.safetensors");
  const auto documents =
      TinyTexts(FuzzFolder().Write("documents", kTexts), DocumentTags::kLine);
  for (const bool is_dm : {false, true}) {
    DocumentOptions options = TinyDocuments();
    if (is_dm) {
      options.architecture = DmOptions{};
      options.objective = HierarchicalSoftmaxOptions{};
    }
    TrainReport report;
    const auto model =
        DocumentModel::Train(documents.value(), options, {}, &report);
    FIRTH_CHECK(model.value().Save(path).ok());
    seeds.push_back(ReadWholeFile(path));
  }
  return seeds;
}

}  // namespace firth
