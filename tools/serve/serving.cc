// Errors in files, the token or the address occur before on_start is called.
// Only the thread that calls Run() receives signals; it ends the others in
// order.

#include "serve/serving.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <system_error>
#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/console.h"
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

// Refuses a pipe, a device or a folder. A request that opened a pipe would wait
// until another program writes to it. A missing file is accepted, because the
// log of a training run may be created later.
absl::Status CheckIsFile(const UsedFile& file) {
  std::error_code error;
  const auto found = std::filesystem::status(file.path, error);
  if (!std::filesystem::exists(found) ||
      std::filesystem::is_regular_file(found)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      file.name, ": ", file.path, ": expected a regular file, found ",
      std::filesystem::is_directory(found) ? "a folder" : "a pipe or device"));
}

// Limits of the length of a token. A shorter one could be guessed.
constexpr size_t kShortestToken = 16;
constexpr size_t kLongestToken = 1024;

// Blocks signals in threads that are started during its lifetime, so that this
// thread receives them.
class SignalsForThisThread {
 public:
  SignalsForThisThread() {
    sigset_t ends;
    sigemptyset(&ends);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ends, signal);
    pthread_sigmask(SIG_BLOCK, &ends, &before_);
  }
  ~SignalsForThisThread() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsForThisThread(const SignalsForThisThread&) = delete;
  SignalsForThisThread& operator=(const SignalsForThisThread&) = delete;

  // Waits for a signal, then restores the signal mask, so that the next signal
  // ends the program.
  void WaitFor(const InterruptGuard& interrupt) const {
    while (!interrupt.Interrupted()) sigsuspend(&before_);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_;
};

absl::StatusOr<std::string> ReadToken(const std::string& path) {
  struct stat about = {};
  if (stat(path.c_str(), &about) != 0) {
    return absl::NotFoundError(
        absl::StrCat(path, ": cannot read: ", std::strerror(errno)));
  }
  if ((about.st_mode & 077) != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        path,
        ": only the owner may be able to read this file; use \"chmod 600\""));
  }
  std::ifstream file(path, std::ios::binary);
  std::string token{std::istreambuf_iterator<char>(file), {}};
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

std::string AddressOf(const std::string& host, int port) {
  const bool is_v6 = absl::StrContains(host, ":");
  return absl::StrCat("http://", is_v6 ? "[" : "", host, is_v6 ? "]" : "", ":",
                      port);
}

}  // namespace

absl::StatusOr<AccessLog> AccessLog::Open(const std::string& path) {
  if (path == "off") return AccessLog(nullptr);
  if (path.empty()) return AccessLog(stderr);
  // With O_NONBLOCK, open() fails for a pipe that no program reads instead of
  // blocking until one does.
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK,
           0666);
  std::FILE* const file = descriptor < 0 ? nullptr : fdopen(descriptor, "a");
  if (file != nullptr) return AccessLog(file);
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
      dropped_(other.dropped_),
      has_warned_(other.has_warned_) {}

AccessLog::~AccessLog() {
  if (file_ != nullptr && file_ != stderr) std::fclose(file_);
}

