// The service listens before it loads the models, so that an orchestrator can
// ask whether it is ready. The thread that calls Run() loads the models, waits
// for signals, and ends the other threads in order.

#include "serve/serving.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "firth/status_macros.h"
#include "serve/network.h"

namespace firth::tools {
namespace {

struct NamedPath {
  std::string name;
  std::string path;
};

// Splits PATH or NAME=PATH. A "=" after a "/" belongs to the path.
NamedPath SplitArgument(const std::string& argument) {
  const size_t end = argument.find_first_of("=/");
  if (end != std::string::npos && end > 0 && argument[end] == '=') {
    return {argument.substr(0, end), argument.substr(end + 1)};
  }
  return {std::filesystem::path(argument).stem().string(), argument};
}

// Set by SIGHUP.
std::atomic<bool> reload_requested = false;

void OnHangUp(int) { reload_requested = true; }

bool HasTerminal() {
  const int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (terminal >= 0) close(terminal);
  return terminal >= 0;
}

// During its lifetime, SIGHUP only requests to load the models again.
class ServiceSignals {
 public:
  ServiceSignals() {
    sigaction(SIGHUP, nullptr, &hang_up_before_);
    may_end_ = hang_up_before_.sa_handler != SIG_IGN && HasTerminal();
    reload_requested = false;
    CatchHangUp();
  }
  ~ServiceSignals() { sigaction(SIGHUP, &hang_up_before_, nullptr); }
  ServiceSignals(const ServiceSignals&) = delete;
  ServiceSignals& operator=(const ServiceSignals&) = delete;

  // Call it after an InterruptGuard, which also changes the action of SIGHUP.
  static void CatchHangUp() {
    struct sigaction action = {};
    action.sa_handler = &OnHangUp;
    sigemptyset(&action.sa_mask);
    sigaction(SIGHUP, &action, nullptr);
  }

  // Waits until the models should be loaded again (true), or the service should
  // end. A closed terminal also sends SIGHUP, and ends what was started in it,
  // unless it was started by nohup.
  bool WaitForReload(const InterruptGuard& interrupt) const {
    // Another thread may have received the signal just before.
    constexpr int kMostMilliseconds = 500;
    while (!interrupt.Interrupted()) {
      if (reload_requested.exchange(false)) return !may_end_ || HasTerminal();
      poll(nullptr, 0, kMostMilliseconds);
    }
    return false;
  }

 private:
  struct sigaction hang_up_before_ = {};
  bool may_end_ = false;  // Whether a closed terminal ends the service.
};

// Returns the vectors to which an argument [MODEL=]FILE of an option belongs.
absl::StatusOr<const OpenedModel*> ModelOf(absl::string_view option,
                                           const std::string& argument,
                                           const ServedFiles& files) {
  const NamedPath from = SplitArgument(argument);
  return At(std::string(option),
            files.models.Find(ModelKind::kVectors,
                              from.path == argument ? "" : from.name));
}

absl::StatusOr<std::shared_ptr<const ServedMap>> OpenMap(
    const std::string& path, const OpenedModel& model) {
  FIRTH_ASSIGN_OR_RETURN(const WordMap map, LoadMap(path));
  return At(path, ServedMap::Create(map, std::get<0>(model.content)));
}

// Checks that words of the map have vectors. Prints a warning if most have
// none.
absl::Status CheckFits(const ServedMap& map, const std::string& path,
                       const OpenedModel& model,
                       const std::string& model_path) {
  const Vocabulary& vocabulary =
      std::get<0>(model.content)->vectors().vocabulary();
  const size_t all = map.words().size();
  const auto known = static_cast<size_t>(
      absl::c_count_if(map.words(), [&](const std::string& word) {
        return vocabulary.Find(word).has_value();
      }));
  if (known == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--map ", path, ": none of its ", Counted(all, "word"),
        " has a vector in ", model_path,
        "; give the map that \"firth map\" made from these vectors"));
  }
  if (2 * known < all) {
    PrintMessage(
        absl::StrCat("warning: --map ", path, ": only ", Thousands(known),
                     " of its ", Counted(all, "word"),
                     known == 1 ? " has a vector in " : " have vectors in ",
                     model_path, "; is this the map of other vectors?"));
  }
  return absl::OkStatus();
}

// Returns " (PATH, 1.2 GB)", or " (PATH)" for what is no regular file.
std::string SizeOf(const std::string& path) {
  std::error_code error;
  const uintmax_t bytes = std::filesystem::file_size(path, error);
  return absl::StrCat(" (", path,
                      error ? "" : absl::StrCat(", ", HumanBytes(bytes)), ")");
}

