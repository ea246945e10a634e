// What is written is a copy, taken between two steps while nothing else moves
// it; so a checkpoint costs the training the time of copying and no more. The
// time that it cost says how soon the next one may follow.

#include "run/checkpoints.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/check_range.h"
#include "base/fields_json.h"
#include "base/file_lock.h"
#include "base/json.h"
#include "base/memory_info.h"
#include "base/temporary_files.h"
#include "base/unicode.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr char kKind[] = "training_checkpoint";
constexpr char kPrefix[] = "checkpoint-";
constexpr char kExtension[] = ".safetensors";
constexpr char kBest[] = "best.";
constexpr char kFirstLearner[] = "word vectors";
constexpr char kEpochs[] = "epochs";
constexpr size_t kKept = 2;
// The share of its time that a training may stand still for checkpoints.
constexpr double kMostStall = 0.02;

bool IsCheckpoint(absl::string_view name, absl::string_view prefix) {
  return absl::StartsWith(name, prefix) && absl::EndsWith(name, kExtension);
}

// Language models once had a file for theirs.
absl::Status NoFolder(const std::string& path, const std::error_code& error) {
  constexpr char kFormerKind[] = "language_model_checkpoint";
  if (CheckedReader::Open(path, kFormerKind, "").ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        ": expected a folder of checkpoints, found a checkpoint of a language "
        "model in one file, as an earlier version wrote it; only that version "
        "can go on from it"));
  }
  return absl::NotFoundError(absl::StrCat(
      path, ": expected a folder of checkpoints: ", error.message()));
}

// Those with the prefix, the newest last.
absl::StatusOr<std::vector<std::string>> ListCheckpoints(
    const std::string& folder, absl::string_view prefix) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (IsCheckpoint(name, prefix)) {
      paths.push_back(absl::StrCat(folder, "/", name));
    }
  }
  if (error) return NoFolder(folder, error);
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

absl::Status Damaged(const std::string& path, const Json::exception& error) {
  return absl::DataLossError(
      absl::StrCat(path, ": metadata \"", kKind, "\": ", error.what()));
}

std::string LearnerOf(const Json& content) {
  const auto learner = content.find("learner");
  if (learner == content.end()) return kFirstLearner;
  return learner->is_string() ? learner->get<std::string>()
                              : DumpJson(*learner);
}

// Whether a training that is `now` can go on from one that was `before`.
// Errors: InvalidArgument, with all differences.
absl::Status CheckSameTraining(const FieldTable& options, Json before,
                               const Json& now) {
  // There may be more of them now.
  if (before.is_object() && before.contains(kEpochs) &&
      before[kEpochs].is_number() && before[kEpochs] < now.at(kEpochs)) {
    before[kEpochs] = now.at(kEpochs);
  }
  const std::vector<std::string> differences =
      FieldDifferences(options, before, now);
  if (differences.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("expected the training that it was written by, found ",
                   absl::StrJoin(differences, "; ")));
}

absl::Status CheckFinite(const NamedTensor& tensor) {
  for (size_t row = 0; row < tensor.rows; ++row) {
    const float* const values = tensor.data + row * tensor.stride;
    if (!std::all_of(values, values + tensor.cols,
                     [](float value) { return std::isfinite(value); })) {
      return absl::OutOfRangeError(
          absl::StrCat("a value of the ", tensor.name, " table is not finite"));
    }
  }
  return absl::OkStatus();
}

absl::Status AddTensors(absl::string_view prefix,
                        const std::vector<NamedTensor>& tensors,
                        CheckedWriter* writer) {
  for (const NamedTensor& tensor : tensors) {
    FIRTH_RETURN_IF_ERROR(CheckFinite(tensor));
    writer->Add(absl::StrCat(prefix, tensor.name),
                FloatTable(ConstView<float>(tensor.data, tensor.rows,
                                            tensor.cols, tensor.stride)));
  }
  return absl::OkStatus();
}

absl::Status ReadTensors(const CheckedReader& reader, absl::string_view prefix,
                         const std::vector<NamedTensor>& tensors) {
  for (const NamedTensor& tensor : tensors) {
    FIRTH_RETURN_IF_ERROR(reader.ReadInto(absl::StrCat(prefix, tensor.name),
                                          tensor.rows, tensor.cols,
                                          tensor.stride, tensor.data));
  }
  return absl::OkStatus();
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
  if (folder.empty() || checkpointing->lock != nullptr) return absl::OkStatus();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder, ": cannot make the folder: ", error.message()));
  }
  FIRTH_ASSIGN_OR_RETURN(std::shared_ptr<const FileLock> lock,
                         FileLock::Take(folder + "/.lock", folder));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::string> present,
                         ListCheckpoints(folder, kPrefix));
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
                         ListCheckpoints(folder, kPrefix));
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