void AccessLog::Write(const Served& served) {
  if (file_ == nullptr) return;
  if (!HasRoom(file_)) {
    ++dropped_;
    return;
  }
  std::string line = absl::StrFormat(
      "%s %s %s %s %d %d %.1f ms\n",
      absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::Now(),
                       absl::UTCTimeZone()),
      served.client, Visible(served.method.substr(0, kMostPathBytes)),
      Visible(served.path.substr(0, kMostPathBytes)), served.status,
      served.bytes, 1000 * served.seconds);
  if (dropped_ > 0) {
    absl::StrAppend(&line, "(", std::exchange(dropped_, 0),
                    " earlier lines were lost)\n");
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
      "path to a file with a token, which only its owner may be able to read; "
      "requests must have the header \"Authorization: Bearer TOKEN\"");
  options->Text("allow-host", "NAME,NAME...", &allowed_hosts_,
                "set other host names under which clients reach the service, "
                "such as the name of a proxy; requires --token");
  options->Text("access-log", "FILE", &access_log_,
                "path to a file to which a line is appended for each request, "
                "instead of standard error; off disables the access log");
  options->Integer(
      "connections", &http_.most_connections, 1, 10000,
      "maximum number of simultaneous connections; further ones wait");
  options->Integer("timeout", &http_.timeout, 1, 3600,
                   "maximum time for receiving a request, and for sending its "
                   "answer, in seconds");
  options->Bytes("max-body", &http_.most_body_bytes, 1, uint64_t{1} << 30,
                 "maximum size of a request body, in bytes");
  for (const absl::string_view name :
       {"port", "host", "map", "text", "log", "token"}) {
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

absl::Status Serving::OpenModels(OpenedModels* models) const {
  for (const std::string& argument : arguments_) {
    const NamedPath from = SplitArgument(argument);
    FIRTH_ASSIGN_OR_RETURN(OpenedModel model,
                           OpenModel(from.name, from.path, nullptr, search_));
    const absl::Status added = models->Add(std::move(model));
    if (!added.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          added.message(), "; NAME=", from.path, " chooses another name"));
    }
  }
  return absl::OkStatus();
}

absl::Status Serving::OpenMaps(ServedFiles* files) const {
  for (const std::string& argument : maps_) {
    const NamedPath from = SplitArgument(argument);
    FIRTH_ASSIGN_OR_RETURN(
        const OpenedModel* const model,
        At("--map",
           files->models.Find(ModelKind::kVectors,
                              from.path == argument ? "" : from.name)));
    FIRTH_ASSIGN_OR_RETURN(const WordMap map, LoadMap(from.path));
    FIRTH_ASSIGN_OR_RETURN(ServedMap served, At(from.path, ToServedMap(map)));
    files->maps.insert_or_assign(model->name, std::move(served));
  }
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

absl::StatusOr<ServedFiles> Serving::Open() const {
  ServedFiles files;
  for (const UsedFile& file : FilesOfRoutes()) {
    FIRTH_RETURN_IF_ERROR(CheckIsFile(file));
  }
  FIRTH_RETURN_IF_ERROR(OpenModels(&files.models));
  FIRTH_RETURN_IF_ERROR(OpenMaps(&files));
  files.log = log_;
  if (!analogies_.empty()) files.files["analogies"] = analogies_;
  if (!similarity_.empty()) files.files["similarity"] = similarity_;
  if (!text_.empty()) files.files["reference"] = {text_};
  return files;
}

absl::StatusOr<ExitCode> Serving::Run(
    ServedFiles files, std::map<std::string, Response> pages,
    const std::function<void(const std::string&)>& on_start) const {
  FIRTH_ASSIGN_OR_RETURN(AccessRules rules, MakeRules());
  FIRTH_ASSIGN_OR_RETURN(AccessLog log, AccessLog::Open(access_log_));
  const std::shared_ptr<Metrics> metrics = files.metrics;
  const Service service(std::move(files), std::move(rules), std::move(pages));
  const HttpHooks hooks{
      [&](const Served& served) {
        metrics->Count(served.route, served.status, served.seconds);
        log.Write(served);
      },
      [&](size_t connections) { metrics->SetConnections(connections); }};
  const InterruptGuard interrupt;
  const SignalsForThisThread signals;
  FIRTH_ASSIGN_OR_RETURN(std::unique_ptr<HttpServer> server,
                         HttpServer::Start(service, http_, hooks));
  on_start(AddressOf(http_.host, server->port()));
  signals.WaitFor(interrupt);
  PrintMessage("ending after the current requests are answered");
  server.reset();
  return ExitCode::kDone;
}

}  // namespace firth::tools
