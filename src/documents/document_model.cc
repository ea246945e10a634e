// A model of documents is trained like word vectors whose sentences have rows
// of their own (SentenceRows). To infer a new document, its vector alone is
// trained, with a seed that depends only on its words. The tables that this
// requires are made once, when the first document is inferred.

#include "documents/document_model.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/fields_json.h"
#include "base/json.h"
#include "base/lazy.h"
#include "base/matrix.h"
#include "base/parallel_exceptions.h"
#include "base/quote.h"
#include "base/threads.h"
#include "corpus/token_stream.h"
#include "documents/document_options.h"
#include "documents/infer_shard.h"
#include "firth/documents.h"
#include "firth/status_macros.h"
#include "firth/thousands.h"
#include "io/tensors/checked_tensors.h"
#include "train/embedding_checkpoint.h"
#include "train/training.h"

namespace firth {
namespace {

constexpr char kKind[] = "documents";
constexpr char kNoun[] = "a model of documents";
constexpr char kTags[] = "vocabulary";
constexpr char kTagCounts[] = "counts";
constexpr char kTagRows[] = "input";
constexpr char kWords[] = "words.vocabulary";
constexpr char kWordCounts[] = "words.counts";
constexpr char kWordRows[] = "words.input";
constexpr char kOutput[] = "words.output";

// Returns the documents as sentences with rows, which follow those of words.
SentenceRows RowsOf(const Documents& documents) {
  SentenceRows rows;
  const auto tokens = documents.corpus.tokens->tokens();
  rows.begins.reserve(documents.size());
  for (uint64_t at = 0; at < tokens.size(); ++at) {
    const bool begins = at == 0 || tokens[at - 1] == TokenStream::kSentenceEnd;
    if (begins) rows.begins.push_back(at);
  }
  rows.row_begins = documents.tag_begins;
  const auto words = static_cast<uint32_t>(documents.corpus.vocabulary.size());
  rows.rows.reserve(documents.tag_ids.size());
  for (const uint32_t tag : documents.tag_ids) rows.rows.push_back(words + tag);
  rows.num_rows = documents.tags.size();
  return rows;
}

// Returns which tags belong to a document with a word.
std::vector<bool> TagsWithWords(const Documents& documents) {
  std::vector<bool> found(documents.tags.size());
  size_t document = 0;
  bool has_words = false;
  for (const uint32_t token : documents.corpus.tokens->tokens()) {
    if (token != TokenStream::kSentenceEnd) {
      has_words = true;
      continue;
    }
    for (uint64_t at = documents.tag_begins[document];
         has_words && at < documents.tag_begins[document + 1]; ++at) {
      found[documents.tag_ids[at]] = true;
    }
    ++document;
    has_words = false;
  }
  return found;
}

// Returns the rows of the tags, with zeros for those that were not trained.
FloatTable RowsOfTags(const Documents& documents, const FloatTable& rows) {
  const std::vector<bool> trained = TagsWithWords(documents);
  if (std::find(trained.begin(), trained.end(), false) == trained.end()) {
    return rows;
  }
  PaddedMatrix copy(rows.rows(), rows.cols());
  for (size_t tag = 0; tag < rows.rows(); ++tag) {
    if (trained[tag])
      std::copy_n(rows.Row(tag).data(), rows.cols(), copy.Row(tag));
  }
  return FloatTable(std::move(copy));
}

absl::Status CheckDocuments(const Documents& documents) {
  const Corpus& corpus = documents.corpus;
  if (corpus.tokens == nullptr) {
    return absl::InvalidArgumentError(
        "the documents were only counted; read them with their tokens");
  }
  if (documents.tags.empty()) {
    return absl::InvalidArgumentError("tags: no document has a tag");
  }
  const uint64_t rows =
      uint64_t{corpus.vocabulary.size()} + documents.tags.size();
  if (rows < std::numeric_limits<uint32_t>::max()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("tags: at most 2^32 words and tags are possible, found ",
                   Thousands(rows)));
}

// Checks that each text is one line.
absl::Status CheckLines(const Vocabulary& texts, absl::string_view what,
                        const std::string& path) {
  if (texts.bytes().find('\n') == absl::string_view::npos) {
    return absl::OkStatus();
  }
  for (const absl::string_view text : texts.Words()) {
    if (text.find('\n') == text.npos) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": ", what, " ", Quote(text), " contains a line end"));
  }
  return absl::OkStatus();
}