Checkpoints::Checkpoints(const Checkpointing& options, size_t part,
                         Learner& learner, ProgressSink* progress)
    : options_(options),
      part_(part),
      learner_(learner),
      progress_(progress),
      identity_(learner.Identity()) {}

Checkpoints::~Checkpoints() {
  if (writing_.valid()) writing_.wait();
}

std::string Checkpoints::Prefix() const {
  return absl::StrCat(kPrefix, part_, "-");
}

Checkpoints::Tensors Checkpoints::AllTensors() const {
  Tensors all = learner_.Learnt();
  for (NamedTensor& tensor : learner_.Others()) {
    all.push_back(std::move(tensor));
  }
  return all;
}

Checkpoints::Header Checkpoints::HeaderOf(const RunState& state) const {
  Header header;
  header.path =
      absl::StrCat(options_.folder, "/", Prefix(),
                   absl::StrFormat("%015d", learner_.position()), kExtension);
  header.state = learner_.State();
  header.state["rate_factor"] = state.rate_factor;
  header.best = state.best;
  return header;
}

absl::Status Checkpoints::CheckSame(const CheckedReader& reader) const {
  const Json content = ParseJson(reader.content());
  if (!content.is_object() || !content.contains("training")) {
    return absl::OkStatus();
  }
  const std::string learner = LearnerOf(content);
  if (learner != learner_.name()) {
    return absl::InvalidArgumentError(
        absl::StrCat(reader.path(), ": expected a checkpoint of ",
                     learner_.name(), ", found one of ", learner));
  }
  const absl::Status same =
      CheckSameTraining(learner_.Options(), content["training"], identity_);
  if (same.ok()) return same;
  return absl::InvalidArgumentError(
      absl::StrCat(reader.path(), ": ", same.message()));
}

absl::StatusOr<RunState> Checkpoints::RestoreFrom(const CheckedReader& reader) {
  const Tensors learnt = learner_.Learnt();
  FIRTH_RETURN_IF_ERROR(ReadTensors(reader, "", AllTensors()));
  RunState run;
  if (reader.Has(absl::StrCat(kBest, learnt.front().name))) {
    auto best = std::make_shared<TensorCopies>();
    best->Take(learnt);
    FIRTH_RETURN_IF_ERROR(ReadTensors(reader, kBest, best->tensors()));
    run.best = std::move(best);
  }
  const Json content = ParseJson(reader.content());
  try {
    const Json& state = content.at("state");
    FIRTH_RETURN_IF_ERROR(learner_.SetState(state));
    run.rate_factor = state.at("rate_factor").get<double>();
  } catch (const Json::exception& error) {
    return Damaged(reader.path(), error);
  }
  learner_.SetRateFactor(run.rate_factor);
  return run;
}

absl::StatusOr<std::optional<RunState>> Checkpoints::Restore() {
  Await();
  FIRTH_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                         ListCheckpoints(options_.folder, Prefix()));
  if (paths.empty()) return std::nullopt;
  absl::Status of_newest;
  for (; !paths.empty(); paths.pop_back()) {
    const std::string& path = paths.back();
    const absl::StatusOr<CheckedReader> reader = OpenCheckpoint(path);
    if (reader.ok()) FIRTH_RETURN_IF_ERROR(CheckSame(*reader));
    absl::StatusOr<RunState> state =
        reader.ok() ? RestoreFrom(*reader) : reader.status();
    if (state.ok()) {
      whole_.insert(path);
      return *std::move(state);
    }
    whole_.erase(path);
    of_newest.Update(state.status());
    if (paths.size() > 1 && progress_ != nullptr) {
      progress_->OnWarning(absl::StrCat(state.status().message(),
                                        "; going back to the one before"));
    }
  }
  return NoneIsWhole(options_.folder, of_newest);
}

bool Checkpoints::IsDue() const {
  const Clock::time_point now = Clock::now();
  return now >= earliest_ &&
         (learner_.position() >= next_position_ || now >= next_time_);
}

void Checkpoints::Plan() {
  if (options_.every_seconds > 0) {
    next_time_ = Clock::now() +
                 std::chrono::duration_cast<Clock::duration>(
                     std::chrono::duration<double>(options_.every_seconds));
  }
  if (options_.every_share > 0) {
    const auto every = std::max<uint64_t>(
        1, static_cast<uint64_t>(options_.every_share *
                                 static_cast<double>(learner_.total())));
    next_position_ = (learner_.position() / every + 1) * every;
  }
}

