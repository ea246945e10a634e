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
#include "absl/strings/string_view.h"
#include "base/check_range.h"
#include "base/file_lock.h"
#include "base/json.h"
#include "base/memory_info.h"
#include "base/status_macros.h"
#include "base/temporary_files.h"
#include "base/unicode.h"
#include "io/codecs/vector_rows.h"
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

bool IsCheckpoint(absl::string_view name, absl::string_view prefix) {
  return absl::StartsWith(name, prefix) && absl::EndsWith(name, kExtension);
}

// Those with the prefix, the newest last.
absl::StatusOr<std::vector<std::string>> Checkpoints(const std::string& folder,
                                                     absl::string_view prefix) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (IsCheckpoint(name, prefix)) {
      paths.push_back(absl::StrCat(folder, "/", name));
    }
  }
  if (error) {
    return absl::NotFoundError(absl::StrCat(
        folder, ": expected a folder of checkpoints: ", error.message()));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

absl::StatusOr<CheckedReader> OpenCheckpoint(const std::string& path) {
  return CheckedReader::Open(path, kKind, "a checkpoint of a training");
}

// Writing into a pipe would wait for its reader.
absl::Status CheckReplaceable(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored) || fs::is_regular_file(path, ignored)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": expected a regular file to replace, found something else"));
}

absl::Status NoneIsWhole(const std::string& folder,
                         const absl::Status& of_newest) {
  return absl::DataLossError(absl::StrCat(
      folder, ": expected a checkpoint that is whole, found none: ",
      of_newest.message()));
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

absl::Status CheckFinite(absl::string_view name, const PaddedMatrix& matrix) {
  const float* const values = matrix.data();
  if (std::all_of(values, values + matrix.size(),
                  [](float value) { return std::isfinite(value); })) {
    return absl::OkStatus();
  }
  return absl::OutOfRangeError(
      absl::StrCat("a value of the ", name, " table is not finite"));
}

absl::Status ReadTables(const CheckedReader& reader, absl::string_view prefix,
                        const std::array<PaddedMatrix*, kNumTables>& tables) {
  for (size_t i = 0; i < kNumTables; ++i) {
    if (tables[i]->rows() == 0) continue;
    FIRTH_RETURN_IF_ERROR(reader.ReadInto(
        absl::StrCat(prefix, kTableNames[i]), tables[i]->rows(),
        tables[i]->cols(), tables[i]->stride(), tables[i]->data()));
  }
  return absl::OkStatus();
}

absl::Status AddTables(
    absl::string_view prefix,
    const std::array<const PaddedMatrix*, kNumTables>& tables,
    CheckedWriter* writer) {
  for (size_t i = 0; i < kNumTables; ++i) {
    if (tables[i]->rows() == 0) continue;
    FIRTH_RETURN_IF_ERROR(CheckFinite(kTableNames[i], *tables[i]));
    writer->Add(absl::StrCat(prefix, kTableNames[i]),
                FloatTable(tables[i]->view()));
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
  if (FindInvalidUtf8(note) != absl::string_view::npos) {
    return absl::InvalidArgumentError(
        "note: expected UTF-8, found other bytes");
  }
  return absl::OkStatus();
}

absl::Status ReserveCheckpoints(Checkpointing* checkpointing) {
  const std::string& folder = checkpointing->folder;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder, ": cannot make the folder: ", error.message()));
  }
  FIRTH_ASSIGN_OR_RETURN(std::shared_ptr<const FileLock> lock,
                         FileLock::Take(folder + "/.lock", folder));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::string> present,
                         Checkpoints(folder, kPrefix));
  if (!present.empty() && !checkpointing->resume) {
    return absl::InvalidArgumentError(absl::StrCat(
        folder,
        ": expected no checkpoints, found those of a training that can be "
        "resumed; choose another folder, or remove them"));
  }
  RemoveHalfWritten(folder, [](absl::string_view name) {
    return IsCheckpoint(name, kPrefix);
  });
  checkpointing->lock = std::move(lock);
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadCheckpointNote(const std::string& folder) {
  FIRTH_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                         Checkpoints(folder, kPrefix));
  if (paths.empty()) {
    return absl::NotFoundError(absl::StrCat(
        folder, ": expected checkpoints of a training, found none"));
  }
  absl::Status of_newest;
  for (; !paths.empty(); paths.pop_back()) {
    const absl::StatusOr<CheckedReader> reader = OpenCheckpoint(paths.back());
    if (!reader.ok()) {
      of_newest.Update(reader.status());
      continue;
    }
    const Json content = ParseJson(reader->content());
    if (content.is_object() && content.contains("note") &&
        content["note"].is_string()) {
      return content["note"].get<std::string>();
    }
    of_newest.Update(absl::DataLossError(
        absl::StrCat(paths.back(), ": expected a note in its metadata")));
  }
  return NoneIsWhole(folder, of_newest);
}

