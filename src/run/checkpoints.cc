// A checkpoint is written from a copy, made between two steps while nothing
// else changes the values. It therefore delays training only by the time of
// copying. That time determines how soon the next checkpoint may follow.

#include "run/checkpoints.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/fields_json.h"
#include "base/json.h"
#include "base/memory_info.h"
#include "base/temporary_files.h"
#include "distributed/agreement.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

namespace fs = std::filesystem;
constexpr char kKind[] = "training_checkpoint";
constexpr char kExtension[] = ".safetensors";
constexpr char kBest[] = "best.";
constexpr char kFirstLearner[] = "word vectors";
constexpr char kEpochs[] = "epochs";
constexpr char kValidation[] = "validation";
constexpr size_t kKept = 2;
// Maximum fraction of the time for which training may be stalled by
// checkpoints.
constexpr double kMostStall = 0.02;

bool IsCheckpoint(absl::string_view name, absl::string_view prefix) {
  return absl::StartsWith(name, prefix) && absl::EndsWith(name, kExtension);
}

// Language models used to store their checkpoint in a file.
absl::Status NoFolder(const std::string& path, const std::error_code& error) {
  constexpr char kFormerKind[] = "language_model_checkpoint";
  if (CheckedReader::Open(path, kFormerKind, "").ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        ": this is a checkpoint of a language model in one file, as an earlier "
        "version of Firth wrote it; only that version can resume from it"));
  }
  return absl::NotFoundError(absl::StrCat(
      path, ": cannot open the folder of checkpoints: ", error.message()));
}

// Returns the checkpoints with the prefix, the newest last.
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
  return CheckedReader::Open(path, kKind, "a checkpoint of a training run");
}

// Writing to a pipe would wait for its reader.
absl::Status CheckReplaceable(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored) || fs::is_regular_file(path, ignored)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": not a regular file, so it cannot be replaced"));
}

absl::Status AtPath(const std::string& path, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat(path, ": ", status.message()));
}

// The text of the exception begins with its name in brackets.
absl::Status Damaged(const std::string& path, absl::string_view error) {
  return absl::DataLossError(absl::StrCat(path, ": metadata \"", kKind, "\": ",
                                          error.substr(error.find("] ") + 2)));
}

// Returns the newest checkpoint with the prefix that `read` finds complete, or
// nothing if there are no checkpoints. Warns about each newer one that is
// skipped. Errors: DataLoss, none is complete; ResourceExhausted, there is no
// memory to open one, which may be complete; those of `read` except DataLoss.
absl::StatusOr<std::optional<std::string>> FindWhole(
    const std::string& folder, absl::string_view prefix,
    absl::FunctionRef<absl::Status(const CheckedReader&)> read,
    ProgressSink* progress = nullptr) {
  FIRTH_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                         ListCheckpoints(folder, prefix));
  if (paths.empty()) return std::nullopt;
  absl::Status of_newest;
  for (; !paths.empty(); paths.pop_back()) {
    const absl::StatusOr<CheckedReader> reader = OpenCheckpoint(paths.back());
    const absl::Status status = reader.ok() ? read(*reader) : reader.status();
    if (status.ok()) return paths.back();
    // An older checkpoint does not replace one of a newer version, nor one for
    // which there is no memory.
    const bool is_whole = absl::IsFailedPrecondition(reader.status()) ||
                          absl::IsResourceExhausted(status);
    if (is_whole || (reader.ok() && !absl::IsDataLoss(status))) return status;
    of_newest.Update(status);
    if (paths.size() > 1 && progress != nullptr) {
      progress->OnWarning(absl::StrCat(
          status.message(), "; using the previous checkpoint instead"));
    }
  }
  return absl::DataLossError(absl::StrCat(
      folder, ": no checkpoint in this folder is complete; the newest one: ",
      of_newest.message()));
}

// Like FindWhole(), for a folder that must have checkpoints. Errors also:
// NotFound, there are none.
absl::StatusOr<std::string> FindSome(
    const std::string& folder,
    absl::FunctionRef<absl::Status(const CheckedReader&)> read) {
  FIRTH_ASSIGN_OR_RETURN(std::optional<std::string> path,
                         FindWhole(folder, kCheckpointPrefix, read));
  if (path.has_value()) return *std::move(path);
  return absl::NotFoundError(absl::StrCat(
      folder, ": the folder contains no checkpoints of a training run"));
}

std::string LearnerOf(const Json& content) {
  const auto learner = content.find("learner");
  if (learner == content.end()) return kFirstLearner;
  return learner->is_string() ? learner->get<std::string>()
                              : DumpJson(*learner);
}

// Replicas store the rest of each share of the text, which has its own
// checksum. Training divided by columns computes the same as one process, so
// either can resume from the other.
void CompareWays(Json* before, const Json& now) {
  constexpr char kDistributed[] = "distributed";
  constexpr char kReplicas[] = "replicas";
  constexpr char kText[] = "text";
  const auto way = now.find(kDistributed);
  if (way == now.end()) return;
  // Earlier versions supported nothing else.
  before->emplace(kDistributed, "none");
  Json& was = before->at(kDistributed);
  if ((was == kReplicas) == (*way == kReplicas)) {
    was = *way;
  } else {
    (*before)[kText] = now.at(kText);
  }
}

