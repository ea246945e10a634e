// "firth serve" and "firth explore" as users start, ask and end them.

#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "serve/http_client.h"
#include "support/run_program.h"
#include "support/run_shell.h"

namespace firth {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr char kVectors[] = "3 2\nking 1 0\nqueen 0.8 0.6\nman 0 1\n";
constexpr char kToken[] = "0123456789abcdef";

class ServeTest : public ProgramTest {
 protected:
  // The port behind the address that the program tells when it answers.
  static int PortOf(const RunningFirth& program) {
    const std::string address = "at http://127.0.0.1:";
    EXPECT_TRUE(program.WaitForError(address)) << program.ErrorsSoFar();
    const std::string said = program.ErrorsSoFar();
    return std::stoi(said.substr(said.find(address) + address.size()));
  }
};

TEST_F(ServeTest, AnswersUntilItIsEnded) {
  RunningFirth program(
      {"serve", "words=" + File("a.vec", kVectors), "--port", "0"});
  HttpClient client(PortOf(program));
  ASSERT_TRUE(client.Write(HttpPost(
      "/api/v1/neighbors", R"({"requests":[{"positive":["king"]}]})")));
  EXPECT_THAT(client.Read(), HasSubstr("\"word\":\"queen\""));
  program.Signal(SIGTERM);
  const Outcome outcome = program.Wait();
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr(" 127.0.0.1 POST /api/v1/neighbors 200 "));
  EXPECT_THAT(outcome.err, Not(HasSubstr("king")));
}

TEST_F(ServeTest, CountingModelsAnswerLikeOtherLanguageModels) {
  constexpr char kArpa[] =
      "\\data\\\nngram 1=4\n\n\\1-grams:\n-1\t<unk>\n0\t<s>\n-0.5\t</s>\n"
      "-0.25\tking\n\n\\end\\\n";
  RunningFirth program(
      {"serve", "lm=" + File("lm.arpa", kArpa), "--port", "0"});
  HttpClient client(PortOf(program));
  ASSERT_TRUE(client.Write(
      HttpPost("/api/v1/lm-score", R"({"requests":[{"text":"king queen"}]})")));
  EXPECT_THAT(client.Read(), HasSubstr("\"tokens\":3,\"num_unknown\":1"));
  ASSERT_TRUE(client.Write(
      HttpPost("/api/v1/embed", R"({"requests":[{"text":"king"}]})")));
  EXPECT_THAT(client.Read(), HasSubstr("this language model has no layers"));
}

// Opening a pipe blocks until another program opens its other end.
TEST_F(ServeTest, PipesAreNotWaitedFor) {
  const std::string vectors = File("a.vec", kVectors);
  const std::string pipe = Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const char* option :
       {"--log", "--access-log", "--analogies", "--similarity"}) {
    for (const std::string& file : {pipe, std::string("/dev/full")}) {
      if (file != pipe && option == std::string("--access-log")) continue;
      const Outcome outcome =
          RunFirth({"serve", vectors, "--port", "0", option, file});
      EXPECT_NE(outcome.code, 0) << option;
      EXPECT_THAT(outcome.err, HasSubstr(file));
      EXPECT_THAT(outcome.err, HasSubstr("pipe")) << option;
    }
  }
  // The log may be created after the start, here as a pipe.
  const std::string late = Path("late");
  RunningFirth program({"serve", vectors, "--port", "0", "--log", late});
  HttpClient client(PortOf(program));
  ASSERT_EQ(mkfifo(late.c_str(), 0600), 0);
  ASSERT_TRUE(client.Write(HttpGet("/api/v1/log")));
  EXPECT_THAT(client.Read(), StartsWith("HTTP/1.1 404 "));
  program.Signal(SIGTERM);
  EXPECT_EQ(program.Wait().code, 0);
}