// Options of training, with the epochs and learning rates of inference. The
// words of dbow are not inputs.
absl::StatusOr<TrainOptions> InferenceOf(const DocumentOptions& trained,
                                         const InferOptions& options) {
  FIRTH_RETURN_IF_ERROR(CheckFields(options));
  DocumentOptions own = trained;
  if (auto* const dbow = std::get_if<DbowOptions>(&own.architecture)) {
    dbow->train_words = false;
  }
  if (options.epochs > 0) own.epochs = options.epochs;
  if (options.learning_rate > 0) own.learning_rate = options.learning_rate;
  if (options.min_learning_rate > 0) {
    own.min_learning_rate = options.min_learning_rate;
  }
  FIRTH_RETURN_IF_ERROR(own.Validate());
  return TrainOptionsOf(own);
}

}  // namespace

struct DocumentModel::Body {
  // Tables in the form of training. Inference only reads them.
  struct Tables {
    EmbeddingModel model;
    ObjectiveTables objective;
    Subsampler subsampler;
  };

  absl::StatusOr<Tables> MakeTables() const;
  absl::Status Infer(absl::Span<const InferTask> tasks,
                     const InferOptions& options, const Hooks& hooks) const;

  DocumentOptions options;
  CorpusOptions reading;
  WordVectors documents;
  Vocabulary vocabulary;
  WordVectors words;  // Without rows if words have no vectors.
  FloatTable output;
  std::map<std::string, std::string> metadata;
  std::shared_ptr<const Lazy<absl::StatusOr<Tables>>> tables =
      std::make_shared<Lazy<absl::StatusOr<Tables>>>();
};

namespace {

void CopyRows(const FloatTable& from, PaddedMatrix* to) {
  for (size_t row = 0; row < from.rows(); ++row) {
    std::copy_n(from.Row(row).data(), from.cols(), to->Row(row));
  }
}

int ThreadsFor(size_t tasks, const InferOptions& inference) {
  const auto most = static_cast<int>(
      std::clamp<size_t>(tasks, 1, static_cast<size_t>(kMostThreads)));
  return std::min(NumThreads(inference.threads), most);
}

}  // namespace

absl::StatusOr<DocumentModel::Body::Tables> DocumentModel::Body::MakeTables()
    const {
  const TrainOptions train = TrainOptionsOf(options);
  FIRTH_ASSIGN_OR_RETURN(ObjectiveTables objective,
                         MakeObjectiveTables(train.objective, vocabulary));
  ModelShape shape = ShapeOf(train, vocabulary.size(), 0);
  // Only dm reads the vectors of words.
  shape.words_have_rows =
      std::holds_alternative<DmOptions>(options.architecture);
  Tables made{EmbeddingModel(shape, options.seed), std::move(objective),
              Subsampler(vocabulary.counts(), options.sample)};
  if (shape.words_have_rows) {
    CopyRows(words.table(), &made.model.input().Quiet());
  }
  CopyRows(output, &made.model.output().Quiet());
  return made;
}

absl::Status DocumentModel::Body::Infer(absl::Span<const InferTask> tasks,
                                        const InferOptions& inference,
                                        const Hooks& hooks) const {
  FIRTH_ASSIGN_OR_RETURN(const TrainOptions train,
                         InferenceOf(options, inference));
  const absl::StatusOr<Tables>& made =
      tables->Get([this] { return MakeTables(); });
  FIRTH_RETURN_IF_ERROR(made.status());
  std::atomic<size_t> next = 0;
  const auto next_task = [&]() -> std::optional<InferTask> {
    const size_t i = next.fetch_add(1, std::memory_order_relaxed);
    if (i >= tasks.size() || hooks.StopRequested()) return std::nullopt;
    if (omp_get_thread_num() == 0) hooks.ReportWork(i, tasks.size());
    return tasks[i];
  };
  // Nothing is written to the model, which several calls may share.
  const InferContext context{train, made->subsampler, made->objective,
                             const_cast<EmbeddingModel&>(made->model),
                             next_task};
  ParallelExceptions exceptions;
#pragma omp parallel num_threads(ThreadsFor(tasks.size(), inference))
  exceptions.Catch([&] { InferShard(context); });
  exceptions.Rethrow();
  if (hooks.StopRequested()) {
    return absl::CancelledError("inference was stopped");
  }
  return absl::OkStatus();
}

DocumentModel::DocumentModel(std::shared_ptr<const Body> body)
    : body_(std::move(body)) {}

