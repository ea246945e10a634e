// The service at a socket: what clients send, whole, in pieces, too much, too
// slowly or not at all.

#include "tools/serve/http_server.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "serve/http_client.h"
#include "serve/served_example.h"
#include "support/run_program.h"
#include "support/threads.h"
#include "tools/serve/network.h"

namespace firth::tools {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr char kHealth[] = "/api/v1/health";
constexpr char kNeighbors[] = "/api/v1/neighbors";
constexpr char kBody[] =
    R"({"model":"old","requests":[{"positive":["king"]}]})";

// Returns whether libmicrohttpd refuses by itself what is ambiguous.
bool LibraryIsStrict() { return *(*LoadMicrohttpd())->get_version() != '0'; }

// A server of a service, with small limits.
class RunningServer {
 public:
  explicit RunningServer(HttpOptions options = {},
                         ServedFiles files = OpenServedExample())
      : service_(std::move(files), {}) {
    options.port = 0;
    auto server = HttpServer::Start(
        service_, options,
        {[this](const Served& served) {
           const std::lock_guard<std::mutex> lock(mutex_);
           served_.push_back(served);
         },
         [this](size_t connections) { connections_ = connections; },
         [this] { ++replaced_; }});
    EXPECT_TRUE(server.ok()) << server.status();
    if (server.ok()) server_ = *std::move(server);
    port_ = server_->port();
  }

  int port() const { return port_; }
  size_t connections() const { return connections_; }
  int replaced() const { return replaced_; }
  std::vector<Served> served() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return served_;
  }
  void Stop() { server_.reset(); }

 private:
  const Service service_;
  std::mutex mutex_;
  std::vector<Served> served_;
  std::atomic<size_t> connections_ = 0;
  std::atomic<int> replaced_ = 0;
  std::unique_ptr<HttpServer> server_;
  int port_ = 0;
};

TEST(HttpServerTest, AnswersOneRequestAfterAnother) {
  RunningServer server;
  HttpClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.Write(HttpGet(kHealth)));
    const std::string response = client.Read();
    EXPECT_THAT(response, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(response, HasSubstr("\r\n\r\n{\"status\":\"ok\"}\n"));
    ASSERT_TRUE(client.Write(HttpPost(kNeighbors, kBody)));
    EXPECT_THAT(client.Read(),
                HasSubstr("{\"word\":\"queen\",\"id\":1,\"score\":0.8,"));
  }
}

