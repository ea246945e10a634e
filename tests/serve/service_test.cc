// Who may ask, and what becomes of requests that are wrong.

#include "tools/serve/service.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "serve/served_example.h"

namespace firth::tools {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

constexpr char kHealth[] = "/api/v1/health";
constexpr char kToken[] = "0123456789abcdef";

int StatusOf(const Service& service, const Request& request) {
  return ResponseOf(service, request).status;
}

TEST(ServiceAccessTest, HostMustBeThisMachineOrAName) {
  struct Case {
    std::optional<std::string> host;
    int status;
  };
  const Service service({}, {.hosts = {"words.example.org"}, .token = ""});
  for (const Case& c : {Case{"localhost", 200},
                        Case{"localhost:8080", 200},
                        Case{"LocalHost:1", 200},
                        Case{"127.0.0.1:8080", 200},
                        Case{"[::1]:8080", 200},
                        Case{"[::1]", 200},
                        Case{"192.168.1.2", 200},
                        Case{"words.example.org", 200},
                        Case{"Words.Example.org:443", 200},
                        Case{"evil.example.org", 403},
                        Case{"localhost.example.org", 403},
                        Case{"", 403},
                        Case{std::nullopt, 200},
                        Case{"127.0.0.1.nip.io", 403},
                        Case{"::1", 403},
                        Case{"localhost\r", 403},
                        Case{"localhost:80 evil.example.org", 403},
                        Case{"localhost:", 200},
                        Case{"localhost:x", 403},
                        Case{"[::1]evil.example.org", 403},
                        Case{"[::1", 403},
                        Case{"[::1]:8080x", 403},
                        Case{"[localhost]x", 403}}) {
    Request request = GetRequest(kHealth);
    request.host = c.host;
    EXPECT_EQ(StatusOf(service, request), c.status)
        << c.host.value_or("(none)");
  }
}

// HTTP/1.0 has no Host, but what a browser sends has.
TEST(ServiceAccessTest, OnlyProgramsMayOmitTheHost) {
  const Service service({}, {});
  Request request = GetRequest("/");
  request.host.reset();
  const Response page = ResponseOf(service, request);
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(*page.body, HasSubstr("curl http://HOST:PORT/api/v1/info"));
  request.fetch_site = "none";
  EXPECT_EQ(StatusOf(service, request), 403);
  request.fetch_site.reset();
  request.origin = "http://localhost";
  EXPECT_EQ(StatusOf(service, request), 403);
}

TEST(ServiceAccessTest, OriginMustBeTheService) {
  struct Case {
    std::string origin;
    int status;
  };
  const Service service({}, {.hosts = {"words.example.org"}, .token = ""});
  for (const Case& c :
       {Case{"http://localhost:8080", 200}, Case{"https://localhost:8080", 200},
        Case{"https://words.example.org", 200}, Case{"http://localhost", 403},
        Case{"http://localhost:3000", 403},
        Case{"https://evil.example.org", 403}, Case{"null", 403},
        Case{"file://localhost:8080", 403}, Case{"", 403}}) {
    Request request = GetRequest(kHealth);
    request.origin = c.origin;
    EXPECT_EQ(StatusOf(service, request), c.status) << c.origin;
  }
}

TEST(ServiceAccessTest, OtherSitesMayLinkToPagesButNotAsk) {
  struct Case {
    std::string site;
    int status;
  };
  Response page;
  page.body = Share("page");
  const Service service({}, {}, {{"/", page}});
  for (const Case& c :
       {Case{"none", 200}, Case{"same-origin", 200}, Case{"same-site", 403},
        Case{"cross-site", 403}, Case{"", 403}}) {
    Request request = GetRequest(kHealth);
    request.fetch_site = c.site;
    EXPECT_EQ(StatusOf(service, request), c.status) << c.site;
    request.target = "/";
    EXPECT_EQ(StatusOf(service, request), 200) << c.site;
  }
}

TEST(ServiceAccessTest, TheTokenIsWantedForAllButHealthAndPages) {
  Response page;
  page.body = Share("page");
  const Service service({}, {.hosts = {}, .token = kToken}, {{"/", page}});
  EXPECT_EQ(StatusOf(service, GetRequest(kHealth)), 200);
  EXPECT_EQ(StatusOf(service, GetRequest("/")), 200);
  Request request = GetRequest("/api/v1/info");
  const Response refused = ResponseOf(service, request);
  EXPECT_EQ(refused.status, 401);
  EXPECT_THAT(refused.headers, Contains(Pair("WWW-Authenticate", "Bearer")));
  for (const std::string& wrong :
       {std::string("Bearer"), std::string("Bearer "), std::string(kToken),
        absl::StrCat("Bearer ", kToken, "0"), std::string("Bearer 0"),
        absl::StrCat("Basic ", kToken),
        std::string("Bearer 0123456789abcdeF")}) {
    request.authorization = wrong;
    EXPECT_EQ(StatusOf(service, request), 401) << wrong;
  }
  for (const char* scheme : {"Bearer ", "bearer "}) {
    request.authorization = absl::StrCat(scheme, kToken);
    EXPECT_EQ(StatusOf(service, request), 200) << scheme;
  }
}

TEST(ServiceAccessTest, PathsOfOperatorsFollowTheSameRules) {
  const Service service({}, {.hosts = {}, .token = kToken});
  EXPECT_EQ(StatusOf(service, GetRequest("/healthz")), 200);
  for (const char* const target : {"/readyz", "/metrics"}) {
    Request request = GetRequest(target);
    EXPECT_EQ(StatusOf(service, request), 401) << target;
    request.authorization = absl::StrCat("Bearer ", kToken);
    EXPECT_EQ(StatusOf(service, request), 200) << target;
    request.fetch_site = "cross-site";
    EXPECT_EQ(StatusOf(service, request), 403) << target;
  }
}

// Curl lines that can be copied, without a word about the models.
TEST(ServiceAccessTest, TheFrontPageShowsHowToAsk) {
  ServedFiles files;
  AddModel(ServedFolder().File("old.vec"), &files.models);
  const Service open(std::move(files), {});
  const std::string text = *ResponseOf(open, GetRequest("/")).body;
  EXPECT_THAT(text, HasSubstr("curl http://localhost:8080/api/v1/neighbors "
                              "--json '{\"requests\":[{\"positive\":["));
  EXPECT_THAT(text, Not(HasSubstr("Authorization")));
  EXPECT_THAT(text, Not(HasSubstr("castle")));
  const Service closed({}, {.hosts = {}, .token = kToken});
  const Response page = ResponseOf(closed, GetRequest("/"));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(*page.body, HasSubstr("Authorization: Bearer $TOKEN"));
  EXPECT_EQ(StatusOf(closed, PostRequest("/", "{}")), 405);
}

TEST(ServiceAccessTest, TheFrontPageListsWhatTheModelsCanAnswer) {
  ServedFiles files;
  AddModel(ServedFolder().File("old.vec"), &files.models);
  const auto page = [](const Service& service, const char* authorization = "") {
    Request request = GetRequest("/");
    request.authorization = authorization;
    return *ResponseOf(service, request).body;
  };
  const std::string one = page(Service(files, {}));
  EXPECT_THAT(one, HasSubstr("/neighbors --json '{\"requests\":"));
  EXPECT_THAT(one, Not(HasSubstr("/classify ")));
  EXPECT_THAT(one, Not(HasSubstr("/compare ")));
  AddModel(ServedFolder().File("new.vec"), &files.models);
  const std::string two = page(Service(files, {}));
  EXPECT_THAT(two, HasSubstr("/neighbors --json '{\"model\":\"old\",\"req"));
  EXPECT_THAT(two, HasSubstr("/compare --json '{\"first\":\"old\",\"second\":"
                             "\"new\",\"requests\":"));
  // The list reveals nothing to clients without the token.
  const Service closed(files, {.hosts = {}, .token = kToken});
  EXPECT_THAT(page(closed), Not(HasSubstr("\"old\"")));
  EXPECT_THAT(page(closed), HasSubstr("/classify "));
  EXPECT_THAT(page(closed, "Bearer 0123456789abcdef"),
              HasSubstr("\"model\":\"old\""));
}

TEST(ServiceAccessTest, TheTokenCanBeReplaced) {
  Service service({}, {.hosts = {}, .token = kToken});
  service.SetToken("another-token-of-it");
  Request request = GetRequest("/api/v1/info");
  request.authorization = absl::StrCat("Bearer ", kToken);
  EXPECT_EQ(StatusOf(service, request), 401);
  request.authorization = "Bearer another-token-of-it";
  EXPECT_EQ(StatusOf(service, request), 200);
}

TEST(ServiceReadyTest, AnswersOnlyHealthUntilThereAreModels) {
  Service service({}, {}, Service::NotReady());
  EXPECT_EQ(StatusOf(service, GetRequest("/healthz")), 200);
  EXPECT_EQ(StatusOf(service, GetRequest("/metrics")), 200);
  for (const Request& request :
       {GetRequest("/readyz"), GetRequest("/api/v1/info"),
        PostRequest("/api/v1/words", R"({"requests":[{"prefix":"k"}]})")}) {
    const Response response = ResponseOf(service, request);
    EXPECT_EQ(response.status, 503) << request.target;
    EXPECT_THAT(*response.body, HasSubstr("the models are being loaded"));
    EXPECT_THAT(response.headers, Contains(Pair("Retry-After", "1")));
  }
  service.Replace(OpenServedExample());
  EXPECT_EQ(StatusOf(service, GetRequest("/readyz")), 200);
  EXPECT_EQ(StatusOf(service, GetRequest("/api/v1/info")), 200);
}

// The job of a request that arrived before uses the files of that time.
TEST(ServiceReadyTest, ReplacedFilesAnswerWhatArrivedBefore) {
  Service service(OpenServedExample(), {});
  const Request request = PostRequest(
      "/api/v1/words", R"({"model":"old","requests":[{"prefix":"king"}]})");
  const std::variant<Job, Response> before = service.Admit(request);
  const std::shared_ptr<Metrics> metrics = service.snapshot()->files.metrics;
  ServedFiles files;
  AddModel(ServedFolder().File("new.vec"), &files.models);
  service.Replace(std::move(files));
  EXPECT_EQ(service.Work(std::get<Job>(before)).status, 200);
  EXPECT_EQ(ResponseOf(service, request).status, 404);
  EXPECT_EQ(service.snapshot()->files.metrics, metrics);
}

TEST(ServiceReadyTest, ReloadingOverHttpRequiresAToken) {
  int reloads = 0;
  const auto reload = [&] {
    ++reloads;
    return JsonResponse("{}");
  };
  Request request = GetRequest("/admin/reload");
  request.method = "POST";
  Service open({}, {});
  open.OnReload(reload);
  const Response refused = ResponseOf(open, request);
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(*refused.body, HasSubstr("--token"));
  Service service({}, {.hosts = {}, .token = kToken});
  service.OnReload(reload);
  EXPECT_EQ(StatusOf(service, request), 401);
  request.authorization = absl::StrCat("Bearer ", kToken);
  EXPECT_EQ(reloads, 0);
  EXPECT_EQ(StatusOf(service, request), 200);
  EXPECT_EQ(reloads, 1);
  for (const char* const body : {"{}", " \n"}) {
    request.body = body;
    EXPECT_EQ(StatusOf(service, request), 200) << body;
  }
  EXPECT_EQ(reloads, 3);
  request.body = R"({"model":"old"})";
  const Response odd = ResponseOf(service, request);
  EXPECT_EQ(odd.status, 400);
  EXPECT_THAT(*odd.body, HasSubstr("model: there is no such field"));
  request.body = "now";
  EXPECT_EQ(StatusOf(service, request), 400);
  request.method = "GET";
  EXPECT_EQ(StatusOf(service, request), 405);
  EXPECT_EQ(reloads, 3);
}

TEST(ServiceQueryTest, ProbesIgnoreTheirParameters) {
  const Service service(OpenServedExample(), {});
  for (const char* const path : {"/healthz", "/readyz", "/metrics", kHealth}) {
    for (const char* const query : {"?x=1", "?x=%zz", "?x=1&x=2"}) {
      EXPECT_EQ(StatusOf(service, GetRequest(absl::StrCat(path, query))), 200);
    }
  }
  EXPECT_EQ(StatusOf(service, GetRequest("/api/v1/info?x=1")), 400);
}

TEST(ServiceAccessTest, EveryResponseSaysWhatABrowserMayDoWithIt) {
  const Service service({}, {});
  for (const char* const target : {kHealth, "/none", "/api/v1/log?after=x"}) {
    const Response response = ResponseOf(service, GetRequest(target));
    EXPECT_THAT(response.headers,
                Contains(Pair("X-Content-Type-Options", "nosniff")));
    EXPECT_THAT(response.headers,
                Contains(Pair("Content-Security-Policy",
                              HasSubstr("default-src 'none'"))));
  }
}

TEST(ServiceMethodsTest, AreThoseOfTheRoute) {
  struct Case {
    const char* method;
    const char* target;
    int status;
    const char* allow;
  };
  const Service service({}, {});
  for (const Case& c :
       {Case{"HEAD", kHealth, 200, ""},
        Case{"POST", kHealth, 405, "GET, HEAD, OPTIONS"},
        Case{"DELETE", kHealth, 405, "GET, HEAD, OPTIONS"},
        Case{"OPTIONS", kHealth, 204, "GET, HEAD, OPTIONS"},
        Case{"GET", "/api/v1/neighbors", 405, "POST, OPTIONS"},
        Case{"OPTIONS", "/api/v1/neighbors", 204, "POST, OPTIONS"},
        Case{"GET", "/api/v1", 404, ""}, Case{"GET", "/none", 404, ""},
        Case{"GET", "/api/v1/health/", 404, ""},
        Case{"GET", "/api/v1//health", 404, ""},
        Case{"GET", "/api/v1/../v1/health", 404, ""},
        Case{"GET", "/api/v1/%68ealth", 404, ""},
        Case{"GET", "http://localhost/api/v1/health", 404, ""},
        Case{"GET", "*", 404, ""}, Case{"GET", "", 404, ""}}) {
    Request request = GetRequest(c.target);
    request.method = c.method;
    const Response response = ResponseOf(service, request);
    EXPECT_EQ(response.status, c.status) << c.method << " " << c.target;
    if (*c.allow == '\0') continue;
    EXPECT_THAT(response.headers, Contains(Pair("Allow", c.allow)));
  }
}

TEST(ServiceBodyTest, MustBeJsonOfTheQuestionsShape) {
  struct Case {
    const char* name;
    std::string body;
    const char* message;
  };
  const std::string deep(100000, '[');
  std::string names;  // 90,000 names and a comma after each.
  for (int i = 0; i < 90000; ++i) absl::StrAppend(&names, "\"n", i, "\":0,");
  const auto requests = [](const std::string& fields) {
    return absl::StrCat(R"({"model":"old","requests":[{)", fields, "}]}");
  };
  const Service service(OpenServedExample(), {});
  for (const Case& c :
       {Case{"nothing", "",
             "expected JSON in UTF-8, found the end after 0 bytes"},
        Case{"half", "{\"requests\":[", "found the end after 13 bytes"},
        Case{"not UTF-8", "{\"a\":\"\xff\"}", "found an error at byte 7"},
        Case{"half a surrogate", R"({"a":"\ud800"})", "at byte 13"},
        Case{"NaN", "{\"k\":NaN}", "at byte 6"},
        Case{"more than one", "{} {}", "at byte 4"},
        Case{"too large a number", "{\"k\":1e999}", "at byte 10"},
        Case{"deep", deep, "found the end after 100000 bytes"},
        Case{"deep lists", requests("\"positive\":[[[[[[[1]]]]]]]"),
             "at most 8 levels"},
        Case{"deep objects",
             requests(R"("a":{"a":{"a":{"a":{"a":{"a":{"a":1}}}}}})"),
             "at most 8 levels"},
        Case{"too many names", absl::StrCat("{", names, "\"requests\":[]}"),
             "an object must have at most 64 names"},
        Case{"too many names in a request", requests(names + "\"top\":1"),
             "an object must have at most 64 names"},
        Case{"a field twice", requests(R"("top":1,"top":2)"),
             "top: this name is given twice"},
        Case{"a list", "[]",
             "the body: expected an object with \"requests\" or "
             "\"queries\""},
        Case{"null", "null", "the body: expected an object"},
        Case{"no requests", "{\"model\":\"old\"}",
             "requests: expected a list of 1 to 256 requests, found nothing"},
        Case{"empty requests", R"({"model":"old","requests":[]})",
             "requests: expected a list of 1 to 256 requests, found 0"},
        Case{"requests that are none", R"({"model":"old","requests":1})",
             "requests: expected a list of 1 to 256 requests, found another"},
        Case{"a request that is none", R"({"model":"old","requests":[1]})",
             "requests[0]: expected an object"},
        Case{"an unknown name", R"({"model":"old","request":[]})",
             "request: there is no such field; the fields are model, requests"},
        Case{"an unknown field", requests(R"("word":"king")"),
             "requests[0]: fields: there is no field \"word\"; the fields are "
             "positive, negative, top"},
        Case{"a text for a list", requests(R"("positive":"king")"),
             "requests[0].positive: expected a list of words, or of vectors"},
        Case{"a huge number", requests(R"("top":99999999999999999999)"),
             "requests[0].top: expected a whole number, 1 to 1000000, found"},
        Case{"a number beyond floats", requests(R"("positive":[[1e300,2]])"),
             "requests[0].positive: expected a list of words, or of vectors"},
        Case{"a path", R"({"model":"/etc/passwd","requests":[{}]})",
             "model: no model \"/etc/passwd\" is open"},
        Case{"a long word",
             requests("\"positive\":[\"" + std::string(65537, 'x') + "\"]"),
             "requests[0].positive: expected at most 65536 bytes, found "
             "65537"}}) {
    const Response response =
        ResponseOf(service, PostRequest("/api/v1/neighbors", c.body));
    EXPECT_THAT(response.status, testing::AnyOf(400, 404)) << c.name;
    EXPECT_THAT(BodyOf(response)["error"]["message"], HasSubstr(c.message))
        << c.name;
  }
}

TEST(ServiceBodyTest, MustBeCalledJson) {
  const Service service(OpenServedExample(), {});
  Request request =
      PostRequest("/api/v1/neighbors",
                  R"({"model":"old","requests":[{"positive":["king"]}]})");
  EXPECT_EQ(StatusOf(service, request), 200);
  request.content_type = "Application/JSON; charset=utf-8";
  EXPECT_EQ(StatusOf(service, request), 200);
  for (const char* const type :
       {"", "text/plain", "application/jsonx", "multipart/form-data"}) {
    request.content_type = type;
    EXPECT_EQ(StatusOf(service, request), 415) << type;
  }
  request.content_type.reset();
  EXPECT_EQ(StatusOf(service, request), 415);
  // This is the type that "curl --data" sends.
  request.content_type = "application/x-www-form-urlencoded";
  EXPECT_THAT(*ResponseOf(service, request).body, HasSubstr("use --json"));
}

TEST(ServiceQueryTest, IsPercentEncodedUtf8) {
  struct Case {
    const char* query;
    int status;
    const char* message;
  };
  const Service service(OpenServedExample(), {});
  for (const Case& c :
       {Case{"model=%6f%6cd", 200, ""}, Case{"&model=old&&limit=1", 200, ""},
        Case{"model=k%C3%B6", 404, "no model"},
        Case{"model=a+b", 404, "no model \\\"a b\\\""},
        Case{"model=old&x0=%", 400, "expected two hexadecimal digits after %"},
        Case{"model=old&x0=%4", 400, "expected two hexadecimal digits after %"},
        Case{"model=%zz", 400, "expected two hexadecimal digits after %"},
        Case{"model=%00", 400, "not valid UTF-8 without NUL"},
        Case{"model=%ff", 400, "not valid UTF-8 without NUL"},
        Case{"model=old&model=new", 400,
             "model: this parameter is given more than once"},
        Case{"model=old&limit=1.5", 400, "limit: expected a whole number"},
        Case{"model=old&limit=-1", 400, "1 to 10000, found"},
        Case{"model=old&limit=99999999999999999999", 400, "limit: expected"},
        Case{"model=old&limit=", 400, "limit: expected a whole number"},
        Case{"model=old&x", 400, "x: there is no such parameter"}}) {
    const Response response = ResponseOf(
        service, GetRequest(absl::StrCat("/api/v1/map/tile?", c.query)));
    EXPECT_EQ(response.status, c.status) << c.query << *response.body;
    EXPECT_THAT(*response.body, HasSubstr(c.message)) << c.query;
  }
}

}  // namespace
}  // namespace firth::tools
