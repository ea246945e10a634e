// A request is first admitted by its headers: client, route, method and type of
// body. A client without access receives no other information. An admitted
// request becomes a job, which any thread may process.

#include "serve/service.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "cli/console.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

// Answers that took long to compute are kept if they and their requests are
// short.
constexpr size_t kMostKept = 64;
constexpr size_t kMostKeptRequest = 4096;
constexpr size_t kMostKeptAnswer = size_t{1} << 20;

// Returns the name in "name:port", "[::1]:port" or either without a port, or ""
// if the text is none of these.
absl::string_view NameOfHost(absl::string_view host) {
  const bool is_bracketed = absl::ConsumePrefix(&host, "[");
  const size_t end = std::min(host.find(is_bracketed ? ']' : ':'), host.size());
  const absl::string_view name = host.substr(0, end);
  absl::string_view port = host.substr(end);
  if (is_bracketed && !absl::ConsumePrefix(&port, "]")) return "";
  if (port.empty()) return name;
  const bool is_port = absl::ConsumePrefix(&port, ":") &&
                       absl::c_all_of(port, absl::ascii_isdigit);
  return is_port ? name : "";
}

// Compares in a time that depends only on the length of `given`.
bool SameSecret(absl::string_view given, absl::string_view expected) {
  unsigned char differs = given.size() != expected.size();
  for (size_t i = 0; i < given.size(); ++i) {
    differs |= static_cast<unsigned char>(
        given[i] ^ expected[i < expected.size() ? i : 0]);
  }
  return differs == 0;
}

bool IsJson(const std::optional<std::string>& content_type) {
  if (!content_type.has_value()) return false;
  const absl::string_view type = *content_type;
  return absl::EqualsIgnoreCase(
      absl::StripAsciiWhitespace(type.substr(0, type.find(';'))),
      "application/json");
}

bool Answers(const Route& route, absl::string_view method) {
  return route.method == method || (route.method == "GET" && method == "HEAD");
}

std::string AllowedMethods(absl::string_view method) {
  return method == "GET" ? "GET, HEAD, OPTIONS" : "POST, OPTIONS";
}

const Route* RouteAt(absl::string_view path) {
  absl::string_view rest = path;
  const bool has_prefix = absl::ConsumePrefix(&rest, kApiPrefix);
  const auto found = absl::c_find_if(Routes(), [&](const Route& route) {
    return (has_prefix && route.path == rest) ||
           (!path.empty() && route.usual_path == path);
  });
  return found == Routes().end() ? nullptr : &*found;
}

// Adds the headers of every response: a browser must not guess its type, show
// it in other pages or cache it.
void AddSafeHeaders(Response* response) {
  response->headers.insert(response->headers.end(),
                           {{"X-Content-Type-Options", "nosniff"},
                            {"Content-Security-Policy",
                             "default-src 'none'; frame-ancestors 'none'"},
                            {"Cross-Origin-Resource-Policy", "same-origin"},
                            {"Referrer-Policy", "no-referrer"},
                            {"Cache-Control", "no-store"}});
}

Response FromStatus(const absl::Status& status) {
  const auto as = [&](int code, absl::string_view name) {
    return ErrorResponse(code, name, status.message(), PlaceOfError(status));
  };
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return as(400, "invalid_argument");
    case absl::StatusCode::kUnauthenticated:
      return as(401, "unauthenticated");
    case absl::StatusCode::kPermissionDenied:
      return as(403, "permission_denied");
    case absl::StatusCode::kNotFound:
      return as(404, "not_found");
    case absl::StatusCode::kAborted:
      return as(409, "conflict");
    case absl::StatusCode::kResourceExhausted:
      return as(503, "unavailable");
    default:
      return as(500, "internal");
  }
}

Response WrongMethod(absl::string_view method, const std::string& allowed) {
  Response response =
      method == "OPTIONS"
          ? ErrorResponse(204, "", "")
          : ErrorResponse(405, "method_not_allowed",
                          absl::StrCat("this path allows only ", allowed,
                                       ", found ", method));
  response.headers.emplace_back("Allow", allowed);
  return response;
}