Response ReloadResponse(const absl::Status& status,
                        const std::vector<std::string>& arguments) {
  if (!status.ok()) return ErrorResponse(500, "internal", status.message());
  Json names = Json::array();
  for (const std::string& argument : arguments) {
    names.push_back(SplitArgument(argument).name);
  }
  return JsonResponse(OneLine({{"reloaded", std::move(names)}}));
}

std::string AddressOf(const std::string& host, int port) {
  const bool is_v6 = absl::StrContains(host, ":");
  return absl::StrCat("http://", is_v6 ? "[" : "", host, is_v6 ? "]" : "", ":",
                      port);
}

}  // namespace

void Serving::Declare(OptionSet* options) {
  options->Integer("port", &http_.port, 0, 65535,
                   "set the port to listen on; 0 picks any free port");
  options
      ->Text("host", "ADDRESS", &http_.host,
             "set the address to listen on; an address that other machines can "
             "reach requires --token")
      .default_text = http_.host;
  options->Paths("map", "[MODEL=]FILE", &maps_, NoFile(),
                 "path to the map of a model, as \"firth map\" writes it");
  options->Paths(
      "labels", "[MODEL=]FILE", &labels_, NoFile(),
      "path to facts about the words of a map: tab-separated values, of which "
      "the first line names the columns and the first column is the word; the "
      "page can color by them");
  search_.search = Int8Search();  // Most requests contain one query.
  options->Fields(&search_, {"index"});
  options->At("index").default_text = "int8";
  options->Paths("analogies", "FILE", &analogies_, Reads(),
                 "path to analogy questions; /eval reports the accuracy");
  options->Paths("similarity", "FILE", &similarity_, Reads(),
                 "path to scored word pairs; /eval reports the correlation");
  options->Path(
      "text", "FILE", &text_, Reads(),
      "path to a text, one sentence per line; /context compares words "
      "with its first 10,000 tokens");
  options->Path("log", "FILE", &log_, NoFile(),
                "path to the log that \"firth train --log\" writes, for /log; "
                "the file may be created later");
  options->Path(
      "token", "FILE", &token_path_, NoFile(),
      "path to a file with a token, which only its owner or root may be able "
      "to write; requests must have the header \"Authorization: Bearer "
      "TOKEN\"");
  options->Text("allow-host", "NAME,NAME...", &allowed_hosts_,
                "set other host names under which clients reach the service, "
                "such as the name of a proxy; requires --token");
  options->Text("access-log", "FILE", &access_log_,
                "path to a file to which a line is appended for each request, "
                "instead of standard error; off disables the access log");
  options->Choice<AccessLogForm>(
      "access-log-form", &access_log_form_,
      {{"plain", AccessLogForm::kPlain},
       {"common", AccessLogForm::kCommon},
       {"json", AccessLogForm::kJson}},
      "set the form of a line of the access log: time, client, request and "
      "result as words; the Common Log Format of web servers; or a JSON "
      "object");
  options->Integer(
      "connections", &http_.most_connections, 1, 10000,
      "maximum number of simultaneous connections; a further one replaces one "
      "that waits for its client");
  options->Integer("client-connections", &http_.most_of_client, 0, 10000,
                   "maximum number of simultaneous connections of one IP "
                   "address; 0 means as "
                   "many as there are; a proxy is one address");
  options->Integer("timeout", &http_.timeout, 1, 3600,
                   "maximum time for receiving a request, and for sending its "
                   "answer, in seconds");
  options->Bytes("max-body", &http_.most_body_bytes, 1, uint64_t{1} << 30,
                 "maximum size of a request body");
  options->At("max-body").default_text = "1M";
  for (const absl::string_view name :
       {"port", "host", "map", "labels", "text", "log", "token"}) {
    options->At(name).Everyday();
  }
  options->Arguments("MODEL", 1, std::numeric_limits<size_t>::max(),
                     &arguments_, {{"MODEL", NoFile()}});
}