absl::Status Checkpoints::Write(const Header& header, const Tensors& tensors) {
  CheckedWriter writer;
  FIRTH_RETURN_IF_ERROR(AddTensors("", tensors, &writer));
  if (header.best != nullptr) {
    FIRTH_RETURN_IF_ERROR(AddTensors(kBest, header.best->tensors(), &writer));
  }
  learner_.AddConstants(&writer);
  const Json content = {{"learner", std::string(learner_.name())},
                        {"training", identity_},
                        {"state", header.state},
                        {"note", options_.note}};
  FIRTH_RETURN_IF_ERROR(CheckReplaceable(header.path));
  FIRTH_RETURN_IF_ERROR(
      std::move(writer).Write({}, kKind, DumpJson(content), header.path));
  whole_.insert(header.path);
  RemoveOld();
  return absl::OkStatus();
}

void Checkpoints::RemoveOld() {
  while (whole_.size() > kKept) whole_.erase(whole_.begin());
  const auto paths = ListCheckpoints(options_.folder, Prefix());
  if (whole_.size() < kKept || !paths.ok()) return;
  for (const std::string& path : *paths) {
    std::error_code ignored;
    if (path < *whole_.begin() && fs::is_regular_file(path, ignored)) {
      fs::remove(path, ignored);
    }
  }
}

bool Checkpoints::IsWriting() const {
  return writing_.valid() && writing_.wait_for(std::chrono::seconds(0)) !=
                                 std::future_status::ready;
}

void Checkpoints::Await() {
  if (!writing_.valid()) return;
  const absl::Status status = writing_.get();
  if (status.ok()) {
    ++saved_;
  } else if (progress_ != nullptr) {
    progress_->OnWarning(absl::StrCat("this checkpoint could not be written: ",
                                      status.message()));
  }
}

void Checkpoints::Save(const RunState& state) {
  if (IsWriting()) return Plan();
  Await();
  const Clock::time_point start = Clock::now();
  const Tensors tensors = AllTensors();
  const bool has_memory = !copies_.empty();
  const bool fits = has_memory || BytesOf(tensors) <= AvailableMemoryBytes();
  if (options_.in_background && fits) {
    copies_.Take(tensors);
    writing_ = std::async(std::launch::async,
                          [this, kept = HeaderOf(state)]() mutable {
                            // What it holds of the best is let go with the
                            // writing.
                            const auto header = std::move(kept);
                            return Write(header, copies_.tensors());
                          });
  } else {
    SaveAndWait(state);
  }
  const auto stall = Clock::now() - start;
  stalled_seconds_ += std::chrono::duration<double>(stall).count();
  // The first copy takes its memory, too; those to come do not take so long.
  if (options_.in_background && (has_memory || !fits)) {
    earliest_ = Clock::now() +
                std::chrono::duration_cast<Clock::duration>(stall / kMostStall);
  }
  Plan();
}

void Checkpoints::SaveAndWait(const RunState& state) {
  Await();
  std::promise<absl::Status> written;
  written.set_value(Write(HeaderOf(state), AllTensors()));
  writing_ = written.get_future();
  Await();
}

absl::StatusOr<std::string> NewestCheckpoint(const std::string& folder) {
  FIRTH_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                         ListCheckpoints(folder, kPrefix));
  absl::Status status = absl::NotFoundError(
      absl::StrCat(folder, ": expected checkpoints of a training, found none"));
  for (; !paths.empty(); paths.pop_back()) {
    status = OpenCheckpoint(paths.back()).status();
    if (status.ok()) return paths.back();
  }
  return status;
}

absl::StatusOr<std::optional<FileInfo>> DescribeCheckpointOf(
    absl::string_view learner, const MappedFilePtr& file,
    CheckpointFacts facts) {
  FIRTH_ASSIGN_OR_RETURN(const auto reader,
                         CheckedReader::OpenIfKind(file, kKind));
  if (!reader.has_value()) return std::nullopt;
  const Json content = reader->ContentJson();
  try {
    const Json& training = content.at("training");
    if (LearnerOf(content) != learner) return std::nullopt;
    const Json& state = content.at("state");
    FileInfo info;
    info.kind = learner == kFirstLearner
                    ? "checkpoint of a training"
                    : absl::StrCat("checkpoint of ", learner);
    FIRTH_ASSIGN_OR_RETURN(info.facts, facts(*reader, training, state));
    info.options = DumpJson(training);
    info.metadata = reader->Metadata();
    info.metadata["note"] = content.at("note").get<std::string>();
    return info;
  } catch (const Json::exception& error) {
    return Damaged(file->path(), error);
  }
}

}  // namespace firth
