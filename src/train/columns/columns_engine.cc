// The engine for `distributed columns`. See train/columns/train_columns.h.
//
// Streams are sent over the network a few megabytes at a time. A rank that
// fails (its disk is full) keeps the error until the exchange is over, because
// the other ranks would wait for a rank that left.

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/memory_info.h"
#include "corpus/token_stream.h"
#include "distributed/agreement.h"
#include "distributed/divided_table.h"
#include "firth/status_macros.h"
#include "train/columns/train_columns.h"
#include "train/engine.h"

namespace firth {
namespace {

// Reserves room for both tables on rank 0. Errors: the same on all ranks.
absl::StatusOr<std::optional<TableFiles>> ReserveTables(Ranks& ranks,
                                                        size_t words,
                                                        size_t dim) {
  if (ranks.rank() > 0) {
    FIRTH_RETURN_IF_ERROR(AgreeWithFirst(&ranks, absl::OkStatus()));
    return std::nullopt;
  }
  absl::StatusOr<TableFile> input = TableFile::Reserve(words, dim);
  absl::StatusOr<TableFile> output = TableFile::Reserve(words, dim);
  FIRTH_RETURN_IF_ERROR(
      AgreeWithFirst(&ranks, input.ok() ? output.status() : input.status()));
  return TableFiles{*std::move(input), *std::move(output)};
}

class ColumnsEngine final : public LocalEngine {
 public:
  // `files`: on rank 0, the files in which whole tables are assembled.
  ColumnsEngine(const EngineInputs& inputs, Ranks& ranks,
                std::optional<TableFiles> files)
      : LocalEngine(inputs),
        ranks_(ranks),
        files_(std::move(files)),
        scores_(ranks_,
                ColumnBatch(inputs.options, inputs.corpus.vocabulary.counts(),
                            inputs.subsampler)) {}

  absl::StatusOr<WorkDone> Loss(const TokenStream& text) override;
  absl::StatusOr<double> Score(const ScoreFunction& score) override;
  bool OwnsModel() const override { return false; }
  std::vector<NamedTensor> Tensors() override;
  void Report(TrainReport* report) const override {
    report->ranks = ranks_.size();
    report->communication_seconds = scores_.seconds();
  }
  absl::Status Finish(TrainedModel* trained) override;

 private:
  TrainedPart TrainPart(int epoch, StreamPiece part,
                        const PauseFunction& pause) override {
    return TrainColumns(Context(epoch), part, PieceTokens(inputs().trained),
                        pause, ranks_, scores_);
  }
  // Returns the table of all columns, on rank 0.
  absl::StatusOr<FloatTable> Join(const FloatTable& own, TableFile* file) {
    return JoinColumns(ranks_, own, static_cast<size_t>(inputs().options.dim),
                       file);
  }
  TableFile* InputFile() {
    return files_.has_value() ? &files_->input : nullptr;
  }

