#include "train/checkpoint_folder.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check_range.h"
#include "base/memory_info.h"
#include "base/status_macros.h"
#include "io/checked_tensors.h"
#include "io/vector_rows.h"
#include "train/training_identity.h"

namespace firth {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr char kKind[] = "training_checkpoint";
constexpr char kPrefix[] = "checkpoint-";
constexpr char kExtension[] = ".safetensors";
constexpr char kBest[] = "best.";
constexpr char kWords[] = "vocabulary";
constexpr char kCounts[] = "counts";
constexpr size_t kKept = 2;

std::string FilePrefix(size_t view) { return absl::StrCat(kPrefix, view, "-"); }

// Those with the prefix, the newest last.
absl::StatusOr<std::vector<std::string>> Checkpoints(const std::string& folder,
                                                     absl::string_view prefix) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (absl::StartsWith(name, prefix) && absl::EndsWith(name, kExtension)) {
      paths.push_back(it->path().string());
    }
  }
  if (error) {
    return absl::NotFoundError(absl::StrCat(
        folder, ": expected a folder of checkpoints: ", error.message()));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// What writers that were killed left.
void RemoveHalfWritten(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (absl::StartsWith(name, kPrefix) &&
        absl::StrContains(name, absl::StrCat(kExtension, ".tmp-"))) {
      std::error_code ignored;
      fs::remove(it->path(), ignored);
    }
  }
}

Json OrNull(const std::optional<double>& number) {
  return number.has_value() ? Json(*number) : Json();
}
std::optional<double> NumberOf(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<double>();
}

Json ToJson(const EpochReport& epoch) {
  return {{"loss", epoch.loss},
          {"examples", epoch.examples},
          {"seconds", epoch.seconds},
          {"held_out_loss", OrNull(epoch.held_out_loss)},
          {"score", OrNull(epoch.score)},
          {"normalization",
           {epoch.normalization.windows, epoch.normalization.mean_ln_z,
            epoch.normalization.stddev_ln_z, epoch.normalization.perplexity}}};
}

// Throw Json::exception where something lacks or is of another type.
EpochReport EpochOf(const Json& json) {
  EpochReport epoch;
  epoch.loss = json.at("loss").get<double>();
  epoch.examples = json.at("examples").get<uint64_t>();
  epoch.seconds = json.at("seconds").get<double>();
  epoch.held_out_loss = NumberOf(json.at("held_out_loss"));
  epoch.score = NumberOf(json.at("score"));
  const Json& normalization = json.at("normalization");
  epoch.normalization = {
      normalization.at(0).get<uint64_t>(), normalization.at(1).get<double>(),
      normalization.at(2).get<double>(), normalization.at(3).get<double>()};
  return epoch;
}

Json ToJson(const TrainingState& state) {
  Json epochs = Json::array();
  for (const EpochReport& epoch : state.epochs) epochs.push_back(ToJson(epoch));
  return {{"epoch", state.epoch},       {"token", state.token},
          {"words", state.words},       {"rate_factor", state.rate_factor},
          {"probes", state.probes},     {"sums", ToJson(state.sums)},
          {"epochs", std::move(epochs)}};
}

TrainingState StateOf(const Json& json) {
  TrainingState state;
  state.epoch = json.at("epoch").get<uint64_t>();
  state.token = json.at("token").get<uint64_t>();
  state.words = json.at("words").get<uint64_t>();
  state.rate_factor = json.at("rate_factor").get<double>();
  state.probes = json.at("probes").get<std::vector<float>>();
  state.sums = EpochOf(json.at("sums"));
  for (const Json& epoch : json.at("epochs")) {
    state.epochs.push_back(EpochOf(epoch));
  }
  return state;
}

FloatTable RowsOf(const AlignedMatrix& matrix) {
  return FloatTable(matrix.data(), matrix.rows(), matrix.dim(), matrix.stride(),
                    nullptr);
}

size_t FloatsOf(const AlignedMatrix& matrix) {
  return matrix.rows() * matrix.stride();
}

absl::Status CheckFinite(absl::string_view name, const AlignedMatrix& matrix) {
  const float* const values = matrix.data();
  if (std::all_of(values, values + FloatsOf(matrix),
                  [](float value) { return std::isfinite(value); })) {
    return absl::OkStatus();
  }
  return absl::OutOfRangeError(
      absl::StrCat("a value of the ", name, " table is not finite"));
}

absl::Status ReadTables(const CheckedReader& reader, absl::string_view prefix,
                        const std::array<AlignedMatrix*, kNumTables>& tables) {
  for (size_t i = 0; i < kNumTables; ++i) {
    if (tables[i]->rows() == 0) continue;
    FIRTH_RETURN_IF_ERROR(reader.ReadInto(
        absl::StrCat(prefix, kTableNames[i]), tables[i]->rows(),
        tables[i]->dim(), tables[i]->stride(), tables[i]->data()));
  }
  return absl::OkStatus();
}