// The first request takes several seconds.
TEST_F(ServeTest, ASecondSignalEndsItAtOnce) {
  constexpr int kWords = 20000;
  std::string rows, questions;
  for (int i = 0; i < kWords; ++i) {
    absl::StrAppend(&rows, "w", i, " 1 ", i % 100, " ", i / 100, "\n");
    absl::StrAppend(&questions, "w", i, " w", (i * 7) % kWords, " w",
                    (i * 11) % kWords, " w", (i * 13) % kWords, "\n");
  }
  for (int doubled = 0; doubled < 5; ++doubled) questions += questions;
  const std::string vectors = File("a.vec", rows);
  const std::string many = File("questions.txt", questions);
  // Further threads of OpenMP would take the signal.
  setenv("OMP_NUM_THREADS", "1", /*overwrite=*/1);
  const absl::Cleanup unset = [] { unsetenv("OMP_NUM_THREADS"); };
  for (const std::string command : {"serve", "explore"}) {
    for (const int signal : {SIGTERM, SIGINT}) {
      std::vector<std::string> arguments = {command, vectors,       "--port",
                                            "0",     "--analogies", many};
      if (command == "explore") arguments.push_back("--no-open");
      RunningFirth program(arguments);
      const int port = PortOf(program);
      const HttpClient waiting(port);
      ASSERT_TRUE(
          waiting.Write(HttpPost("/api/v1/eval", "{\"requests\":[{}]}")));
      // Who comes later is answered, and shows that the first has arrived.
      HttpClient other(port);
      ASSERT_TRUE(other.Write(HttpPost(
          "/api/v1/neighbors", R"({"requests":[{"positive":["w1"]}]})")));
      EXPECT_THAT(other.Read(), StartsWith("HTTP/1.1 200 "));
      program.Signal(signal);
      EXPECT_TRUE(program.WaitForError(
          "ending after the current requests are answered"));
      program.Signal(signal);
      EXPECT_EQ(program.Wait().code, 128 + signal) << command;
    }
  }
}

TEST_F(ServeTest, ExploreCanBeInterruptedDuringTheLayout) {
  constexpr int kWords = 20000;
  std::string rows;
  for (int i = 0; i < kWords; ++i) {
    absl::StrAppend(&rows, "w", i, " ", i % 7, " ", i % 100, " ", i / 100,
                    "\n");
  }
  const std::string vectors = File("a.vec", rows);
  const std::string page = Path("page.html");
  RunningFirth program({"explore", vectors, "--page", page});
  ASSERT_TRUE(program.WaitForError("laying out the map"));
  program.Signal(SIGINT);
  const Outcome outcome = program.Wait();
  EXPECT_EQ(outcome.code, 130);
  EXPECT_THAT(outcome.err, HasSubstr("interrupted"));
  EXPECT_FALSE(std::filesystem::exists(page));
}

TEST_F(ServeTest, CurlAsksAsTheDocumentsSay) {
  if (std::system("curl --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "curl is not installed";
  }
  const RunningFirth program({"serve", File("a.vec", kVectors), "--port", "0",
                              "--access-log", Path("log")});
  const std::string address =
      absl::StrCat("http://localhost:", PortOf(program), "/api/v1/");
  const auto curl = [&](const std::string& arguments) {
    const std::string answer = Path("answer");
    EXPECT_EQ(std::system(absl::StrCat("curl --silent --noproxy '*' --output '",
                                       answer, "' ", arguments)
                              .c_str()),
              0);
    return ReadWholeFile(answer);
  };
  EXPECT_EQ(curl(address + "health"), "{\"status\":\"ok\"}\n");
  EXPECT_THAT(curl(absl::StrCat(
                  address, "neighbors -H Content-Type:application/json ",
                  R"(-d '{"requests":[{"positive":["king"],"top":1}]}')")),
              HasSubstr(R"({"word":"queen","id":1,"score":0.8,"count":0})"));
  EXPECT_THAT(curl(address + "metrics"),
              HasSubstr("route=\"/neighbors\",status=\"200\"} 1\n"));
  EXPECT_THAT(ReadWholeFile(Path("log")), HasSubstr("POST /api/v1/neighbors"));
}

// Files are replaced by renaming, as documented.
TEST_F(ServeTest, SighupLoadsTheModelsAgain) {
  const std::string vectors = File("a.vec", kVectors);
  const RunningFirth program(
      {"serve", vectors, "--port", "0", "--access-log", "off"});
  HttpClient client(PortOf(program));
  const auto ask = [&](const std::string& word) {
    EXPECT_TRUE(client.Write(HttpPost(
        "/api/v1/neighbors", absl::StrCat(R"({"queries":[")", word, "\"]}"))));
    return client.Read();
  };
  const auto metrics = [&] {
    EXPECT_TRUE(client.Write(HttpGet("/metrics")));
    return client.Read();
  };
  EXPECT_THAT(ask("king"), HasSubstr("\"word\":\"queen\""));
  std::filesystem::rename(File("new", "2 2\nriver 1 0\nsea 1 1\n"), vectors);
  program.Signal(SIGHUP);
  ASSERT_TRUE(program.WaitForError("all models were loaded again"));
  EXPECT_THAT(ask("river"), HasSubstr("\"word\":\"sea\""));
  EXPECT_THAT(metrics(), HasSubstr("firth_reloads_total{result=\"ok\"} 1\n"));
  std::filesystem::rename(File("broken", "2 2\nriver 1 x\n"), vectors);
  program.Signal(SIGHUP);
  ASSERT_TRUE(program.WaitForError("no model, map or label was replaced"));
  EXPECT_THAT(program.ErrorsSoFar(), HasSubstr("reload: " + vectors));
  EXPECT_THAT(ask("river"), HasSubstr("\"word\":\"sea\""));
  EXPECT_THAT(metrics(),
              HasSubstr("firth_reloads_total{result=\"failed\"} 1\n"));
}

