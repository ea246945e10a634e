// The service listens before it loads the models, so that an orchestrator can
// ask whether it is ready. The thread that calls Run() loads the models, waits
// for signals, and ends the other threads in order.

#include "serve/serving.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "firth/status_macros.h"
#include "serve/network.h"

namespace firth::tools {
namespace {

// Maximum length of a client's method or path. Even escaped, a line fits into a
// pipe that has room (PIPE_BUF).
constexpr size_t kMostPathBytes = 200;

// Returns whether a line can be written without blocking.
bool HasRoom(std::FILE* file) {
  pollfd ready = {.fd = fileno(file), .events = POLLOUT, .revents = 0};
  return poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0;
}

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

// Limits of the length of a token. A shorter one could be guessed.
constexpr size_t kShortestToken = 16;
constexpr size_t kLongestToken = 1024;

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

absl::StatusOr<std::string> ReadToken(const std::string& path) {
  struct stat about = {};
  if (stat(path.c_str(), &about) != 0) {
    return absl::NotFoundError(
        absl::StrCat(path, ": cannot read: ", std::strerror(errno)));
  }
  const bool is_ours = about.st_uid == geteuid() || about.st_uid == 0;
  if (!is_ours || (about.st_mode & 022) != 0) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s: others could write this file (owner %d, mode %03o); expected a "
        "file of user %d or root that only its owner can write; use \"%s\"",
        path, about.st_uid, about.st_mode & 0777U, geteuid(),
        is_ours ? "chmod go-w FILE" : "chown USER FILE"));
  }
  // Secrets that Docker and Kubernetes mount belong to root, and others may
  // read them.
  if (about.st_uid == geteuid() && geteuid() != 0 &&
      (about.st_mode & 044) != 0) {
    PrintMessage(absl::StrCat("warning: ", path,
                              ": other users of this machine can read the "
                              "token; use \"chmod 600 FILE\""));
  }
  FIRTH_ASSIGN_OR_RETURN(std::string token, ReadRegularFile(path));
  absl::StripAsciiWhitespace(&token);
  const bool is_visible = absl::c_all_of(token, [](char c) {
    return absl::ascii_isgraph(static_cast<unsigned char>(c));
  });
  if (token.size() < kShortestToken || token.size() > kLongestToken ||
      !is_visible) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": the token must have ", kShortestToken, " to ",
                     kLongestToken, " visible ASCII characters"));
  }
  return token;
}

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

absl::StatusOr<AccessLog> AccessLog::Open(const std::string& path,
                                          AccessLogForm form) {
  if (path == "off") return AccessLog(nullptr, form);
  if (path.empty()) return AccessLog(stderr, form);
  // With O_NONBLOCK, open() fails for a pipe that no program reads instead of
  // blocking until one does.
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK,
           0666);
  std::FILE* const file = descriptor < 0 ? nullptr : fdopen(descriptor, "a");
  if (file != nullptr) return AccessLog(file, form);
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  return absl::InvalidArgumentError(
      error == ENXIO
          ? absl::StrCat(path,
                         ": cannot append: no program reads this pipe; "
                         "start the reader first")
          : absl::StrCat(path, ": cannot append: ", std::strerror(error)));
}

AccessLog::AccessLog(AccessLog&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)),
      form_(other.form_),
      dropped_(other.dropped_),
      has_warned_(other.has_warned_) {}

AccessLog::~AccessLog() {
  if (file_ != nullptr && file_ != stderr) std::fclose(file_);
}

std::string AccessLog::LineOf(const Served& served) const {
  const absl::Time now = absl::Now();
  const std::string method = Visible(served.method.substr(0, kMostPathBytes));
  const std::string path = Visible(served.path.substr(0, kMostPathBytes));
  const auto time = [now](absl::string_view format) {
    return absl::FormatTime(format, now, absl::UTCTimeZone());
  };
  switch (form_) {
    case AccessLogForm::kPlain:
      break;
    case AccessLogForm::kCommon:
      return absl::StrFormat("%s - - [%s] \"%s %s HTTP/1.1\" %d %d\n",
                             served.client, time("%d/%b/%Y:%H:%M:%S %z"),
                             method, absl::StrReplaceAll(path, {{"\"", "%22"}}),
                             served.status, served.bytes);
    case AccessLogForm::kJson:
      return OneLine({{"time", time("%Y-%m-%dT%H:%M:%E3SZ")},
                      {"client", served.client},
                      {"method", method},
                      {"path", path},
                      {"status", served.status},
                      {"bytes", served.bytes},
                      {"seconds", served.seconds}}) +
             "\n";
  }
  return absl::StrFormat("%s %s %s %s %d %d %.1f ms\n",
                         time("%Y-%m-%dT%H:%M:%E3SZ"), served.client, method,
                         path, served.status, served.bytes,
                         1000 * served.seconds);
}