absl::Status AddTables(
    absl::string_view prefix,
    const std::array<const AlignedMatrix*, kNumTables>& tables,
    CheckedWriter* writer) {
  for (size_t i = 0; i < kNumTables; ++i) {
    if (tables[i]->rows() == 0) continue;
    FIRTH_RETURN_IF_ERROR(CheckFinite(kTableNames[i], *tables[i]));
    writer->Add(absl::StrCat(prefix, kTableNames[i]), RowsOf(*tables[i]));
  }
  return absl::OkStatus();
}

void Warn(ProgressSink* progress, absl::string_view message) {
  if (progress != nullptr) progress->OnWarning(message);
}

}  // namespace

absl::Status Checkpointing::Validate() const {
  FIRTH_RETURN_IF_ERROR(
      CheckRange("checkpoint-every (seconds)", every_seconds, 0.0, 1e9));
  FIRTH_RETURN_IF_ERROR(
      CheckRange("checkpoint-every (share)", every_share, 0.0, 1.0));
  if (resume && folder.empty()) {
    return absl::InvalidArgumentError(
        "resume: expected a folder of checkpoints, found none");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadCheckpointNote(const std::string& folder) {
  FIRTH_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                         Checkpoints(folder, kPrefix));
  absl::Status status = absl::NotFoundError(
      absl::StrCat(folder, ": expected checkpoints of a training, found none"));
  for (; !paths.empty(); paths.pop_back()) {
    const auto reader =
        CheckedReader::Open(paths.back(), kKind, "a checkpoint of a training");
    if (!reader.ok()) {
      status = reader.status();
      continue;
    }
    const Json content = Json::parse(reader->content(), nullptr, false);
    if (content.is_object() && content.contains("note") &&
        content["note"].is_string()) {
      return content["note"].get<std::string>();
    }
    status = absl::DataLossError(
        absl::StrCat(paths.back(), ": expected a note in its metadata"));
  }
  return status;
}

CheckpointFolder::CheckpointFolder(const Checkpointing& options, size_t view,
                                   Json identity, const Vocabulary& vocabulary)
    : options_(options),
      view_(view),
      identity_(std::move(identity)),
      vocabulary_(vocabulary) {}

CheckpointFolder::~CheckpointFolder() { Await(nullptr); }

absl::StatusOr<std::unique_ptr<CheckpointFolder>> CheckpointFolder::Open(
    const Checkpointing& options, size_t view, Json identity,
    const Vocabulary& vocabulary) {
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error) {
    return absl::InvalidArgumentError(absl::StrCat(
        options.folder, ": cannot make the folder: ", error.message()));
  }
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::string> present,
                         Checkpoints(options.folder, FilePrefix(view)));
  if (!present.empty() && !options.resume) {
    return absl::InvalidArgumentError(absl::StrCat(
        options.folder,
        ": expected no checkpoints, found those of a training that can be "
        "resumed; choose another folder, or remove them"));
  }
  RemoveHalfWritten(options.folder);
  return absl::WrapUnique(
      new CheckpointFolder(options, view, std::move(identity), vocabulary));
}

std::string CheckpointFolder::PathOf(uint64_t words) const {
  return absl::StrCat(options_.folder, "/", FilePrefix(view_),
                      absl::StrFormat("%015d", words), kExtension);
}

absl::StatusOr<TrainingState> CheckpointFolder::RestoreFrom(
    const std::string& path, EmbeddingModel* model) const {
  FIRTH_ASSIGN_OR_RETURN(
      const CheckedReader reader,
      CheckedReader::Open(path, kKind, "a checkpoint of a training"));
  const Json content = Json::parse(reader.content(), nullptr, false);
  if (content.is_object() && content.contains("training")) {
    const absl::Status same = CheckSameTraining(content["training"], identity_);
    if (!same.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": ", same.message()));
    }
  }
  TrainingState state;
  try {
    state = StateOf(content.at("state"));
  } catch (const Json::exception& error) {
    return absl::DataLossError(
        absl::StrCat(path, ": metadata \"", kKind, "\": ", error.what()));
  }
  FIRTH_RETURN_IF_ERROR(ReadTables(reader, "", TablesOf(model)));
  if (reader.Has(absl::StrCat(kBest, kTableNames[0]))) {
    ModelTables best = CopyTables(*model);
    std::array<AlignedMatrix*, kNumTables> to;
    for (size_t i = 0; i < kNumTables; ++i) to[i] = &best[i];
    FIRTH_RETURN_IF_ERROR(ReadTables(reader, kBest, to));
    state.best = std::make_shared<const ModelTables>(std::move(best));
  }
  return state;
}

absl::StatusOr<std::optional<TrainingState>> CheckpointFolder::Restore(
    EmbeddingModel* model, ProgressSink* progress) {
  Await(progress);
  FIRTH_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                         Checkpoints(options_.folder, FilePrefix(view_)));
  absl::Status status;
  for (; !paths.empty(); paths.pop_back()) {
    absl::StatusOr<TrainingState> state = RestoreFrom(paths.back(), model);
    if (state.ok()) return *std::move(state);
    status = state.status();
    if (absl::IsInvalidArgument(status)) break;  // of another training
    if (paths.size() > 1) {
      Warn(progress,
           absl::StrCat(status.message(), "; going back to the one before"));
    }
  }
  if (!status.ok()) return status;
  return std::nullopt;
}