TEST_F(ServeTest, AdminReloadAnswersWhenTheModelsAreLoaded) {
  const std::string vectors = File("a.vec", kVectors);
  const std::string token = File("token", kToken);
  ASSERT_EQ(chmod(token.c_str(), 0600), 0);
  const RunningFirth program(
      {"serve", vectors, "--port", "0", "--token", token});
  HttpClient client(PortOf(program));
  const auto reload = [&] {
    EXPECT_TRUE(client.Write(absl::StrCat(
        "POST /admin/reload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0"
        "\r\nAuthorization: Bearer ",
        kToken, "\r\n\r\n")));
    return client.Read();
  };
  EXPECT_THAT(reload(), HasSubstr("{\"reloaded\":[\"a\"]}"));
  ASSERT_TRUE(client.Write(
      absl::StrCat("POST /admin/reload HTTP/1.1\r\nHost: localhost\r\n"
                   "Content-Length: 13\r\nAuthorization: Bearer ",
                   kToken, "\r\n\r\n{\"model\":\"a\"}")));
  EXPECT_THAT(client.Read(), HasSubstr("model: there is no such field"));
  std::filesystem::remove(vectors);
  const std::string failed = reload();
  EXPECT_THAT(failed, StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(failed, HasSubstr(vectors));
  ASSERT_TRUE(client.Write(HttpGet("/healthz")));
  EXPECT_THAT(client.Read(), StartsWith("HTTP/1.1 200 "));
}

// Two models, a map and labels are replaced together or not at all.
TEST_F(ServeTest, AFailedReloadReplacesNothing) {
  const std::string a = File("a.vec", kVectors);
  const std::string b = File("b.vec", kVectors);
  const std::string map = File("map.vec", "2 2\nking 1 0\nqueen 2 1\n");
  const std::string labels = File("labels.tsv", "word\tpos\nking\tnoun\n");
  const RunningFirth program({"serve", a, b, "--map", "a=" + map, "--labels",
                              "a=" + labels, "--port", "0", "--access-log",
                              "off"});
  HttpClient client(PortOf(program));
  const auto state = [&] {
    EXPECT_TRUE(client.Write(HttpPost(
        "/api/v1/words", R"({"model":"a","requests":[{"prefix":"k"}]})")));
    const std::string words = client.Read();
    EXPECT_TRUE(client.Write(HttpGet("/api/v1/map/info?model=a")));
    return absl::StrCat(words.substr(words.find("\r\n\r\n")), client.Read());
  };
  const std::string before = state();
  EXPECT_THAT(before, HasSubstr(R"("columns":[{"name":"pos",)"));
  std::filesystem::rename(File("new", "2 2\nkilo 1 0\nking 1 1\n"), a);
  const auto fails = [&](const std::string& path, const std::string& content,
                         const std::string& message) {
    const std::string old = ReadWholeFile(path);
    std::filesystem::rename(File("broken", content), path);
    program.Signal(SIGHUP);
    EXPECT_TRUE(program.WaitForError(message)) << program.ErrorsSoFar();
    EXPECT_EQ(state(), before) << path;
    std::filesystem::rename(File("mended", old), path);
  };
  fails(b, "2 2\nriver 1 x\n", "b.vec:2: ");
  fails(map, "2 3\na 1 2 3\nb 1 2 3\n", "not a map");
  fails(map, "1 2\nriver 1 2\n", "none of its 1 word has a vector");
  fails(labels, "word\n", "labels.tsv:1: expected the names of 2 to 65");
  std::filesystem::remove(b);
  program.Signal(SIGHUP);
  EXPECT_TRUE(program.WaitForError("b.vec: cannot "));
  EXPECT_EQ(state(), before);
  EXPECT_THAT(program.ErrorsSoFar(), Not(HasSubstr("loaded again")));
  File("b.vec", kVectors);
  program.Signal(SIGHUP);
  ASSERT_TRUE(program.WaitForError("all models were loaded again"));
  const std::string after = state();
  EXPECT_NE(after, before);
  EXPECT_THAT(after, HasSubstr("kilo"));
  // The labels are there once.
  EXPECT_EQ(after.find("\"pos\""), after.rfind("\"pos\""));
}

TEST_F(ServeTest, SighupOpensTheAccessLogAgain) {
  const std::string log = Path("access.log");
  const RunningFirth program(
      {"serve", File("a.vec", kVectors), "--port", "0", "--access-log", log});
  HttpClient client(PortOf(program));
  const auto ask = [&](const std::string& path) {
    EXPECT_TRUE(client.Write(HttpGet(path)));
    client.Read();
  };
  ask("/before");
  ASSERT_TRUE(Eventually([&] { return !ReadWholeFile(log).empty(); }));
  std::filesystem::rename(log, Path("access.log.1"));
  program.Signal(SIGHUP);
  ASSERT_TRUE(program.WaitForError("all models were loaded again"));
  ask("/after");
  ASSERT_TRUE(Eventually([&] { return !ReadWholeFile(log).empty(); }));
  EXPECT_THAT(ReadWholeFile(log), HasSubstr(" GET /after 404 "));
  EXPECT_THAT(ReadWholeFile(Path("access.log.1")), Not(HasSubstr("/after")));
}

TEST_F(ServeTest, SighupReadsTheTokenAgain) {
  const auto write = [&](const std::string& token) {
    const std::string path = File("next", token);
    chmod(path.c_str(), 0600);
    std::filesystem::rename(path, Path("token"));
  };
  write(kToken);
  const RunningFirth program({"serve", File("a.vec", kVectors), "--port", "0",
                              "--token", Path("token")});
  HttpClient client(PortOf(program));
  const auto answer = [&](const std::string& token) {
    EXPECT_TRUE(client.Write(absl::StrCat(
        "GET /api/v1/info HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
        "Bearer ",
        token, "\r\n\r\n")));
    return client.Read();
  };
  EXPECT_THAT(answer(kToken), StartsWith("HTTP/1.1 200 "));
  write("another-token-of-it");
  program.Signal(SIGHUP);
  ASSERT_TRUE(program.WaitForError("all models were loaded again"));
  EXPECT_THAT(answer(kToken), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(answer("another-token-of-it"), StartsWith("HTTP/1.1 200 "));
  write("short");
  program.Signal(SIGHUP);
  ASSERT_TRUE(program.WaitForError(
      "found 5; the former token stays in use; all models were loaded again"));
  EXPECT_THAT(answer("another-token-of-it"), StartsWith("HTTP/1.1 200 "));
}

// A socket would otherwise get the number of a closed stream.
TEST_F(ServeTest, ClosedStreamsAreNotReplacedBySockets) {
  const ShellOutcome outcome = RunShell(absl::StrCat(
      "'", std::getenv("FIRTH_PROGRAM"), "' serve '", File("a.vec", kVectors),
      "' --port 0 <&- >&- 2>&- & pid=$!; "
      "until ls -l /proc/$pid/fd | grep -q socket; do sleep 0.1; done; "
      "ls -l /proc/$pid/fd; kill -KILL $pid"));
  for (const char* const stream : {" 0 -> ", " 1 -> ", " 2 -> "}) {
    EXPECT_THAT(outcome.output, HasSubstr(absl::StrCat(stream, "/dev/null")));
  }
  // A closed standard output is still an error.
  EXPECT_THAT(RunShell(absl::StrCat("'", std::getenv("FIRTH_PROGRAM"),
                                    "' --version >&-; echo code $?"))
                  .output,
              HasSubstr("code 1\n"));
}

// As fastText's .bin, which contains vectors as well.
TEST_F(ServeTest, ASupervisedFasttextModelClassifies) {
  const std::string model = Path("model.bin");
  std::string text;
  for (int i = 0; i < 50; ++i) {
    text += "__label__court the king spoke\n__label__land a river ran\n";
  }
  ASSERT_EQ(RunFirth({"classify", "train", "--input", File("text", text),
                      "--output", model, "--parts", "deep", "--dim", "8",
                      "--buckets", "200", "--min-count", "1", "-q"})
                .code,
            0);
  const RunningFirth program({"serve", model, "--port", "0"});
  HttpClient client(PortOf(program));
  ASSERT_TRUE(client.Write(
      HttpPost("/api/v1/classify", R"({"queries":["the king"]})")));
  EXPECT_THAT(client.Read(), HasSubstr("\"label\":\"court\""));
}

TEST_F(ServeTest, ATokenIsWantedWhereOthersCanReachIt) {
  const std::string vectors = File("a.vec", kVectors);
  const Outcome open = RunFirth({"serve", vectors, "--host", "0.0.0.0"});
  EXPECT_EQ(open.code, 2);
  EXPECT_THAT(open.err,
              HasSubstr("--host 0.0.0.0 can be reached from other machines and "
                        "therefore requires --token FILE"));
  const std::string token = File("token", std::string(kToken) + "\n");
  for (const mode_t mode : {0620, 0602, 0666}) {
    ASSERT_EQ(chmod(token.c_str(), mode), 0);
    const Outcome writable = RunFirth({"serve", vectors, "--token", token});
    EXPECT_EQ(writable.code, 1);
    EXPECT_THAT(writable.err, HasSubstr("others could write this file (mode"));
    EXPECT_THAT(writable.err, HasSubstr("chmod go-w FILE"));
  }
  const std::string shorter = File("short", "0123");
  ASSERT_EQ(chmod(shorter.c_str(), 0600), 0);
  EXPECT_THAT(RunFirth({"serve", vectors, "--token", shorter}).err,
              HasSubstr("the token must have 16 to 1024 visible ASCII"));
  // Docker and Kubernetes mount secrets in this way: a symbolic link to a file
  // that others can read.
  ASSERT_EQ(chmod(token.c_str(), 0444), 0);
  const std::string link = Path("link");
  std::filesystem::create_symlink(token, link);
  const RunningFirth program(
      {"serve", vectors, "--token", link, "--port", "0"});
  HttpClient client(PortOf(program));
  ASSERT_TRUE(client.Write(HttpGet("/api/v1/info")));
  EXPECT_THAT(client.Read(), StartsWith("HTTP/1.1 401 "));
  ASSERT_TRUE(client.Write(absl::StrCat(
      "GET /api/v1/info HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ",
      kToken, "\r\n\r\n")));
  EXPECT_THAT(client.Read(), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServeTest, SaysWhatIsWrongWithItsFiles) {
  const std::string vectors = File("a.vec", kVectors);
  const std::string other_map = File("m.vec", "2 2\nsea 1 2\nlake 2 3\n");
  const std::string token = File("token", kToken);
  ASSERT_EQ(chmod(token.c_str(), 0600), 0);
  struct Case {
    std::vector<std::string> arguments;
    int code;
    std::string message;
  };
  for (const Case& c :
       {Case{{vectors, vectors}, 1, "two models have the name \"a\"; NAME="},
        Case{{Path("none")}, 1, "none: "},
        Case{{File("empty", "")}, 1, "empty: "},
        Case{{vectors, "--map", File("b.vec", "1 3\na 1 2 3\n")},
             1,
             "not a map, since its vectors have 3 dimensions instead of 2"},
        Case{{vectors, "--map", "b=" + vectors}, 1, "no model \"b\""},
        Case{{vectors, "--index", "hnsw"}, 1, "firth index "},
        Case{{vectors, "--access-log", vectors}, 2, "--access-log"},
        Case{{vectors, "--host", "no host"}, 2, "is not a name"},
        Case{{vectors, "--max-body", "2G"}, 2, "a size, 1 to 1G, found"},
        Case{{vectors, "--map", vectors, "--map", "a=" + other_map},
             1,
             "--map: a model can have one map, but \"a\" has "},
        Case{{vectors, "--map", other_map},
             1,
             absl::StrCat("--map ", other_map,
                          ": none of its 2 words has a vector in ", vectors)},
        Case{{vectors, "--token", token, "--allow-host", "https://x/"},
             2,
             "--allow-host: expected host names such as words.example.org"},
        Case{{vectors, "--token", "/tmp"}, 2, "found the folder /tmp"},
        Case{{vectors, "--allow-host", "a.org"}, 2, "requires --token FILE"},
        Case{{vectors, "--port", "70000"}, 2, "--port: expected"}}) {
    std::vector<std::string> arguments = {"serve"};
    arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
    const Outcome outcome = RunFirth(arguments);
    EXPECT_EQ(outcome.code, c.code) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(c.message));
  }
}

TEST_F(ServeTest, AMapWithFewWordsOfTheModelIsNoticed) {
  const RunningFirth program(
      {"serve", File("a.vec", kVectors), "--port", "0", "--map",
       File("m.vec", "3 2\nking 1 2\nsea 1 2\nlake 2 3\n")});
  EXPECT_TRUE(program.WaitForError("answering"));
  EXPECT_THAT(program.ErrorsSoFar(),
              HasSubstr("m.vec: only 1 of its 3 words has a vector in "));
}

TEST_F(ServeTest, LabelsOfOtherWordsComeWithAHint) {
  const std::string vectors = File("a.vec", kVectors);
  const Outcome outcome = RunFirth({"explore", vectors, "--map", vectors,
                                    "--page", Path("page.html"), "--labels",
                                    File("l.tsv", "id\tpos\n17\tnoun\n")});
  EXPECT_THAT(outcome.err,
              HasSubstr("0 of 3 words on the map of a have labels; the first "
                        "column must have the words as the model spells them, "
                        "such as \"king\", but it has \"17\""));
}

TEST_F(ServeTest, OnePageHasOneModel) {
  const std::string vectors = File("a.vec", kVectors);
  const Outcome outcome = RunFirth(
      {"explore", vectors, "b=" + vectors, "--page", Path("page.html")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("exactly one file of vectors, found 2"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("loading")));
}

TEST_F(ServeTest, OneTextIsNotCalledTexts) {
  const Outcome outcome =
      RunFirth({"explore", File("a.vec", kVectors), "--page", Path("page.html"),
                "--texts", File("t.txt", "king queen\nsea\n")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("1 of 2 texts contains no word that has a vector, and "
                        "is not shown"));
  EXPECT_THAT(outcome.err, HasSubstr("page.html: 1 text, "));
}

TEST_F(ServeTest, ExploreServesThePage) {
  const RunningFirth program(
      {"explore", File("a.vec", kVectors), "--no-open", "--port", "0"});
  HttpClient client(PortOf(program));
  ASSERT_TRUE(client.Write(HttpGet("/")));
  const std::string page = client.Read();
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(page, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(page, HasSubstr("<title>Firth</title>"));
}

TEST_F(ServeTest, ExploreMakesAMapWhereNoneIsGiven) {
  std::string vectors = "30 2\n";
  for (int i = 0; i < 30; ++i)
    absl::StrAppend(&vectors, "w", i, " 1 ", i, "\n");
  const std::string page = Path("page.html");
  const Outcome outcome = RunFirth(
      {"explore", File("a.vec", vectors), "--page", page, "--words", "20"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("a: laying out the map of its 20 most frequent words"));
  EXPECT_THAT(outcome.err, HasSubstr("page.html: 20 words, "));
}

TEST_F(ServeTest, ExploreWritesThePage) {
  const std::string vectors = File("a.vec", kVectors);
  const std::string page = Path("page.html");
  const Outcome outcome = RunFirth(
      {"explore", vectors, "--map", vectors, "--page", page, "--no-open"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(ReadWholeFile(page),
              HasSubstr("\"words\":[\"king\",\"queen\",\"man\"]"));
  EXPECT_EQ(RunFirth({"explore", vectors, "--words", "5"}).code, 2);
}

TEST_F(ServeTest, ExploreShowsTextsWithTheirLabels) {
  const std::string vectors = File("a.vec", kVectors);
  const std::string page = Path("page.html");
  const std::string texts =
      File("texts.tsv",
           "text\ttopic\nking queen\tcourt\nman <b>\tland\nking queen\tsea\n");
  const Outcome outcome = RunFirth({"explore", vectors, "--texts", texts,
                                    "--page", page, "--methods", "pca"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("texts.tsv: left out 1 text that occurred before"));
  EXPECT_THAT(outcome.err, HasSubstr("page.html: 2 texts, "));
  const std::string written = ReadWholeFile(page);
  EXPECT_THAT(written,
              HasSubstr("\"words\":[\"king queen\",\"man \\u003cb>\"]"));
  EXPECT_THAT(written, HasSubstr("\"values\":[\"court\",\"land\"]"));
  EXPECT_THAT(written, HasSubstr("\"texts\":true"));
  EXPECT_THAT(written, HasSubstr("\"method\":\"pca\""));
}

TEST_F(ServeTest, ExploreRefusesWrongTextsAndLabels) {
  const std::string vectors = File("a.vec", kVectors);
  const std::string pipe = Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string texts = File("t.txt", "king\n");
  struct Case {
    std::vector<std::string> arguments;
    int code;
    std::string message;
  };
  for (const Case& c :
       {Case{{"--labels", pipe}, 1, "found a pipe or device"},
        Case{{"--labels", "/usr"}, 1, "found a folder"},
        Case{{"--texts", pipe}, 1, "found a pipe or device"},
        Case{
            {"--texts", File("blank", "\n\n")}, 1, "found no line with a text"},
        Case{{"--texts", File("none", "zzz\n")}, 1, "no text contains a word"},
        Case{{"--texts", texts, "--labels", texts}, 2, "cannot be combined"},
        Case{{"--methods", "umap,x"}, 2, "expected names out of umap, tsne"}}) {
    const std::string page = Path("page.html");
    std::vector<std::string> arguments = {"explore", vectors, "--page", page};
    arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
    const Outcome outcome = RunFirth(arguments);
    EXPECT_EQ(outcome.code, c.code) << c.message << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(c.message));
    EXPECT_FALSE(std::filesystem::exists(page));
  }
}

TEST_F(ServeTest, ExploreColorsByLabels) {
  const std::string vectors = File("a.vec", kVectors);
  const std::string page = Path("page.html");
  const Outcome outcome =
      RunFirth({"explore", vectors, "--page", page, "--labels",
                File("l.tsv", "word\tsex\nking\tm\nqueen\tf\nnone\tx\n")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("2 of 3 words on the map of a have labels"));
  EXPECT_THAT(ReadWholeFile(page), HasSubstr("\"values\":[\"m\",\"f\",\"x\"]"));
  const Outcome wrong = RunFirth({"explore", vectors, "--page", Path("b.html"),
                                  "--labels", File("w.tsv", "word\n")});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("w.tsv:1: expected the names"));
  EXPECT_FALSE(std::filesystem::exists(Path("b.html")));
}

// Every option that is not of the page or of what it shows.
TEST_F(ServeTest, ExploreRefusesOptionsOfTheServiceWithAPage) {
  const std::string vectors = File("a.vec", kVectors);
  const std::string page = Path("page.html");
  const std::string help = RunFirth({"explore", "--help=all"}).out;
  const std::set<std::string> of_pages = {"page",    "words", "with-vectors",
                                          "no-open", "map",   "help",
                                          "labels",  "texts", "methods"};
  size_t refused = 0;
  for (const std::string& line : std::vector<std::string>(
           absl::StrSplit(help, '\n', absl::SkipEmpty()))) {
    const size_t dashes = line.find("--");
    if (dashes > 6) continue;
    const std::string name = line.substr(
        dashes + 2, line.find_first_of(" =[,", dashes) - dashes - 2);
    if (of_pages.contains(name)) continue;
    const Outcome outcome =
        RunFirth({"explore", vectors, "--page", page, absl::StrCat("--", name),
                  name == "index"             ? "exact"
                  : name == "access-log-form" ? "json"
                                              : "9"});
    EXPECT_EQ(outcome.code, 2) << name << ": " << outcome.err;
    EXPECT_THAT(
        outcome.err,
        HasSubstr(absl::StrCat("--", name, " cannot be combined with --page")));
    ++refused;
  }
  EXPECT_GE(refused, 13u);
  EXPECT_FALSE(std::filesystem::exists(page));
}

}  // namespace
}  // namespace firth