  Ranks& ranks_;
  std::optional<TableFiles> files_;
  ScoreExchange scores_;
};

absl::StatusOr<WorkDone> ColumnsEngine::Loss(const TokenStream& text) {
  const StreamPiece whole{0, text.tokens().size()};
  TrainMonitor still(LearningRateSchedule(0, 0, 1));
  const TrainedPart part = TrainColumns(
      LossContext(text, still), whole, PieceTokens(whole), [] { return false; },
      ranks_, scores_);
  FIRTH_RETURN_IF_ERROR(part.status);
  return part.done;
}

absl::StatusOr<double> ColumnsEngine::Score(const ScoreFunction& score) {
  const PaddedMatrix& own = inputs().model.input().Quiet();
  FIRTH_ASSIGN_OR_RETURN(
      FloatTable whole,
      Join(FloatTable(ConstView<float>(own.view())), InputFile()));
  return NumberOfFirst(ranks_, [&]() -> absl::StatusOr<double> {
    FIRTH_ASSIGN_OR_RETURN(
        const WordVectors vectors,
        WordVectors::Create(inputs().corpus.vocabulary, std::move(whole)));
    return score(vectors);
  });
}

std::vector<NamedTensor> ColumnsEngine::Tensors() {
  std::vector<NamedTensor> tensors = LocalEngine::Tensors();
  for (NamedTensor& tensor : tensors) {
    tensor.whole_cols = static_cast<size_t>(inputs().options.dim);
    tensor.first_col = inputs().model.first_column();
  }
  return tensors;
}

absl::Status ColumnsEngine::Finish(TrainedModel* trained) {
  FIRTH_ASSIGN_OR_RETURN(FloatTable vectors,
                         Join(trained->vectors.table(), InputFile()));
  trained->vectors = WordVectors();
  FIRTH_ASSIGN_OR_RETURN(
      trained->output,
      Join(trained->output, files_.has_value() ? &files_->output : nullptr));
  if (ranks_.rank() > 0) return absl::OkStatus();
  FIRTH_ASSIGN_OR_RETURN(
      trained->vectors,
      WordVectors::Create(inputs().corpus.vocabulary, std::move(vectors)));
  return absl::OkStatus();
}

class ColumnsEngineKind final : public EngineKind {
 public:
  bool Fits(const TrainOptions& options) const override {
    return std::holds_alternative<ColumnsOptions>(options.distributed);
  }
  absl::Status CheckShared(const TrainOptions& options, bool freeze,
                           int ranks) const override;
  int Threads(const TrainOptions&) const override { return 1; }
  // Every rank reads the whole text.
  absl::StatusOr<Corpus> TextOf(const Corpus& read,
                                Ranks* ranks) const override {
    Corpus whole = read;
    if (ranks == nullptr) return whole;
    FIRTH_ASSIGN_OR_RETURN(whole.tokens, JoinStreams(*ranks, *read.tokens));
    return whole;
  }
  ModelShape ShapeOf(const ModelShape& model,
                     const Ranks* ranks) const override {
    return ranks != nullptr ? ShareOfShape(model, *ranks) : model;
  }
  absl::StatusOr<std::unique_ptr<Engine>> Make(const EngineInputs& inputs,
                                               Ranks* ranks) const override {
    if (ranks == nullptr) return LocalKindOf(inputs.options).MakeLocal(inputs);
    FIRTH_ASSIGN_OR_RETURN(
        std::optional<TableFiles> files,
        ReserveTables(*ranks, inputs.corpus.vocabulary.size(),
                      static_cast<size_t>(inputs.options.dim)));
    return std::make_unique<ColumnsEngine>(inputs, *ranks, std::move(files));
  }
};

absl::Status ColumnsEngineKind::CheckShared(const TrainOptions& options,
                                            bool freeze, int ranks) const {
  if (freeze) {
    return absl::InvalidArgumentError(
        "distributed: columns cannot be combined with freeze-init");
  }
  return CheckNone(
      "columns", options,
      {{!std::holds_alternative<SkipGramOptions>(options.architecture), "arch",
        "arch skipgram"},
       {!std::holds_alternative<NegativeSamplingOptions>(options.objective),
        "loss", "loss ns"},
       {!std::holds_alternative<NoSubwords>(options.subwords), "subword-index",
        "subword-index none"},
       {!options.views.empty(), "views", "no views"},
       {options.add_output != 0, "add-output", "add-output 0"},
       {options.deterministic, "deterministic",
        "deterministic false (one rank gives the same file each time)"},
       {options.threads > 1, "threads", "threads 1 (start more ranks instead)"},
       {options.dim < ranks, "dim",
        absl::StrCat("dim ", ranks, " or more, one column for each rank")}});
}

// Approximate size of a message between ranks, in bytes.
constexpr size_t kChunkBytes = size_t{8} << 20;

absl::string_view BytesOfIds(absl::Span<const uint32_t> ids) {
  return {reinterpret_cast<const char*>(ids.data()),
          ids.size() * sizeof(uint32_t)};
}

// Appends ids to those received so far. Omits a sentence end that ends nothing,
// which may occur at the start of a rank's share.
absl::Status AppendIds(const std::string& bytes, bool* after_end,
                       TokenSpool* spool) {
  std::vector<uint32_t> ids(bytes.size() / sizeof(uint32_t));
  std::memcpy(ids.data(), bytes.data(), bytes.size());
  if (ids.empty()) return absl::OkStatus();
  const size_t skipped = ids[0] == TokenStream::kSentenceEnd && *after_end;
  if (ids.size() > skipped)
    *after_end = ids.back() == TokenStream::kSentenceEnd;
  return spool->Append(absl::MakeConstSpan(ids).subspan(skipped));
}

}  // namespace

const EngineKind& ColumnsKind() {
  static const ColumnsEngineKind kind;
  return kind;
}

ModelShape ShareOfShape(ModelShape shape, const Ranks& ranks) {
  const ColumnShare share = ColumnsOf(shape.dim, ranks.rank(), ranks.size());
  shape.whole_dim = shape.dim;
  shape.first_column = share.first;
  shape.dim = share.count;
  return shape;
}

absl::StatusOr<std::shared_ptr<const TokenStream>> JoinStreams(
    Ranks& ranks, const TokenStream& own) {
  const auto size = static_cast<size_t>(ranks.size());
  std::vector<uint64_t> sizes(size + 1);
  sizes[static_cast<size_t>(ranks.rank())] = own.tokens().size();
  sizes[size] = own.num_words();
  FIRTH_RETURN_IF_ERROR(ranks.Sum(absl::MakeSpan(sizes)));
  TokenSpool spool(AvailableMemoryBytes() / 4, "");
  absl::Status status;
  bool after_end = true;
  constexpr uint64_t kChunk = kChunkBytes / sizeof(uint32_t);
  for (size_t from = 0; from < size; ++from) {
    const bool is_own = from == static_cast<size_t>(ranks.rank());
    for (uint64_t at = 0; at < sizes[from]; at += kChunk) {
      std::string chunk;
      if (is_own)
        chunk = std::string(BytesOfIds(own.tokens().subspan(at, kChunk)));
      FIRTH_ASSIGN_OR_RETURN(const auto came, GatherTexts(ranks, chunk));
      if (status.ok()) status = AppendIds(came[from], &after_end, &spool);
    }
  }
  FIRTH_RETURN_IF_ERROR(Agree(&ranks, status));
  auto joined = spool.Map().status().ok()
                    ? spool.TakeStream(spool.size(), sizes[size])
                    : spool.Map().status();
  FIRTH_RETURN_IF_ERROR(Agree(&ranks, joined.status()));
  return joined;
}

}  // namespace firth