absl::Status Serving::Check(const std::string& page) {
  FIRTH_ASSIGN_OR_RETURN(const bool is_loopback, IsLoopback(http_.host));
  if (!is_loopback && token_path_.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--host ", http_.host,
                     " can be reached from other machines and therefore "
                     "requires --token FILE"));
  }
  if (!allowed_hosts_.empty() && token_path_.empty()) {
    return absl::InvalidArgumentError(
        "--allow-host admits clients from other machines and therefore "
        "requires --token FILE");
  }
  if (!allowed_hosts_.empty()) {
    FIRTH_ASSIGN_OR_RETURN(hosts_, HostNames(allowed_hosts_));
  }
  if (!page.empty() && arguments_.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("--page requires exactly one file of vectors, found ",
                     arguments_.size(), " models"));
  }
  if (std::error_code error;
      std::filesystem::is_directory(token_path_, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--token: expected a file with a token, found the folder ",
                     token_path_));
  }
  std::vector<UsedFile> files = FilesOfRoutes();
  for (const std::string& argument : arguments_) {
    const std::string path = SplitArgument(argument).path;
    files.push_back({"MODEL", path, Reads()});
    if (std::holds_alternative<HnswSearch>(search_.search)) {
      files.push_back({"the index of MODEL", HnswPath(path), Reads()});
    }
  }
  for (const std::string& map : maps_) {
    files.push_back({"--map", SplitArgument(map).path, Reads()});
  }
  for (const std::string& labels : labels_) {
    files.push_back({"--labels", SplitArgument(labels).path, Reads()});
  }
  files.push_back({"--token", token_path_, Reads()});
  files.push_back({"--page", page, Writes()});
  if (!access_log_.empty() && access_log_ != "off") {
    files.push_back({"--access-log", access_log_, Writes()});
  }
  return CheckNoneIsReadAndWritten(files);
}

std::vector<UsedFile> Serving::FilesOfRoutes() const {
  std::vector<UsedFile> files;
  for (const std::string& path : analogies_) {
    files.push_back({"--analogies", path, Reads()});
  }
  for (const std::string& path : similarity_) {
    files.push_back({"--similarity", path, Reads()});
  }
  files.push_back({"--text", text_, Reads()});
  files.push_back({"--log", log_, Reads()});
  return files;
}

absl::Status Serving::OpenModels(ServedFiles* files) const {
  for (const std::string& argument : arguments_) {
    const NamedPath from = SplitArgument(argument);
    PrintMessage(absl::StrCat("loading ", from.name, SizeOf(from.path)));
    FIRTH_ASSIGN_OR_RETURN(
        OpenedModel model,
        OpenModel(from.name, from.path, nullptr, search_, prefer_vectors_));
    files->loaded[from.name] = absl::Now();
    const absl::Status added = files->models.Add(std::move(model));
    if (!added.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          added.message(), "; NAME=", from.path, " chooses another name"));
    }
  }
  return absl::OkStatus();
}

absl::Status Serving::OpenMaps(ServedFiles* files) const {
  std::map<std::string, std::string> paths;  // Of the maps, by model.
  for (const std::string& argument : maps_) {
    const NamedPath from = SplitArgument(argument);
    FIRTH_ASSIGN_OR_RETURN(const OpenedModel* const model,
                           ModelOf("--map", argument, *files));
    const auto [other, is_new] = paths.emplace(model->name, from.path);
    if (!is_new) {
      return absl::InvalidArgumentError(
          absl::StrCat("--map: a model can have one map, but \"", model->name,
                       "\" has ", other->second, " and ", from.path));
    }
    FIRTH_ASSIGN_OR_RETURN(auto map, OpenMap(from.path, *model));
    FIRTH_RETURN_IF_ERROR(
        CheckFits(*map, from.path, *model, PathOf(model->name)));
    files->maps[model->name] = std::move(map);
  }
  return absl::OkStatus();
}

std::string Serving::PathOf(absl::string_view model) const {
  for (const std::string& argument : arguments_) {
    const NamedPath from = SplitArgument(argument);
    if (from.name == model) return from.path;
  }
  return std::string(model);
}

absl::Status Serving::ReadLabels(ServedFiles* files) const {
  for (const std::string& argument : labels_) {
    const NamedPath from = SplitArgument(argument);
    FIRTH_ASSIGN_OR_RETURN(const OpenedModel* const model,
                           ModelOf("--labels", argument, *files));
    FIRTH_ASSIGN_OR_RETURN(WordLabels labels, ReadWordLabels(from.path));
    files->labels.emplace_back(model->name, std::move(labels));
  }
  return absl::OkStatus();
}

absl::Status Serving::AddLabels(ServedFiles* files) {
  for (const auto& [model, labels] : files->labels) {
    const auto map = files->maps.find(model);
    if (map == files->maps.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--labels: \"", model,
                       "\" has no map to show labels on; give one with --map"));
    }
    size_t found = 0;
    auto with_labels = std::make_shared<ServedMap>(*map->second);
    const std::vector<std::string>& words = with_labels->words();
    FIRTH_RETURN_IF_ERROR(
        with_labels->AddColumns(LabelsOf(labels, words, &found)));
    std::string message =
        absl::StrCat("--labels: ", Thousands(found), " of ",
                     Counted(words.size(), "word"), " on the map of ", model,
                     words.size() == 1 ? " has labels" : " have labels");
    if (found == 0 && !words.empty()) {
      absl::StrAppend(&message,
                      "; the first column must have the words as the model "
                      "spells them, such as \"",
                      words[0], "\", but it has \"", labels.words[0], "\"");
    }
    PrintMessage(message);
    map->second = std::move(with_labels);
  }
  files->labels.clear();
  return absl::OkStatus();
}