absl::StatusOr<DocumentModel> DocumentModel::Train(
    const Documents& documents, const DocumentOptions& given,
    const Hooks& hooks, TrainReport* report,
    const Checkpointing& checkpointing) {
  FIRTH_RETURN_IF_ERROR(given.Validate());
  const DocumentOptions options = Resolved(given);
  FIRTH_RETURN_IF_ERROR(CheckDocuments(documents));
  Checkpointing reserved = checkpointing;
  FIRTH_RETURN_IF_ERROR(ReserveCheckpoints(&reserved));
  const SentenceRows rows = RowsOf(documents);
  SentenceTraining sentences{rows,
                             kDocumentLearner,
                             TableFor<DocumentOptions>(),
                             IdentityOf(options),
                             InputRange(options),
                             documents.tags};
  sentences.identity["tags"] = HexChecksum(
      Checksum(absl::MakeConstSpan(rows.rows), VocabularySum(documents.tags)));
  const TrainOptions train = TrainOptionsOf(options);
  const InitialVectors initial;
  const Validation validation;
  FIRTH_ASSIGN_OR_RETURN(TrainedModel trained,
                         TrainOne({documents.corpus, train, hooks, initial,
                                   reserved, validation, &sentences},
                                  ViewPlace()));
  auto body = std::make_shared<Body>();
  body->options = options;
  body->vocabulary = documents.corpus.vocabulary;
  body->output = std::move(trained.output);
  FIRTH_ASSIGN_OR_RETURN(
      body->documents,
      WordVectors::Create(documents.tags,
                          RowsOfTags(documents, trained.sentences)));
  if (options.has_word_vectors()) body->words = std::move(trained.vectors);
  if (report != nullptr) *report = std::move(trained.report);
  return DocumentModel(std::move(body));
}

const DocumentOptions& DocumentModel::options() const { return body_->options; }
const WordVectors& DocumentModel::documents() const { return body_->documents; }
const WordVectors& DocumentModel::words() const { return body_->words; }
const Vocabulary& DocumentModel::vocabulary() const {
  return body_->vocabulary;
}
const FloatTable& DocumentModel::output() const { return body_->output; }
const CorpusOptions& DocumentModel::reading() const { return body_->reading; }
const std::map<std::string, std::string>& DocumentModel::metadata() const {
  return body_->metadata;
}

DocumentModel DocumentModel::With(
    const CorpusOptions& reading,
    std::map<std::string, std::string> metadata) const {
  auto body = std::make_shared<Body>(*body_);
  body->reading = reading;
  body->metadata = std::move(metadata);
  return DocumentModel(std::move(body));
}

absl::Status DocumentModel::Infer(
    absl::Span<const std::vector<absl::string_view>> documents,
    const InferOptions& options, const Hooks& hooks, float* rows,
    absl::Span<uint64_t> known) const {
  const size_t dim = body_->documents.dim();
  std::fill_n(rows, documents.size() * dim, 0.0f);
  std::vector<std::vector<uint32_t>> tokens(documents.size());
  std::vector<InferTask> tasks;
  for (size_t i = 0; i < documents.size(); ++i) {
    for (const absl::string_view word : documents[i]) {
      const auto id = body_->vocabulary.Find(word);
      if (id.has_value()) tokens[i].push_back(static_cast<uint32_t>(*id));
    }
    if (!known.empty()) known[i] = tokens[i].size();
    if (tokens[i].empty()) continue;
    tokens[i].push_back(TokenStream::kSentenceEnd);
    tasks.push_back({tokens[i], rows + i * dim});
  }
  return body_->Infer(tasks, options, hooks);
}

absl::Status DocumentModel::Infer(const Corpus& corpus,
                                  const InferOptions& options,
                                  const Hooks& hooks, float* rows,
                                  absl::Span<uint64_t> known) const {
  const size_t dim = body_->documents.dim();
  const auto tokens = corpus.tokens->tokens();
  std::vector<InferTask> tasks;
  size_t document = 0;
  size_t begin = 0;
  for (size_t at = 0; at < tokens.size(); ++at) {
    if (tokens[at] != TokenStream::kSentenceEnd) continue;
    float* const row = rows + document * dim;
    std::fill_n(row, dim, 0.0f);
    if (!known.empty()) known[document] = at - begin;
    if (at > begin) {
      tasks.push_back({tokens.subspan(begin, at + 1 - begin), row});
    }
    begin = at + 1;
    ++document;
  }
  return body_->Infer(tasks, options, hooks);
}

// --- Files. ---

absl::Status DocumentModel::Save(const std::string& path) const {
  const Body& body = *body_;
  FIRTH_RETURN_IF_ERROR(CheckLines(body.documents.vocabulary(), "tag", path));
  FIRTH_RETURN_IF_ERROR(CheckLines(body.vocabulary, "word", path));
  CheckedWriter writer;
  writer.Add(kTagCounts, "I64", BytesOf(body.documents.vocabulary().counts()));
  writer.Add(kWordCounts, "I64", BytesOf(body.vocabulary.counts()));
  writer.Add(kTagRows, body.documents.table());
  if (body.options.has_word_vectors()) {
    writer.Add(kWordRows, body.words.table());
  }
  writer.Add(kOutput, body.output);
  writer.AddWords(kTags, body.documents.vocabulary());
  writer.AddWords(kWords, body.vocabulary);
  const Json content = {{"options", IdentityOf(body.options)},
                        {"reading", IdentityOf(body.reading)}};
  return std::move(writer).Write(body.metadata, kKind, DumpJson(content), path);
}