Response WrongType(const Request& request) {
  std::string message = "Content-Type: must be application/json";
  // This is the type that "curl --data" sends.
  if (request.content_type == "application/x-www-form-urlencoded") {
    absl::StrAppend(&message,
                    "; with curl, use --json instead of --data, or add "
                    "--header \"Content-Type: application/json\"");
  }
  return ErrorResponse(415, "unsupported_media_type", message);
}

// Returns the body of an example, with the names of models where they are
// needed, or nothing if the models cannot answer the question. Without `files`,
// one model of each kind is assumed.
std::optional<Json> ExampleOf(const Question& question,
                              const ServedFiles* files) {
  const bool needs_names = NamesModels(question);
  if (needs_names && files == nullptr) return std::nullopt;
  Json body = Json::object();
  size_t number = 0;  // Of the model for the next slot.
  for (const Slot& slot : question.slots) {
    if (!slot.required || files == nullptr) continue;
    std::vector<std::string> names;
    for (const OpenedModel& model : files->models.all()) {
      if (model.kind() == slot.kind) names.push_back(model.name);
    }
    if (number >= names.size()) return std::nullopt;
    if (needs_names || names.size() > 1) body[slot.name] = names[number];
    ++number;
  }
  body["requests"] = Json::array({Json::parse(question.example)});
  return body;
}

// Checks the body of a request that needs none.
absl::Status CheckNoFields(absl::string_view body) {
  body = absl::StripAsciiWhitespace(body);
  if (body.empty()) return absl::OkStatus();
  const Json json = ParseJson(body);
  if (!json.is_object()) {
    return absl::InvalidArgumentError("the body: expected nothing, or {}");
  }
  if (json.empty()) return absl::OkStatus();
  return ErrorAt(json.begin().key(),
                 "there is no such field; this request has none");
}

}  // namespace

bool IsSlow(const Job& job) {
  const Route& route = *job.route;
  if (route.question == nullptr) {
    return route.may_be_slow &&
           absl::StrContains(job.request.target, "method=");
  }
  // These models answer one request at a time.
  const ModelKind kind = route.question->slots[0].kind;
  return route.question->lane == Lane::kSlow ||
         kind == ModelKind::kLanguageModel || kind == ModelKind::kTagger ||
         kind == ModelKind::kSeq2Seq;
}

const Route* FindRoute(absl::string_view method, absl::string_view target) {
  const Route* const route = RouteAt(target.substr(0, target.find('?')));
  return route != nullptr && Answers(*route, method) ? route : nullptr;
}

Response ErrorResponse(int status, absl::string_view code,
                       absl::string_view message, absl::string_view field) {
  Response response;
  response.status = status;
  Json error = {{"code", std::string(code)}, {"message", std::string(message)}};
  if (!field.empty()) error["field"] = std::string(field);
  response.body = Share(status == 204 ? "" : JsonLine({{"error", error}}));
  if (status == 401)
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
  AddSafeHeaders(&response);
  return response;
}

Service::Service(AccessRules rules, std::map<std::string, Response> pages,
                 NotReady)
    : hosts_(std::move(rules.hosts)),
      pages_(std::move(pages)),
      token_(std::move(rules.token)),
      snapshot_(std::make_shared<Snapshot>()) {}

Service::Service(ServedFiles files, AccessRules rules,
                 std::map<std::string, Response> pages)
    : hosts_(std::move(rules.hosts)),
      pages_(std::move(pages)),
      token_(std::move(rules.token)),
      snapshot_(std::make_shared<Snapshot>(std::move(files))) {}

std::shared_ptr<const Snapshot> Service::snapshot() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return snapshot_;
}

void Service::Replace(ServedFiles files) {
  std::shared_ptr<const Snapshot> former = snapshot();
  files.metrics = former->files.metrics;
  auto next = std::make_shared<Snapshot>(std::move(files));
  const std::lock_guard<std::mutex> lock(mutex_);
  snapshot_ = std::move(next);
}

void Service::SetToken(std::string token) {
  const std::lock_guard<std::mutex> lock(mutex_);
  token_ = std::move(token);
}

std::string Service::token() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return token_;
}

