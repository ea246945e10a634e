// The rest of an epoch is a list of pieces. Training pauses only when no piece
// is half done, so that a training run has to store only its position in the
// text and the tables.

#include "train/engine.h"

#include <omp.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "run/checkpoints.h"
#include "train/embedding_checkpoint.h"

namespace firth {

void LocalEngine::BeginEpoch() {
  rest_.clear();
  const StreamPiece whole = inputs_.trained;
  if (whole.begin < whole.end) rest_.push_back(whole);
}

absl::Status LocalEngine::Train(int epoch, const PauseFunction& pause,
                                WorkDone* done) {
  while (!rest_.empty()) {
    StreamPiece& piece = rest_.front();
    const TrainedPart part = TrainPart(epoch, piece, pause);
    *done += part.done;
    piece.begin = part.end;
    const bool is_whole = piece.begin >= piece.end;
    if (is_whole) rest_.erase(rest_.begin());
    FIRTH_RETURN_IF_ERROR(part.status);
    if (!is_whole) break;
  }
  return absl::OkStatus();
}

EpochContext LocalEngine::Context(int epoch) const {
  return {inputs_.options, inputs_.stream(), inputs_.subsampler,
          inputs_.tables,  inputs_.model,    inputs_.monitor,
          epoch,           inputs_.threads,  inputs_.rows};
}

EpochContext LocalEngine::LossContext(const TokenStream& text,
                                      TrainMonitor& still) const {
  return {inputs_.options, text,  inputs_.subsampler, inputs_.tables,
          inputs_.model,   still, /*epoch=*/-1,       inputs_.threads};
}

// A piece is long enough that the cost of its start does not matter, and short
// enough that a pause comes soon; a full softmax takes milliseconds per word.
// If the text is short, pieces are smaller, so that each thread gets several.
uint64_t LocalEngine::PieceTokens(StreamPiece whole) const {
  const bool slow = TraitsOf(inputs_.options.objective).updates_all_rows;
  const uint64_t most = slow ? 2048 : 16384;
  const uint64_t share =
      (whole.end - whole.begin) / (4 * static_cast<uint64_t>(inputs_.threads));
  return std::clamp<uint64_t>(share, 256, most);
}

// Nothing changes, so several threads may step on the model at the same time.
WorkDone LocalEngine::LossOfShare(const TokenStream& text, uint64_t share,
                                  uint64_t shares) const {
  const StreamPiece whole{0, text.tokens().size()};
  TrainMonitor still(LearningRateSchedule(0, 0, 1));
  const EpochContext context = LossContext(text, still);
  const uint64_t tokens = PieceTokens(whole);
  std::vector<WorkDone> pieces((whole.end + tokens - 1) / tokens);
#pragma omp parallel for schedule(dynamic) num_threads(inputs_.threads)
  for (size_t i = share; i < pieces.size(); i += shares) {
    const uint64_t begin = i * tokens;
    Worker worker(context,
                  OnePiece({begin, std::min(begin + tokens, whole.end)}),
                  static_cast<size_t>(omp_get_thread_num()));
    TrainShard(worker);
    pieces[i] = worker.done();
  }
  WorkDone all;
  for (const WorkDone& piece : pieces) all += piece;
  return all;
}

absl::StatusOr<double> LocalEngine::Score(const ScoreFunction& score) {
  FIRTH_ASSIGN_OR_RETURN(const WordVectors vectors,
                         inputs_.model.Snapshot(inputs_.corpus.vocabulary));
  return score(vectors);
}

std::vector<NamedTensor> LocalEngine::Tensors() {
  std::vector<NamedTensor> tensors;
  const auto add = [&](const char* name, PaddedMatrix& table) {
    if (table.rows() == 0) return;
    tensors.push_back(
        {name, table.data(), table.rows(), table.cols(), table.stride()});
  };
  EmbeddingModel& model = inputs_.model;
  add("input", model.input().Quiet());
  add("output", model.output().Quiet());
  add("output_bias", model.output_bias().Quiet());
  add("position_weights", model.position_weights().Quiet());
  return tensors;
}

void LocalEngine::AddState(nlohmann::json* state) const {
  const StreamPiece whole = inputs_.trained;
  (*state)["token"] =
      (rest_.empty() ? whole.end : rest_.front().begin) - whole.begin;
  (*state)["probes"] = kept_;
}

absl::Status LocalEngine::SetState(const nlohmann::json& state) {
  const StreamPiece whole = inputs_.trained;
  const uint64_t token = CountAt(state, "token", whole.end - whole.begin);
  BeginEpoch();
  if (!rest_.empty()) rest_.front().begin += token;
  if (whole.begin + token >= whole.end) rest_.clear();
  const auto kept = state.at("probes").get<std::vector<double>>();
  const bool are_floats =
      std::all_of(kept.begin(), kept.end(),
                  [](double number) { return std::abs(number) <= FLT_MAX; });
  if (!are_floats || (!kept.empty() && kept.size() != NumKept())) {
    return absl::DataLossError(absl::StrCat("state: expected 0 or ", NumKept(),
                                            " finite probes, found ",
                                            kept.size()));
  }
  kept_.assign(kept.begin(), kept.end());
  return absl::OkStatus();
}

uint64_t LocalEngine::TextSum() const {
  return firth::TextSum(inputs_.stream());
}

// The first engine that fits is used.

const EngineKind& KindOf(const TrainOptions& options) {
  for (const EngineKind* const kind : {&ColumnsKind(), &ReplicasKind()}) {
    if (kind->Fits(options)) return *kind;
  }
  return LocalKindOf(options);
}

const LocalEngineKind& LocalKindOf(const TrainOptions& options) {
  for (const LocalEngineKind* const kind : {&RoundsKind()}) {
    if (kind->Fits(options)) return *kind;
  }
  return HogwildKind();
}

absl::Status CheckNone(absl::string_view way, TrainOptions options,
                       absl::Span<const Refused> all) {
  for (const Refused& refused : all) {
    if (!refused.is_set) continue;
    const FieldEditor fields(&options);
    return absl::InvalidArgumentError(absl::StrCat(
        "distributed: ", way, " require ", refused.expected, ", but ",
        refused.name, " is ", fields.Text(refused.name)));
  }
  return absl::OkStatus();
}

}  // namespace firth