// Checks that a training run described by `now` can resume from one described
// by `before`. Errors: InvalidArgument, with all differences.
absl::Status CheckSameTraining(const FieldTable& options, Json before,
                               const Json& now) {
  if (!before.is_object()) before = Json::object();
  // The number of epochs may have been increased.
  const auto epochs = before.find(kEpochs);
  if (epochs != before.end() && epochs->is_number() &&
      *epochs < now.at(kEpochs)) {
    *epochs = now.at(kEpochs);
  }
  // Earlier versions did not store it.
  if (now.contains(kValidation)) {
    before.emplace(kValidation, now[kValidation]);
  }
  CompareWays(&before, now);
  const std::vector<std::string> differences =
      FieldDifferences(options, before, now);
  if (differences.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("this checkpoint belongs to another training run: ",
                   absl::StrJoin(differences, "; ")));
}

}  // namespace

absl::Status ReserveCheckpoints(Checkpointing* checkpointing) {
  FIRTH_RETURN_IF_ERROR(checkpointing->Validate());
  const std::string& folder = checkpointing->folder;
  if (folder.empty() || checkpointing->lock != nullptr) return absl::OkStatus();
  // Does not create the parent folders, because a typo in the path must not
  // create a tree of folders.
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) {
    return absl::InvalidArgumentError(absl::StrCat(
        folder,
        ": cannot create the folder for checkpoints: ", error.message()));
  }
  FIRTH_ASSIGN_OR_RETURN(std::shared_ptr<const FileLock> lock,
                         FileLock::Take(folder + "/.lock", folder));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::string> present,
                         ListCheckpoints(folder, kCheckpointPrefix));
  if (!present.empty() && !checkpointing->resume) {
    return absl::InvalidArgumentError(absl::StrCat(
        folder,
        ": the folder already contains checkpoints of a training run that can "
        "be resumed; choose another folder, or remove them"));
  }
  RemoveHalfWritten(folder, [](absl::string_view name) {
    return IsCheckpoint(name, kCheckpointPrefix);
  });
  checkpointing->lock = std::move(lock);
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadCheckpointNote(const std::string& folder) {
  std::string note;
  const auto read = [&note](const CheckedReader& reader) {
    try {
      note = reader.ContentJson().at("note").get<std::string>();
      return absl::OkStatus();
    } catch (const Json::exception& error) {
      return Damaged(reader.path(), error.what());
    }
  };
  FIRTH_RETURN_IF_ERROR(FindSome(folder, read).status());
  return note;
}

Checkpoints::Checkpoints(const Checkpointing& options, size_t part,
                         Learner& learner, const Hooks& hooks)
    : options_(options),
      part_(part),
      learner_(learner),
      progress_(hooks.progress),
      ranks_(hooks.ranks),
      identity_(learner.Identity()) {}

Checkpoints::~Checkpoints() {
  if (writing_.valid()) writing_.wait();
}

absl::Status Checkpoints::Begin() {
  const bool divided = absl::c_any_of(
      AllTensors(), [](const NamedTensor& t) { return t.whole_cols > 0; });
  if (!divided) return absl::OkStatus();
  FIRTH_ASSIGN_OR_RETURN(writing_ranks_, ranks_->Another());
  return absl::OkStatus();
}

std::string Checkpoints::Prefix() const {
  return absl::StrCat(kCheckpointPrefix, part_, "-");
}

Checkpoints::Tensors Checkpoints::AllTensors() const {
  Tensors all = learner_.Learned();
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
  const Json content = reader.ContentJson();
  if (!content.is_object() || !content.contains("training")) {
    return absl::OkStatus();
  }
  const std::string learner = LearnerOf(content);
  if (learner != learner_.name()) {
    return absl::InvalidArgumentError(
        absl::StrCat(reader.path(), ": this is a checkpoint of ", learner,
                     ", not of ", learner_.name()));
  }
  return AtPath(
      reader.path(),
      CheckSameTraining(learner_.fields(), content["training"], identity_));
}

absl::Status Checkpoints::RestoreFrom(const CheckedReader& reader,
                                      RunState* run) {
  const Tensors learned = learner_.Learned();
  FIRTH_RETURN_IF_ERROR(ReadTensors(reader, "", AllTensors()));
  *run = {};
  if (reader.Has(absl::StrCat(kBest, learned.front().name))) {
    run->best = std::make_shared<TensorCopies>();
    run->best->CopyFrom(learned);
    FIRTH_RETURN_IF_ERROR(ReadTensors(reader, kBest, run->best->tensors()));
  }
  try {
    const Json state = reader.ContentJson().at("state");
    run->rate_factor = state.at("rate_factor").get<double>();
    learner_.SetRateFactor(run->rate_factor);
    FIRTH_RETURN_IF_ERROR(AtPath(reader.path(), learner_.SetState(state)));
  } catch (const Json::exception& error) {
    return Damaged(reader.path(), error.what());
  }
  if (run->rate_factor > 0 && run->rate_factor <= 1) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      reader.path(), ": rate_factor: expected a number above 0 to 1, found ",
      run->rate_factor));
}