// Returns whether the request has the token, or the service needs none.
bool Service::HasToken(const Request& request) const {
  const std::string expected = token();
  if (expected.empty()) return true;
  const std::string given = request.authorization.value_or("");
  constexpr absl::string_view kScheme = "Bearer ";
  return absl::StartsWithIgnoreCase(given, kScheme) &&
         SameSecret(absl::string_view(given).substr(kScheme.size()), expected);
}

absl::Status Service::CheckAccess(const Request& request,
                                  absl::string_view path) const {
  const std::string host = absl::AsciiStrToLower(request.host.value_or(""));
  const std::string name(NameOfHost(host));
  const auto is_ours = [&](const std::string& some) {
    return absl::c_linear_search(hosts_, some);
  };
  // HTTP/1.0 has no Host. Every browser sends it, so DNS rebinding does not
  // lead to such a request.
  const bool has_host = request.host.has_value() ||
                        request.origin.has_value() ||
                        request.fetch_site.has_value();
  if (has_host && name != "localhost" && !IsIpAddress(name) && !is_ours(name)) {
    return absl::PermissionDeniedError(
        absl::StrCat("the Host header \"", Visible(host),
                     "\" is not localhost, an IP address or a name given with "
                     "--allow-host"));
  }
  if (request.origin.has_value()) {
    const std::string origin = absl::AsciiStrToLower(*request.origin);
    absl::string_view site = origin;
    const bool is_web = absl::ConsumePrefix(&site, "http://") ||
                        absl::ConsumePrefix(&site, "https://");
    if (!is_web || (site != host && !is_ours(std::string(NameOfHost(site))))) {
      return absl::PermissionDeniedError(
          "Origin: requests from other origins are not allowed");
    }
  }
  // Other sites may link to pages, but only our own pages may use the API.
  const std::string site = request.fetch_site.value_or("none");
  const Route* const route = RouteAt(path);
  const bool is_api = route != nullptr || absl::StartsWith(path, kApiPrefix);
  if (is_api && site != "none" && site != "same-origin") {
    return absl::PermissionDeniedError(
        "Sec-Fetch-Site: only none and same-origin are allowed");
  }
  const bool is_open = pages_.contains(std::string(path)) || path == "/" ||
                       (route != nullptr && route->needs == Needs::kNothing);
  if (is_open || HasToken(request)) return absl::OkStatus();
  return absl::UnauthenticatedError(
      "Authorization: this service requires \"Bearer\" and its token");
}

// Lists requests that can be copied, for people who open the address of the
// service. Clients without the token receive the list of all questions, which
// reveals nothing about the models.
Response Service::FrontPage(const Request& request) const {
  const std::string address =
      absl::StrCat("http://", request.host.value_or("HOST:PORT"));
  const std::string token =
      this->token().empty() ? "" : " --header \"Authorization: Bearer $TOKEN\"";
  const std::shared_ptr<const Snapshot> now = snapshot();
  const ServedFiles* const files =
      now->is_ready && HasToken(request) ? &now->files : nullptr;
  std::string text =
      absl::StrCat("Firth ", FIRTH_VERSION,
                   " answers questions about its models:\n\n  curl ", address,
                   kApiPrefix, "/info", token, "\n\n");
  for (const Question& question : Questions()) {
    const std::optional<Json> body = ExampleOf(question, files);
    if (!body.has_value()) continue;
    absl::StrAppend(&text, question.summary, "\n  curl ", address, kApiPrefix,
                    "/", question.name, token, " --json '",
                    absl::StrReplaceAll(OneLine(*body), {{"'", "'\\''"}}),
                    "'\n");
  }
  absl::StrAppend(&text, "\ndescription of all requests (OpenAPI)\n  curl ",
                  address, kApiPrefix, "/openapi.json", token,
                  "\nstate\n  curl ", address, "/healthz\n  curl ", address,
                  "/readyz", token, "\n  curl ", address, "/metrics", token,
                  "\n");
  Response response;
  response.type = "text/plain; charset=utf-8";
  response.body = Share(std::move(text));
  AddSafeHeaders(&response);
  return response;
}