TEST(HttpServerTest, SaysThatNoThreadCanBeStarted) {
  const Service service(OpenServedExample(), {});
  const ScopedNoThreads none;
  const auto server = HttpServer::Start(service, {}, {});
  EXPECT_EQ(server.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(server.status().message(), HasSubstr("cannot start a thread"));
}

TEST(HttpServerTest, AnswersRequestsThatCameTogetherInTheirOrder) {
  RunningServer server;
  HttpClient client(server.port());
  ASSERT_TRUE(client.Write(HttpPost(kNeighbors, kBody) + HttpGet(kHealth) +
                           HttpGet("/none")));
  EXPECT_THAT(client.Read(),
              HasSubstr("{\"word\":\"queen\",\"id\":1,\"score\":0.8,"));
  EXPECT_THAT(client.Read(), HasSubstr("{\"status\":\"ok\"}"));
  EXPECT_THAT(client.Read(), StartsWith("HTTP/1.1 404 "));
}

TEST(HttpServerTest, TakesARequestByteByByte) {
  RunningServer server;
  HttpClient client(server.port());
  for (const char byte : HttpPost(kNeighbors, kBody)) {
    ASSERT_TRUE(client.Write({&byte, 1}));
  }
  EXPECT_THAT(client.Read(),
              HasSubstr("{\"word\":\"queen\",\"id\":1,\"score\":0.8,"));
}

TEST(HttpServerTest, TakesABodyInChunksAndOneThatWaitsForLeave) {
  RunningServer server;
  HttpClient client(server.port());
  ASSERT_TRUE(client.Write(absl::StrCat(
      "POST ", kNeighbors,
      " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n",
      "1\r\n{\r\n", absl::Hex(sizeof(kBody) - 2), "\r\n", kBody + 1,
      "\r\n0\r\n\r\n")));
  EXPECT_THAT(client.Read(),
              HasSubstr("{\"word\":\"queen\",\"id\":1,\"score\":0.8,"));
  const std::string request =
      HttpPost(kNeighbors, kBody, "Expect: 100-continue\r\n");
  const size_t head = request.size() + 1 - sizeof(kBody);
  ASSERT_TRUE(client.Write(request.substr(0, head)));
  EXPECT_THAT(client.Read(), StartsWith("HTTP/1.1 100 "));
  ASSERT_TRUE(client.Write(request.substr(head)));
  EXPECT_THAT(client.Read(),
              HasSubstr("{\"word\":\"queen\",\"id\":1,\"score\":0.8,"));
}

TEST(HttpServerTest, HeadHasNoBody) {
  RunningServer server;
  HttpClient client(server.port());
  ASSERT_TRUE(client.Write(absl::StrCat(
      "HEAD ", kHealth,
      " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")));
  const std::string response = client.ReadToTheEnd();
  EXPECT_THAT(response, HasSubstr("Content-Length: 16\r\n"));
  EXPECT_THAT(response, testing::EndsWith("\r\n\r\n"));
}

TEST(HttpServerTest, RefusesBodiesThatAreTooLong) {
  RunningServer server({.most_body_bytes = 1000});
  const std::string fits = absl::StrCat(kBody, std::string(900, ' '));
  const std::string longer = absl::StrCat(kBody, std::string(1000, ' '));
  const std::string chunk =
      absl::StrCat(absl::Hex(longer.size()), "\r\n", longer, "\r\n0\r\n\r\n");
  const std::string chunked = absl::StrCat(
      "POST ", kNeighbors,
      " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n",
      chunk);
  HttpClient client(server.port());
  ASSERT_TRUE(client.Write(HttpPost(kNeighbors, fits)));
  EXPECT_THAT(client.Read(), StartsWith("HTTP/1.1 200 "));
  ASSERT_TRUE(client.Write(HttpPost(kNeighbors, longer)));
  EXPECT_THAT(client.Read(),
              HasSubstr("the body must have at most 1000 bytes"));
  ASSERT_TRUE(client.Write(chunked));
  EXPECT_THAT(client.Read(), StartsWith("HTTP/1.1 413 "));
  ASSERT_TRUE(client.Write(HttpPost(kNeighbors, fits)));
  EXPECT_THAT(client.Read(), StartsWith("HTTP/1.1 200 "));
}

// What says that it is huge is not read at all, and what is huge without saying
// so not to its end.
TEST(HttpServerTest, DoesNotReadHugeBodies) {
  RunningServer server({.most_body_bytes = 1000});
  HttpClient client(server.port());
  ASSERT_TRUE(client.Write(absl::StrCat(
      "POST ", kNeighbors,
      " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n")));
  EXPECT_THAT(client.Read(), StartsWith("HTTP/1.1 413 "));
  HttpClient endless(server.port());
  ASSERT_TRUE(endless.Write(absl::StrCat(
      "POST ", kNeighbors,
      " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")));
  const std::string chunk = "3e8\r\n" + std::string(1000, ' ') + "\r\n";
  EXPECT_TRUE(Eventually([&] { return !endless.Write(chunk); }));
}

TEST(HttpServerTest, WhatIsNoHttpIsRefused) {
  RunningServer server;
  for (const std::string& request :
       {std::string("\r\n\r\n\r\n\r\nnonsense\r\n\r\n"),
        std::string("GET\r\n\r\n"), std::string(100000, 'x'),
        "GET " + std::string(100000, '/') + " HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(100000, 'x') +
            "\r\n\r\n",
        "POST " + std::string(kNeighbors) +
            " HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        "POST " + std::string(kNeighbors) +
            " HTTP/1.1\r\nHost: localhost\r\n"
            "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST " + std::string(kNeighbors) +
            " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
            "\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
            "2a\r\n" +
            kBody + "\r\n0\r\n\r\n",
        std::string("GET / HTTP/1.1\r\n\r\n")}) {
    HttpClient client(server.port());
    client.Write(request);
    const std::string response = client.Read();
    EXPECT_THAT(response, Not(HasSubstr(" 200 "))) << request.substr(0, 50);
  }
  HttpClient client(server.port());
  ASSERT_TRUE(client.Write(HttpGet(kHealth)));
  EXPECT_THAT(client.Read(), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServerTest, TargetsThatAreTooLongAreRefused) {
  const auto parameters = [](int count) {
    std::string query = "?model=old&limit=1";
    for (int i = 2; i < count; ++i) absl::StrAppend(&query, "&p", i, "=1");
    return "/api/v1/map/tile" + query;
  };
  const auto path = [](size_t length) {
    return "/" + std::string(length - 1, 'x');
  };
  RunningServer server;
  for (const auto& [target, status] : {std::pair(parameters(2), 200),
                                       {parameters(100), 400},
                                       {parameters(101), 414},
                                       {parameters(500), 414},
                                       {parameters(2000), 414},
                                       {path(8192), 404},
                                       {path(8193), 414},
                                       {path(32'500), 414},
                                       {path(32'700), 414},
                                       {path(32'768), 414},
                                       {path(100'000), 414}}) {
    HttpClient client(server.port());
    ASSERT_TRUE(client.Write(HttpGet(kHealth)));
    EXPECT_THAT(client.Read(), StartsWith("HTTP/1.1 200 "));
    client.Write(HttpGet(target));
    EXPECT_THAT(client.Read(), StartsWith(absl::StrCat("HTTP/1.1 ", status)))
        << target.size();
  }
  EXPECT_TRUE(Eventually([&] { return server.connections() == 0; }));
  size_t refused = 0;
  for (const Served& served : server.served()) refused += served.status == 414;
  EXPECT_GE(refused, 5u);
}

TEST(HttpServerTest, HeadersThatOthersMayReadInAnotherWayAreRefused) {
  struct Case {
    const char* more;  // header lines after Host
    int status;
    const char* message;
  };
  const std::string post = absl::StrCat(
      "POST ", kNeighbors,
      " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n");
  const std::string chunks = absl::StrCat("\r\n", absl::Hex(sizeof(kBody) - 1),
                                          "\r\n", kBody, "\r\n0\r\n\r\n");
  RunningServer server;
  for (const Case& c :
       {Case{"Transfer-Encoding: chunked\r\n", 200, "\"neighbors\""},
        Case{"transfer-encoding: CHUNKED\r\n", 200, "\"neighbors\""},
        Case{"Host: localhost\r\nTransfer-Encoding: chunked\r\n", 400,
             "Host: this header must occur once, found it 2 times"},
        Case{"HOST: evil.example.org\r\nTransfer-Encoding: chunked\r\n", 400,
             "Host: this header must occur once"},
        Case{"Content-Length: 3\r\nContent-Length: 5\r\n", 400,
             "Content-Length: this header must occur once"},
        Case{"Content-Length: 5\r\nContent-Length: 5\r\n", 400,
             "Content-Length: this header must occur once"},
        Case{"Content-Length : 5\r\n", 400, "contains white space"},
        Case{"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400,
             "a request must not have both Content-Length and "
             "Transfer-Encoding"},
        Case{"Origin: http://a\r\nOrigin: http://b\r\n", 400, "Origin: "},
        Case{"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
             400, "Transfer-Encoding: this header must occur once"},
        Case{"Transfer-Encoding: gzip\r\n", 501, "only chunked"},
        Case{"Transfer-Encoding: gzip, chunked\r\n", 501, "only chunked"},
        Case{"Transfer-Encoding: identity\r\n", 501, "only chunked"}}) {
    HttpClient client(server.port());
    ASSERT_TRUE(client.Write(post + c.more + chunks));
    const std::string response = client.Read();
    if (c.status != 200 && LibraryIsStrict()) {
      // The library may refuse it before the service sees it.
      EXPECT_THAT(response,
                  AnyOf(StartsWith("HTTP/1.1 4"), StartsWith("HTTP/1.1 501")))
          << c.more;
    } else {
      EXPECT_THAT(response, StartsWith(absl::StrCat("HTTP/1.1 ", c.status)))
          << c.more;
      EXPECT_THAT(response, HasSubstr(c.message)) << c.more;
    }
    if (c.status != 200) {
      EXPECT_EQ(client.ReadToTheEnd(), "") << c.more;
    }
  }
}

// What libmicrohttpd 0.9.75 does not show, and later versions refuse: what
// follows a NUL in a line, and the length of a chunk that has not arrived. Such
// a chunk is waited for as long as any request.
TEST(HttpServerTest, TheLibraryCutsLinesAtNulAndWaitsForHugeChunks) {
  RunningServer server({.timeout = 1});
  HttpClient host(server.port());
  const std::string evil("localhost\0.evil.example.org", 27);
  ASSERT_TRUE(host.Write(
      absl::StrCat("GET ", kHealth, " HTTP/1.1\r\nHost: ", evil, "\r\n\r\n")));
  EXPECT_THAT(host.Read(), StartsWith(LibraryIsStrict() ? "HTTP/1.1 400 "
                                                        : "HTTP/1.1 200 "));
  HttpClient path(server.port());
  ASSERT_TRUE(path.Write(HttpGet(kHealth + std::string("\0x", 2))));
  const std::string answer = path.Read();
  if (LibraryIsStrict()) {
    EXPECT_EQ(answer, "");  // it waits for the rest of the line
  } else {
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
  }
  for (const char* length : {"ffffffffffffffff", "7fffffffffffffff"}) {
    HttpClient chunk(server.port());
    ASSERT_TRUE(chunk.Write(absl::StrCat(
        "POST ", kNeighbors,
        " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
        length, "\r\nabc\r\n0\r\n\r\n")));
    EXPECT_EQ(chunk.ReadToTheEnd(), "");
  }
  for (const char* length : {"fffffffffffffffff", "-1", "0x3", "zz"}) {
    HttpClient chunk(server.port());
    ASSERT_TRUE(chunk.Write(absl::StrCat(
        "POST ", kNeighbors,
        " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
        length, "\r\nabc\r\n0\r\n\r\n")));
    EXPECT_THAT(chunk.Read(), StartsWith("HTTP/1.1 4")) << length;
  }
}

// In quadratic time eight of these would keep all workers for an hour.
TEST(HttpServerTest, AnswersOthersWhileRequestsWithManyNamesAreRead) {
  std::string names = "{";
  for (int i = 0; i < 350'000; ++i) {
    absl::StrAppend(&names, i == 0 ? "" : ",", "\"n", i, "\":0");
  }
  names += "}";
  RunningServer server({.most_body_bytes = uint64_t{8} << 20});
  std::vector<std::thread> clients;
  std::atomic<int> refused = 0;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      const std::string request = HttpPost(kNeighbors, names);
      HttpClient client(server.port());
      for (size_t sent = 0; sent < request.size(); sent += 4096) {
        if (!client.Write(absl::string_view(request).substr(sent, 4096)))
          return;
      }
      const std::string response = client.Read();
      refused += response.find("an object must have at most 64 names") !=
                 std::string::npos;
    });
  }
  HttpClient client(server.port());
  while (refused < 8) {
    ASSERT_TRUE(client.Write(HttpPost(kNeighbors, kBody)));
    EXPECT_THAT(client.Read(),
                HasSubstr("{\"word\":\"queen\",\"id\":1,\"score\":0.8,"));
  }
  for (std::thread& thread : clients) thread.join();
}

TEST(HttpServerTest, AnswersTwoHundredConnectionsAtOnce) {
  RunningServer server;
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < 200; ++i) {
    clients.push_back(std::make_unique<HttpClient>(server.port()));
    ASSERT_TRUE(clients.back()->is_connected());
  }
  EXPECT_TRUE(Eventually([&] { return server.connections() == 200; }));
  for (const auto& client : clients) {
    ASSERT_TRUE(client->Write(HttpPost(kNeighbors, kBody)));
  }
  for (const auto& client : clients) {
    EXPECT_THAT(client->Read(),
                HasSubstr("{\"word\":\"queen\",\"id\":1,\"score\":0.8,"));
  }
  clients.clear();
  EXPECT_TRUE(Eventually([&] { return server.connections() == 0; }));
}

// Clients that send nothing, or a part of a request, hold all connections.
TEST(HttpServerTest, SlowClientsDoNotKeepOthersOut) {
  RunningServer server({.most_connections = 16});
  std::vector<std::unique_ptr<HttpClient>> slow;
  for (int i = 0; i < 40; ++i) {
    slow.push_back(std::make_unique<HttpClient>(server.port()));
    ASSERT_TRUE(slow.back()->is_connected());
    if (i % 2 == 0) slow.back()->Write("GET / HTTP/1.1\r\nHost:");
  }
  HttpClient healthy(server.port());
  ASSERT_TRUE(healthy.Write(HttpGet(kHealth)));
  EXPECT_THAT(healthy.Read(), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(slow[0]->ReadToTheEnd(), "");
  EXPECT_GE(server.replaced(), 20);
  EXPECT_LE(server.connections(), 24);
}

TEST(HttpServerTest, AClientHasAtMostItsShareOfConnections) {
  RunningServer server({.most_of_client = 2});
  HttpClient first(server.port());
  ASSERT_TRUE(first.Write(HttpGet(kHealth)));
  EXPECT_THAT(first.Read(), StartsWith("HTTP/1.1 200 "));
  HttpClient second(server.port());
  ASSERT_TRUE(second.Write(HttpGet(kHealth)));
  EXPECT_THAT(second.Read(), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(server.replaced(), 0);
  HttpClient third(server.port());
  ASSERT_TRUE(third.Write(HttpGet(kHealth)));
  EXPECT_THAT(third.Read(), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(server.replaced(), 1);
  EXPECT_EQ(first.ReadToTheEnd(), "");
}

// One that says nothing, one that stops in its headers, one that stops in its
// body, one that stays after an answer, and one that sends a byte now and then.
TEST(HttpServerTest, ClosesConnectionsOfClientsThatAreLate) {
  RunningServer server({.timeout = 1});
  HttpClient silent(server.port());
  HttpClient headers(server.port());
  ASSERT_TRUE(headers.Write("GET / HTTP/1.1\r\nHost:"));
  HttpClient body(server.port());
  const std::string request = HttpPost(kNeighbors, kBody);
  ASSERT_TRUE(body.Write(request.substr(0, request.size() - 1)));
  HttpClient idle(server.port());
  ASSERT_TRUE(idle.Write(HttpGet(kHealth)));
  EXPECT_THAT(idle.Read(), StartsWith("HTTP/1.1 200 "));
  HttpClient drip(server.port());
  EXPECT_TRUE(Eventually([&] { return !drip.Write("G"); }));
  EXPECT_EQ(silent.ReadToTheEnd(), "");
  EXPECT_EQ(headers.ReadToTheEnd(), "");
  EXPECT_EQ(body.ReadToTheEnd(), "");
  EXPECT_EQ(idle.ReadToTheEnd(), "");
}

TEST(HttpServerTest, ReportsWhatItServed) {
  RunningServer server;
  HttpClient client(server.port());
  ASSERT_TRUE(client.Write(HttpGet("/api/v1/map/info?model=secret")));
  const std::string response = client.Read();
  ASSERT_TRUE(Eventually([&] { return !server.served().empty(); }));
  const Served served = server.served()[0];
  EXPECT_EQ(served.client, "127.0.0.1");
  EXPECT_EQ(served.method, "GET");
  EXPECT_EQ(served.path, "/api/v1/map/info");
  EXPECT_EQ(served.route, "/map/info");
  EXPECT_EQ(served.status, 404);
  EXPECT_EQ(served.bytes, response.size() - response.find("\r\n\r\n") - 4);
}

// The library answers these by itself, in HTML, and version 0.9.75 repeats the
// head of the answer.
TEST(HttpServerTest, ReportsWhatTheLibraryRefuses) {
  struct Case {
    std::string more;
    std::string method;
    int status;
  };
  const std::string start =
      absl::StrCat("POST ", kNeighbors, "?q=1 HTTP/1.1\r\nHost: localhost\r\n");
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "X: y\r\n";
  for (const Case& c :
       {Case{"Content-Length: abc\r\n\r\n", "-", 400},
        Case{many + "\r\n", "-", 431},
        Case{"Transfer-Encoding: chunked\r\n\r\nzz\r\n", "POST", 400}}) {
    RunningServer server;
    HttpClient client(server.port());
    client.Write(start + c.more);
    EXPECT_THAT(client.ReadToTheEnd(),
                StartsWith(absl::StrCat("HTTP/1.1 ", c.status)));
    ASSERT_TRUE(Eventually([&] { return !server.served().empty(); }));
    const Served served = server.served()[0];
    EXPECT_EQ(served.client, "127.0.0.1");
    EXPECT_EQ(served.method, c.method);
    EXPECT_EQ(served.path, kNeighbors);
    EXPECT_EQ(served.status, c.status);
  }
}

TEST(HttpServerTest, AcceptsRequestsAsProxiesReceiveThem) {
  RunningServer server;
  const auto answer = [&](const std::string& head) {
    HttpClient client(server.port());
    EXPECT_TRUE(client.Write(head + "\r\n"));
    return client.Read();
  };
  EXPECT_THAT(answer("GET http://localhost/healthz HTTP/1.1\r\nHost: x\r\n"),
              StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer("GET HTTP://127.0.0.1:80?x=1 HTTP/1.1\r\nHost: x\r\n"),
              StartsWith("HTTP/1.1 200 "));
  for (const char* const evil :
       {"http://evil/healthz", "http:///healthz", "http://localhost@evil/"}) {
    EXPECT_THAT(
        answer(absl::StrCat("GET ", evil, " HTTP/1.1\r\nHost: localhost\r\n")),
        StartsWith("HTTP/1.1 403 "))
        << evil;
  }
  EXPECT_THAT(answer("GET /healthz HTTP/1.0\r\n"), StartsWith("HTTP/1.1 200 "));
  EXPECT_TRUE(Eventually([&] { return server.served().size() == 6; }));
  EXPECT_EQ(server.served()[0].path, "/healthz");
  EXPECT_EQ(server.served()[0].route, "/health");
}

// The request takes so long that Stop() is called before it is answered.
TEST(HttpServerTest, EndsWhenTheRequestsUnderWayAreAnswered) {
  const TempFolder folder;
  ServedFiles files = OpenServedExample();
  std::string questions = "king man queen woman\n";
  for (int doubled = 0; doubled < 20; ++doubled) questions += questions;
  files.files["analogies"] = {folder.Write("questions", questions)};
  RunningServer server({}, std::move(files));
  HttpClient client(server.port());
  ASSERT_TRUE(client.Write(
      HttpPost("/api/v1/eval", R"({"model":"old","requests":[{}]})")));
  // Who comes later is not held up, and shows that the first has arrived.
  HttpClient other(server.port());
  ASSERT_TRUE(other.Write(HttpPost(kNeighbors, kBody)));
  EXPECT_THAT(other.Read(), StartsWith("HTTP/1.1 200 "));
  std::thread stop([&] { server.Stop(); });
  EXPECT_TRUE(
      Eventually([&] { return !HttpClient(server.port()).is_connected(); }));
  const std::string response = client.Read();
  EXPECT_THAT(response, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(response, HasSubstr("Connection: close"));
  EXPECT_THAT(response, HasSubstr("\"asked\":1048576"));
  stop.join();
}

// Requests of connections that stay open arrive at every moment of the end.
TEST(HttpServerTest, EndsWhileRequestsArrive) {
  for (int round = 0; round < 20; ++round) {
    RunningServer server;
    std::atomic<int> answered = 0;
    std::vector<std::thread> clients;
    for (int i = 0; i < 20; ++i) {
      clients.emplace_back([&] {
        HttpClient client(server.port());
        while (client.Write(HttpPost(kNeighbors, kBody)) &&
               !client.Read().empty())
          ++answered;
      });
    }
    EXPECT_TRUE(Eventually([&] { return answered >= 20; }));
    server.Stop();
    for (std::thread& client : clients) client.join();
  }
}

TEST(HttpServerTest, SaysWhyItCannotListen) {
  RunningServer server;
  const Service service({}, {});
  const auto taken = HttpServer::Start(service, {.port = server.port()});
  EXPECT_THAT(
      std::string(taken.status().message()),
      HasSubstr("Address already in use; choose another port with --port"));
  const auto nowhere =
      HttpServer::Start(service, {.host = "no host", .port = 0});
  EXPECT_THAT(std::string(nowhere.status().message()),
              HasSubstr("is not a name or an address"));
}

}  // namespace
}  // namespace firth::tools