void AccessLog::Write(const Served& served) {
  if (file_ == nullptr) return;
  if (!HasRoom(file_)) {
    ++dropped_;
    return;
  }
  std::string line = LineOf(served);
  if (dropped_ > 0) {
    const uint64_t lost = std::exchange(dropped_, 0);
    absl::StrAppend(
        &line, form_ == AccessLogForm::kJson
                   ? absl::StrCat("{\"lost\":", lost, "}\n")
                   : absl::StrCat("(", lost, " earlier lines were lost)\n"));
  }
  const bool is_whole =
      std::fwrite(line.data(), 1, line.size(), file_) == line.size();
  if ((std::fflush(file_) == 0 && is_whole) || has_warned_) return;
  has_warned_ = true;
  if (file_ == stderr) return;
  PrintMessage(absl::StrCat("--access-log: cannot write: ",
                            std::strerror(errno), "; lines are lost"));
}

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
      "token", "FILE", &token_path_, Reads(),
      "path to a file with a token, which only its owner or root may be able "
      "to "
      "write; requests must have the header \"Authorization: Bearer TOKEN\"");
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
                 "maximum size of a request body, in bytes");
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

absl::Status Serving::OpenModels(const ServedFiles* former, ServedFiles* files,
                                 std::vector<std::string>* errors) const {
  for (const std::string& argument : arguments_) {
    const NamedPath from = SplitArgument(argument);
    PrintMessage(absl::StrCat("loading ", from.name, SizeOf(from.path)));
    absl::StatusOr<OpenedModel> model =
        OpenModel(from.name, from.path, nullptr, search_, prefer_vectors_);
    if (model.ok()) {
      files->loaded[from.name] = absl::Now();
    } else if (former != nullptr) {
      errors->push_back(std::string(model.status().message()));
      files->loaded[from.name] = former->loaded.at(from.name);
      model = *absl::c_find_if(former->models.all(), [&](const auto& other) {
        return other.name == from.name;
      });
    } else {
      return model.status();
    }
    const absl::Status added = files->models.Add(*std::move(model));
    if (!added.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          added.message(), "; NAME=", from.path, " chooses another name"));
    }
  }
  return absl::OkStatus();
}

absl::Status Serving::OpenMaps(const ServedFiles* former, ServedFiles* files,
                               std::vector<std::string>* errors) const {
  for (const std::string& argument : maps_) {
    const NamedPath from = SplitArgument(argument);
    FIRTH_ASSIGN_OR_RETURN(const OpenedModel* const model,
                           ModelOf("--map", argument, *files));
    absl::StatusOr<std::shared_ptr<const ServedMap>> map =
        OpenMap(from.path, *model);
    if (!map.ok()) {
      if (former == nullptr) return map.status();
      errors->push_back(std::string(map.status().message()));
      map = former->maps.at(model->name);
    }
    files->maps.insert_or_assign(model->name, *std::move(map));
  }
  return absl::OkStatus();
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
    with_labels->AddColumns(LabelsOf(labels, with_labels->words(), &found));
    PrintMessage(absl::StrCat("--labels: ", Thousands(found), " of ",
                              Counted(with_labels->words().size(), "word"),
                              " on the map of ", model, " have labels"));
    map->second = std::move(with_labels);
  }
  files->labels.clear();
  return absl::OkStatus();
}

absl::StatusOr<AccessRules> Serving::MakeRules() const {
  AccessRules rules;
  rules.hosts = absl::StrSplit(absl::AsciiStrToLower(allowed_hosts_), ',',
                               absl::SkipEmpty());
  if (!token_path_.empty()) {
    FIRTH_ASSIGN_OR_RETURN(rules.token, ReadToken(token_path_));
  }
  return rules;
}

absl::StatusOr<ServedFiles> Serving::Open(
    const ServedFiles* former, std::vector<std::string>* errors) const {
  ServedFiles files;
  for (const UsedFile& file : FilesOfRoutes()) {
    FIRTH_RETURN_IF_ERROR(At(file.name, CheckIsRegularFile(file.path)));
  }
  FIRTH_RETURN_IF_ERROR(OpenModels(former, &files, errors));
  FIRTH_RETURN_IF_ERROR(OpenMaps(former, &files, errors));
  FIRTH_RETURN_IF_ERROR(ReadLabels(&files));
  files.log = log_;
  if (!analogies_.empty()) files.files["analogies"] = analogies_;
  if (!similarity_.empty()) files.files["similarity"] = similarity_;
  if (!text_.empty()) files.files["reference"] = {text_};
  return files;
}

absl::Status Serving::Reload(const Prepare& prepare,
                             const std::atomic<bool>* stop,
                             Service* service) const {
  const std::shared_ptr<const Snapshot> former = service->snapshot();
  std::vector<std::string> errors;
  absl::StatusOr<ServedFiles> files = Open(&former->files, &errors);
  absl::Status status = files.ok() ? prepare(&*files, stop) : files.status();
  if (status.ok()) status = AddLabels(&*files);
  if (status.ok()) {
    service->Replace(*std::move(files));
    if (!errors.empty()) {
      status = absl::FailedPreconditionError(
          absl::StrCat(absl::StrJoin(errors, "; "),
                       "; what was loaded before stays in use"));
    }
  }
  former->files.metrics->CountReload(status.ok());
  PrintMessage(status.ok() ? "all models were loaded again"
                           : absl::StrCat("reload: ", status.message()));
  return status;
}

absl::StatusOr<ExitCode> Serving::Run(
    std::map<std::string, Response> pages, const Prepare& prepare,
    const std::function<void(const std::string&)>& on_start) const {
  FIRTH_ASSIGN_OR_RETURN(AccessRules rules, MakeRules());
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
    return Reload(prepare, &ends, &service);
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