std::variant<Job, Response> Service::Admit(Request request) const {
  const std::string path(
      absl::string_view(request.target).substr(0, request.target.find('?')));
  const absl::Status access = CheckAccess(request, path);
  if (!access.ok()) return FromStatus(access);
  const auto page = pages_.find(path);
  if (page != pages_.end() || path == "/") {
    if (request.method == "GET" || request.method == "HEAD") {
      return page != pages_.end() ? page->second : FrontPage(request);
    }
    return WrongMethod(request.method, AllowedMethods("GET"));
  }
  const Route* const route = RouteAt(path);
  if (route == nullptr) {
    return ErrorResponse(404, "not_found",
                         absl::StrCat("there is no such path; ", kApiPrefix,
                                      "/openapi.json describes all paths"));
  }
  if (!Answers(*route, request.method)) {
    return WrongMethod(request.method, AllowedMethods(route->method));
  }
  if ((route->question != nullptr || route->post) &&
      !IsJson(request.content_type)) {
    return WrongType(request);
  }
  std::shared_ptr<const Snapshot> now = snapshot();
  if (route->needs == Needs::kModels && !now->is_ready) {
    Response response =
        ErrorResponse(503, "unavailable", "the models are being loaded");
    response.headers.emplace_back("Retry-After", "1");
    return response;
  }
  return Job{route, std::move(request), std::move(now)};
}

absl::StatusOr<Response> Service::Reload() const {
  if (token().empty()) {
    return absl::PermissionDeniedError(
        "reloading over HTTP requires a service that was started with --token; "
        "the signal SIGHUP reloads any service");
  }
  if (reload_) return reload_();
  return absl::FailedPreconditionError("this service reads no files");
}

absl::StatusOr<Response> Service::Answer(const Job& job) const {
  const Snapshot& snapshot = *job.snapshot;
  const bool is_get = job.route->method == "GET";
  // Probes may carry parameters that only prevent caching.
  const bool is_probe = is_get && !job.route->usual_path.empty();
  FIRTH_ASSIGN_OR_RETURN(const QueryParameters query,
                         ParseQuery(is_probe ? "" : job.request.target));
  if (is_get) return job.route->answer(snapshot.files, query);
  if (!query.empty()) {
    return ErrorAt(query[0].first,
                   "this request has no parameters; the fields of a question "
                   "are in the body");
  }
  if (job.route->reloads) {
    FIRTH_RETURN_IF_ERROR(CheckNoFields(job.request.body));
    return Reload();
  }
  if (job.route->post) {
    return job.route->post(snapshot.files, job.request.body);
  }
  const Question& question = *job.route->question;
  const std::string& body = job.request.body;
  const bool may_keep = IsSlow(job) && body.size() <= kMostKeptRequest;
  const std::string key =
      may_keep ? absl::StrCat(question.name, " ", body) : "";
  if (may_keep) {
    const std::lock_guard<std::mutex> lock(snapshot.mutex);
    const auto kept = snapshot.kept.find(key);
    if (kept != snapshot.kept.end()) return kept->second;
  }
  FIRTH_ASSIGN_OR_RETURN(std::string answers,
                         AskJson(question, snapshot.files.models, body,
                                 {.files = &snapshot.files.files}));
  Response response = JsonResponse(std::move(answers));
  if (may_keep && response.body->size() <= kMostKeptAnswer) {
    const std::lock_guard<std::mutex> lock(snapshot.mutex);
    if (snapshot.kept.size() < kMostKept) snapshot.kept.emplace(key, response);
  }
  return response;
}

Response Service::Work(const Job& job) const {
  try {
    absl::StatusOr<Response> response = Answer(job);
    if (!response.ok()) return FromStatus(response.status());
    AddSafeHeaders(&*response);
    return *std::move(response);
  } catch (const std::bad_alloc&) {
    return ErrorResponse(503, "unavailable",
                         "not enough memory for this request");
  } catch (const std::exception& error) {
    // A bug in one route, or a missing library, must not end the service.
    PrintMessage(absl::StrCat(job.request.target, ": ", error.what()));
    return ErrorResponse(500, "internal",
                         "the request failed because of an internal error");
  }
}

}  // namespace firth::tools