CheckpointFolder::CheckpointFolder(const Checkpointing& options, size_t view,
                                   Json identity, const Vocabulary& vocabulary)
    : options_(options),
      view_(view),
      identity_(std::move(identity)),
      vocabulary_(vocabulary) {}

CheckpointFolder::~CheckpointFolder() { Await(nullptr); }

std::string CheckpointFolder::PathOf(uint64_t words) const {
  return absl::StrCat(options_.folder, "/", FilePrefix(view_),
                      absl::StrFormat("%015d", words), kExtension);
}

absl::Status CheckpointFolder::CheckSame(const CheckedReader& reader) const {
  const Json content = ParseJson(reader.content());
  if (!content.is_object() || !content.contains("training")) {
    return absl::OkStatus();
  }
  const absl::Status same = CheckSameTraining(content["training"], identity_);
  if (same.ok()) return same;
  return absl::InvalidArgumentError(
      absl::StrCat(reader.path(), ": ", same.message()));
}

absl::StatusOr<TrainingState> CheckpointFolder::RestoreFrom(
    const CheckedReader& reader, EmbeddingModel* model) const {
  const Json content = ParseJson(reader.content());
  TrainingState state;
  try {
    state = StateOf(content.at("state"));
  } catch (const Json::exception& error) {
    return absl::DataLossError(absl::StrCat(reader.path(), ": metadata \"",
                                            kKind, "\": ", error.what()));
  }
  FIRTH_RETURN_IF_ERROR(ReadTables(reader, "", TablesOf(model)));
  if (reader.Has(absl::StrCat(kBest, kTableNames[0]))) {
    ModelTables best = CopyTables(*model);
    std::array<PaddedMatrix*, kNumTables> to;
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
  if (paths.empty()) return std::nullopt;
  absl::Status of_newest;
  for (; !paths.empty(); paths.pop_back()) {
    const std::string& path = paths.back();
    const absl::StatusOr<CheckedReader> reader = OpenCheckpoint(path);
    if (reader.ok()) FIRTH_RETURN_IF_ERROR(CheckSame(*reader));
    absl::StatusOr<TrainingState> state =
        reader.ok() ? RestoreFrom(*reader, model) : reader.status();
    if (state.ok()) {
      whole_.insert(path);
      return *std::move(state);
    }
    whole_.erase(path);
    of_newest.Update(state.status());
    if (paths.size() > 1) {
      Warn(progress, absl::StrCat(state.status().message(),
                                  "; going back to the one before"));
    }
  }
  return NoneIsWhole(options_.folder, of_newest);
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
  const std::string path = PathOf(state.words);
  FIRTH_RETURN_IF_ERROR(CheckReplaceable(path));
  FIRTH_RETURN_IF_ERROR(
      std::move(writer).Write({}, kKind, DumpJson(content), path));
  whole_.insert(path);
  RemoveOld();
  return absl::OkStatus();
}

void CheckpointFolder::RemoveOld() {
  while (whole_.size() > kKept) whole_.erase(whole_.begin());
  const auto paths = Checkpoints(options_.folder, FilePrefix(view_));
  if (whole_.size() < kKept || !paths.ok()) return;
  for (const std::string& path : *paths) {
    std::error_code ignored;
    if (path < *whole_.begin() && fs::is_regular_file(path, ignored)) {
      fs::remove(path, ignored);
    }
  }
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
  for (const PaddedMatrix* table : tables) {
    bytes += table->size() * sizeof(float);
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
    info.options = DumpJson(options);
    info.metadata = reader->Metadata();
    info.metadata["note"] = content.at("note").get<std::string>();
    return info;
  } catch (const Json::exception& error) {
    return absl::DataLossError(absl::StrCat(file->path(), ": metadata \"",
                                            kKind, "\": ", error.what()));
  }
}

}  // namespace firth