absl::Status CheckpointFolder::Write(const TrainingState& state,
                                     const Tables& tables) {
  CheckedWriter writer;
  FIRTH_RETURN_IF_ERROR(AddTables("", tables, &writer));
  if (state.best != nullptr) {
    Tables best;
    for (size_t i = 0; i < kNumTables; ++i) best[i] = &(*state.best)[i];
    FIRTH_RETURN_IF_ERROR(AddTables(kBest, best, &writer));
  }
  writer.AddWords(kWords, vocabulary_);
  writer.Add(kCounts, "I64", BytesOf(vocabulary_.counts()));
  const Json content = {{"training", identity_},
                        {"state", ToJson(state)},
                        {"note", options_.note}};
  FIRTH_RETURN_IF_ERROR(
      std::move(writer).Write({}, kKind, content.dump(), PathOf(state.words)));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                         Checkpoints(options_.folder, FilePrefix(view_)));
  for (size_t i = 0; i + kKept < paths.size(); ++i) {
    std::error_code ignored;
    fs::remove(paths[i], ignored);
  }
  return absl::OkStatus();
}

bool CheckpointFolder::IsWriting() const {
  return writing_.valid() && writing_.wait_for(std::chrono::seconds(0)) !=
                                 std::future_status::ready;
}

void CheckpointFolder::Await(ProgressSink* progress) {
  if (!writing_.valid()) return;
  const absl::Status status = writing_.get();
  if (status.ok()) {
    ++saved_;
  } else {
    Warn(progress, absl::StrCat("this checkpoint could not be written: ",
                                status.message()));
  }
}

void CheckpointFolder::Save(const TrainingState& state,
                            const EmbeddingModel& model,
                            ProgressSink* progress) {
  if (IsWriting()) return;
  Await(progress);
  const Clock::time_point start = Clock::now();
  const Tables tables = TablesOf(model);
  uint64_t bytes = 0;
  for (const AlignedMatrix* table : tables) {
    bytes += FloatsOf(*table) * sizeof(float);
  }
  const bool fits = copies_[0].rows() > 0 || bytes <= AvailableMemoryBytes();
  if (options_.in_background && fits) {
    CopyTables(model, &copies_);
    writing_ = std::async(std::launch::async, [this, state]() {
      Tables copied;
      for (size_t i = 0; i < kNumTables; ++i) copied[i] = &copies_[i];
      return Write(state, copied);
    });
  } else {
    SaveAndWait(state, model, progress);
  }
  last_stall_seconds_ =
      std::chrono::duration<double>(Clock::now() - start).count();
  stalled_seconds_ += last_stall_seconds_;
}

void CheckpointFolder::SaveAndWait(const TrainingState& state,
                                   const EmbeddingModel& model,
                                   ProgressSink* progress) {
  Await(progress);
  std::promise<absl::Status> written;
  written.set_value(Write(state, TablesOf(model)));
  writing_ = written.get_future();
  Await(progress);
}

absl::StatusOr<std::string> NewestCheckpoint(const std::string& folder) {
  FIRTH_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                         Checkpoints(folder, kPrefix));
  absl::Status status = absl::NotFoundError(
      absl::StrCat(folder, ": expected checkpoints of a training, found none"));
  for (; !paths.empty(); paths.pop_back()) {
    status =
        CheckedReader::Open(paths.back(), kKind, "a checkpoint of a training")
            .status();
    if (status.ok()) return paths.back();
  }
  return status;
}

absl::StatusOr<std::optional<FileInfo>> DescribeCheckpoint(
    const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const auto reader,
                         CheckedReader::OpenIfKind(file, kKind));
  if (!reader.has_value()) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(const Vocabulary words,
                         reader->ReadWords(kWords, kCounts));
  const Json content = reader->ContentJson();
  try {
    const TrainingState state = StateOf(content.at("state"));
    const Json& options = content.at("training");
    const auto epochs = options.at("epochs").get<uint64_t>();
    const double total =
        static_cast<double>(epochs) * static_cast<double>(words.total_count());
    FileInfo info;
    info.kind = "checkpoint of a training";
    info.facts = {
        {"words", uint64_t{words.size()}},
        {"dim", options.at("dim").get<uint64_t>()},
        {"epochs", epochs},
        {"epochs_done", uint64_t{state.epochs.size()}},
        {"words_done", state.words},
        {"share_done", static_cast<double>(state.words) / std::max(total, 1.0)},
        {"rate_factor", state.rate_factor},
        {"has_best", reader->Has(absl::StrCat(kBest, kTableNames[0]))}};
    if (!state.epochs.empty()) {
      info.facts.push_back({"loss", state.epochs.back().loss});
    }
    info.options = options.dump();
    info.metadata = reader->Metadata();
    info.metadata["note"] = content.at("note").get<std::string>();
    return info;
  } catch (const Json::exception& error) {
    return absl::DataLossError(absl::StrCat(file->path(), ": metadata \"",
                                            kKind, "\": ", error.what()));
  }
}

}  // namespace firth