absl::StatusOr<std::optional<std::string>> Checkpoints::FindAndRestore(
    RunState* run) {
  const auto read = [&](const CheckedReader& reader) -> absl::Status {
    FIRTH_RETURN_IF_ERROR(CheckSame(reader));
    return RestoreFrom(reader, run);
  };
  if (is_first()) {
    auto path = FindWhole(options_.folder, Prefix(), read, progress_);
    if (ranks_ == nullptr) return path;
    std::string found = path.ok() ? path->value_or("") : "";
    FIRTH_RETURN_IF_ERROR(TakeFromFirst(*ranks_, path.status(), &found));
    if (path->has_value()) {
      FIRTH_RETURN_IF_ERROR(Agree(ranks_, absl::OkStatus()));
    }
    return path;
  }
  std::string path;
  FIRTH_RETURN_IF_ERROR(TakeFromFirst(*ranks_, absl::OkStatus(), &path));
  if (path.empty()) return std::nullopt;
  const absl::StatusOr<CheckedReader> reader = OpenCheckpoint(path);
  FIRTH_RETURN_IF_ERROR(
      Agree(ranks_, reader.ok() ? read(*reader) : reader.status()));
  return path;
}

absl::StatusOr<std::optional<RunState>> Checkpoints::Restore() {
  Await();
  RunState run;
  FIRTH_ASSIGN_OR_RETURN(const std::optional<std::string> path,
                         FindAndRestore(&run));
  if (!path.has_value()) return std::nullopt;
  whole_.insert(*path);
  whole_.erase(whole_.upper_bound(*path), whole_.end());
  return run;
}

bool Checkpoints::IsDue() const {
  if (!is_first()) return false;
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
  NamedTables whole;
  FIRTH_RETURN_IF_ERROR(JoinTensors(writing_ranks_.get(), "", tensors, &whole));
  if (header.best != nullptr) {
    FIRTH_RETURN_IF_ERROR(JoinTensors(writing_ranks_.get(), kBest,
                                      header.best->tensors(), &whole));
  }
  if (!is_first()) return absl::OkStatus();
  CheckedWriter writer;
  FIRTH_RETURN_IF_ERROR(AddTables(whole, &writer));
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

// A lack of memory is a fault like a full disk. The best values in `header` are
// released here, and not with writing_.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
absl::Status Checkpoints::TryToWrite(Header header, const Tensors& tensors) {
  try {
    return Write(header, tensors);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(absl::StrCat(
        header.path, ": not enough memory to write this checkpoint"));
  }
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
  if (writing_.valid()) Count(writing_.get());
}

void Checkpoints::Count(const absl::Status& written) {
  if (!is_first()) return;
  if (written.ok()) {
    ++saved_;
  } else if (progress_ != nullptr) {
    progress_->OnWarning(
        absl::StrCat("cannot write a checkpoint: ", written.message()));
  }
}

void Checkpoints::Save(const RunState& state) {
  if (AnyRank(ranks_, IsWriting())) return Plan();
  // The first rank has all values.
  if (!is_first() && writing_ranks_ == nullptr) return Plan();
  Await();
  const Clock::time_point start = Clock::now();
  const Tensors tensors = AllTensors();
  const bool is_first = copies_.empty();
  if (!options_.in_background ||
      (is_first && BytesOf(tensors) > AvailableMemoryBytes())) {
    SaveAndWait(state);
  } else {
    copies_.CopyFrom(tensors);
    // Deferred if the system starts no thread for it.
    writing_ =
        std::async(std::launch::async | std::launch::deferred,
                   [this, header = HeaderOf(state)]() mutable {
                     return TryToWrite(std::move(header), copies_.tensors());
                   });
    if (writing_.wait_for(std::chrono::seconds(0)) ==
        std::future_status::deferred) {
      Await();
    }
  }
  const auto stall = Clock::now() - start;
  stalled_seconds_ += std::chrono::duration<double>(stall).count();
  // The first copy also allocates its memory, so later ones will be faster.
  const bool took_memory = is_first && !copies_.empty();
  if (options_.in_background && !took_memory) {
    earliest_ = Clock::now() +
                std::chrono::duration_cast<Clock::duration>(stall / kMostStall);
  }
  Plan();
}

void Checkpoints::SaveAndWait(const RunState& state) {
  Await();
  Count(TryToWrite(HeaderOf(state), AllTensors()));
}

absl::StatusOr<std::string> NewestCheckpoint(const std::string& folder) {
  return FindSome(folder,
                  [](const CheckedReader&) { return absl::OkStatus(); });
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
                    ? "checkpoint of a training run"
                    : absl::StrCat("checkpoint of ", learner);
    FIRTH_ASSIGN_OR_RETURN(info.facts, facts(*reader, training, state));
    info.options = DumpJson(training);
    info.metadata = reader->Metadata();
    info.metadata["note"] = content.at("note").get<std::string>();
    return info;
  } catch (const Json::exception& error) {
    return Damaged(file->path(), error.what());
  }
}

}  // namespace firth