namespace {

// Returns the number of output rows of a model.
size_t OutputRows(const DocumentOptions& options, size_t words) {
  return ShapeOf(TrainOptionsOf(options), words, 0).output_rows;
}

absl::Status CheckDim(const CheckedReader& reader, const char* name,
                      const FloatTable& table, int dim) {
  if (table.cols() == static_cast<size_t>(dim)) return absl::OkStatus();
  return reader.DataLoss(
      name, absl::StrCat("expected ", dim, " columns, found ", table.cols()));
}

struct ModelFile {
  DocumentOptions options;
  CorpusOptions reading;
  Vocabulary tags;
  FloatTable tag_rows;
  Vocabulary words;
  FloatTable word_rows;  // Empty if words have no vectors.
  FloatTable output;
};

absl::Status ReadContent(const CheckedReader& reader, ModelFile* file) {
  const Json content = reader.ContentJson();
  if (!content.is_object() || !content.contains("options") ||
      !content.contains("reading")) {
    return reader.DataLoss(kKind,
                           "expected an object with options and reading");
  }
  const auto read = [&](const char* name, const FieldTable& table,
                        void* options) {
    return At(reader.path(),
              ReadFieldsJson(DumpJson(content.at(name)), table, options));
  };
  FIRTH_RETURN_IF_ERROR(
      read("options", TableFor<DocumentOptions>(), &file->options));
  FIRTH_RETURN_IF_ERROR(
      read("reading", TableFor<CorpusOptions>(), &file->reading));
  // Options that do not apply, such as those of noise words, are not stored.
  file->options = Resolved(file->options);
  return file->options.Validate();
}

absl::StatusOr<ModelFile> ReadModel(const CheckedReader& reader) {
  ModelFile file;
  FIRTH_RETURN_IF_ERROR(ReadContent(reader, &file));
  const int dim = file.options.dim;
  FIRTH_ASSIGN_OR_RETURN(file.tags, reader.ReadWords(kTags, kTagCounts));
  FIRTH_ASSIGN_OR_RETURN(file.tag_rows,
                         reader.ReadRows(kTagRows, file.tags.size()));
  FIRTH_RETURN_IF_ERROR(CheckDim(reader, kTagRows, file.tag_rows, dim));
  FIRTH_ASSIGN_OR_RETURN(file.words, reader.ReadWords(kWords, kWordCounts));
  if (file.words.size() < 2 || file.words.total_count() == 0) {
    return reader.DataLoss(kWords, "expected at least 2 words with counts");
  }
  if (file.options.has_word_vectors()) {
    FIRTH_ASSIGN_OR_RETURN(file.word_rows,
                           reader.ReadRows(kWordRows, file.words.size()));
    FIRTH_RETURN_IF_ERROR(CheckDim(reader, kWordRows, file.word_rows, dim));
  }
  FIRTH_ASSIGN_OR_RETURN(
      file.output,
      reader.ReadRows(kOutput, OutputRows(file.options, file.words.size())));
  FIRTH_RETURN_IF_ERROR(CheckDim(reader, kOutput, file.output, dim));
  return file;
}

}  // namespace

absl::StatusOr<DocumentModel> DocumentModel::Load(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const CheckedReader reader,
                         CheckedReader::Open(path, kKind, kNoun));
  FIRTH_ASSIGN_OR_RETURN(ModelFile file, ReadModel(reader));
  auto body = std::make_shared<Body>();
  body->options = file.options;
  body->reading = std::move(file.reading);
  FIRTH_ASSIGN_OR_RETURN(
      body->documents,
      WordVectors::Create(std::move(file.tags), std::move(file.tag_rows)));
  body->vocabulary = file.words;
  if (file.options.has_word_vectors()) {
    FIRTH_ASSIGN_OR_RETURN(
        body->words,
        WordVectors::Create(file.words, std::move(file.word_rows)));
  }
  body->output = std::move(file.output);
  body->metadata = reader.Metadata();
  return DocumentModel(std::move(body));
}

absl::StatusOr<std::optional<FileInfo>> DescribeDocumentModel(
    const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const auto reader,
                         CheckedReader::OpenIfKind(file, kKind));
  if (!reader.has_value()) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(const ModelFile model, ReadModel(*reader));
  DocumentOptions options = model.options;
  const FieldEditor fields(&options);
  FileInfo info;
  info.kind = "document vectors";
  info.facts = {{"tags", uint64_t{model.tags.size()}},
                {"dim", uint64_t{model.tag_rows.cols()}},
                {"arch", fields.Text("arch")},
                {"words", uint64_t{model.words.size()}},
                {"has_word_vectors", model.options.has_word_vectors()}};
  info.options = reader->content();
  info.metadata = reader->Metadata();
  return info;
}

}  // namespace firth