absl::StatusOr<ServedFiles> Serving::Open() const {
  ServedFiles files;
  for (const UsedFile& file : FilesOfRoutes()) {
    FIRTH_RETURN_IF_ERROR(At(file.name, CheckIsRegularFile(file.path)));
  }
  FIRTH_RETURN_IF_ERROR(OpenModels(&files));
  FIRTH_RETURN_IF_ERROR(OpenMaps(&files));
  FIRTH_RETURN_IF_ERROR(ReadLabels(&files));
  files.log = log_;
  if (!analogies_.empty()) files.files["analogies"] = analogies_;
  if (!similarity_.empty()) files.files["similarity"] = similarity_;
  if (!text_.empty()) files.files["reference"] = {text_};
  return files;
}

absl::Status Serving::ReloadToken(Service* service) const {
  if (token_path_.empty()) return absl::OkStatus();
  absl::StatusOr<std::string> token = ReadToken(token_path_);
  if (token.ok()) {
    service->SetToken(*std::move(token));
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "--token ", token.status().message(), "; the former token stays in use"));
}

absl::Status Serving::ReloadFiles(const Prepare& prepare,
                                  const std::atomic<bool>* stop,
                                  Service* service) const {
  absl::StatusOr<ServedFiles> files = Open();
  absl::Status status = files.ok() ? prepare(&*files, stop) : files.status();
  if (status.ok()) status = AddLabels(&*files);
  if (status.ok()) {
    service->Replace(*std::move(files));
    return status;
  }
  return absl::FailedPreconditionError(
      absl::StrCat(status.message(), "; no model, map or label was replaced"));
}

absl::Status Serving::Reload(const Prepare& prepare,
                             const std::atomic<bool>* stop, AccessLog* log,
                             Service* service) const {
  std::vector<std::string> errors;
  const auto note = [&errors](const absl::Status& status) {
    if (!status.ok()) errors.emplace_back(status.message());
    return status.ok();
  };
  note(log->Reopen());
  note(ReloadToken(service));
  const bool is_loaded = note(ReloadFiles(prepare, stop, service));
  service->snapshot()->files.metrics->CountReload(errors.empty());
  const absl::string_view done = "all models were loaded again";
  if (errors.empty()) {
    PrintMessage(done);
    return absl::OkStatus();
  }
  if (is_loaded) errors.emplace_back(done);
  PrintMessage(absl::StrCat("reload: ", absl::StrJoin(errors, "; ")));
  return absl::FailedPreconditionError(absl::StrJoin(errors, "; "));
}

absl::StatusOr<ExitCode> Serving::Run(
    std::map<std::string, Response> pages, const Prepare& prepare,
    const std::function<void(const std::string&)>& on_start) const {
  AccessRules rules{hosts_, ""};
  if (!token_path_.empty()) {
    FIRTH_ASSIGN_OR_RETURN(rules.token, At("--token", ReadToken(token_path_)));
  }
  FIRTH_ASSIGN_OR_RETURN(AccessLog log,
                         AccessLog::Open(access_log_, access_log_form_));
  Service service(std::move(rules), std::move(pages), Service::NotReady());
  const std::shared_ptr<Metrics> metrics = service.snapshot()->files.metrics;
  const HttpHooks hooks{
      [&](const Served& served) {
        metrics->Count(served.route, served.status, served.seconds);
        log.Write(served);
      },
      [&](size_t connections) { metrics->SetConnections(connections); },
      [&] { metrics->CountReplacedConnection(); }};
  std::mutex reloading;
  std::atomic<bool> ends = false;
  const auto reload = [&] {
    const std::lock_guard<std::mutex> lock(reloading);
    return Reload(prepare, &ends, &log, &service);
  };
  service.OnReload([&] { return ReloadResponse(reload(), arguments_); });
  const ServiceSignals signals;
  FIRTH_ASSIGN_OR_RETURN(std::unique_ptr<HttpServer> server,
                         HttpServer::Start(service, http_, hooks));
  // Until here, a signal ends the program at once.
  FIRTH_ASSIGN_OR_RETURN(ServedFiles files, Open());
  const InterruptGuard interrupt;
  signals.CatchHangUp();
  FIRTH_RETURN_IF_ERROR(prepare(&files, interrupt.flag()));
  FIRTH_RETURN_IF_ERROR(AddLabels(&files));
  service.Replace(std::move(files));
  on_start(AddressOf(http_.host, server->port()));
  while (signals.WaitForReload(interrupt)) reload().IgnoreError();
  PrintMessage("ending after the current requests are answered");
  ends = true;
  server.reset();
  return ExitCode::kDone;
}

}  // namespace firth::tools
