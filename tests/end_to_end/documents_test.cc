// firth documents as a user runs it.

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// Documents with the tags "even" and "odd", and their numbers.
std::string TaggedText(int count) {
  Rng rng(3);
  std::string text;
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&text, i, i % 2 == 0 ? " even\t" : " odd\t");
    for (int word = 0; word < 12; ++word) {
      absl::StrAppend(&text, i % 2 == 0 ? "e" : "o", rng.Below(10), " ");
    }
    text += "\n";
  }
  return text;
}

class DocumentsCommandTest : public testing::Test {
 protected:
  DocumentsCommandTest() {
    if (ProgramPath().empty()) return;
    WriteWholeFile(Path("t.tsv"), TaggedText(100));
  }
  void SetUp() override {
    if (ProgramPath().empty()) GTEST_SKIP() << "FIRTH_PROGRAM is not set";
  }

  std::string Path(const std::string& name) const {
    return folder_ + "/" + name;
  }
  std::vector<std::string> TrainArguments() const {
    return {"documents",    "train",  "--input",   Path("t.tsv"),
            "--tags",       "column", "--output",  Path("d.safetensors"),
            "--dim",        "16",     "--threads", "1",
            "--train-words"};
  }
  // Runs the program with more arguments.
  static Outcome RunWith(std::vector<std::string> arguments,
                         const std::vector<std::string>& more,
                         const std::string& input = "") {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunFirth(arguments, {.input = input});
  }

  const std::string folder_ = MakeTestFolder();
};

TEST_F(DocumentsCommandTest, TheModelIsAVectorFileOfItsTags) {
  ASSERT_EQ(RunWith(TrainArguments(), {}).code, 0);
  const Outcome page =
      RunFirth({"explore", Path("d.safetensors"), "--page", Path("page.html")});
  EXPECT_EQ(page.code, 0) << page.err;
  const Outcome text = RunFirth({"documents", "train", "--input", Path("t.tsv"),
                                 "--output", Path("d.vec")});
  EXPECT_EQ(text.code, 2);
  EXPECT_THAT(text.err, HasSubstr("d.vec: expected a name that ends with "
                                  ".safetensors"));
  EXPECT_FALSE(std::filesystem::exists(Path("d.vec")));
}

TEST_F(DocumentsCommandTest, TrainsInfersAndFindsNeighbors) {
  const Outcome trained =
      RunWith(TrainArguments(), {"--report", Path("r.json")});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("100 documents with 102 tags"));
  const json report = json::parse(ReadWholeFile(Path("r.json")));
  EXPECT_EQ(report["documents"], 100);
  EXPECT_EQ(report["epochs"].size(), 20u);
  EXPECT_EQ(report["options"]["arch"], "dbow");

  const std::string model = Path("d.safetensors");
  const auto nearest = [&](const std::string& option,
                           const std::string& value) {
    const Outcome found = RunFirth({"documents", "nn", model, option, value,
                                    "--top", "1", "--threads", "1"});
    EXPECT_EQ(found.code, 0) << found.err;
    std::string tag = std::string(*absl::StrSplit(found.out, ' ').begin());
    if (tag == "even" || tag == "odd") return tag;
    return std::string(std::stoi(tag) % 2 == 0 ? "even" : "odd");
  };
  EXPECT_EQ(nearest("--text", "e1 e2 e3 e4"), "even");
  EXPECT_EQ(nearest("--text", "o1 o2 o3 o4"), "odd");
  EXPECT_EQ(nearest("--word", "o5"), "odd");
  EXPECT_EQ(nearest("--tag", "even"), "even");
  const Outcome as_json = RunFirth(
      {"documents", "nn", model, "--tag", "even", "--top", "3", "--json"});
  const json neighbors = json::parse(as_json.out)["neighbors"];
  ASSERT_EQ(neighbors.size(), 3u);
  EXPECT_GT(neighbors[0]["score"], neighbors[2]["score"]);
  EXPECT_TRUE(neighbors[0]["tag"].is_string());
  // The tags are the words of a vector file.
  const Outcome similar = RunFirth({"nn", model, "odd", "--top", "1"});
  EXPECT_EQ(similar.code, 0) << similar.err;
  const Outcome info = RunFirth({"info", model, "--json"});
  EXPECT_EQ(json::parse(info.out)["kind"], "document vectors");
  EXPECT_EQ(json::parse(info.out)["tags"], 102);
}

TEST_F(DocumentsCommandTest, InferenceIsTheSameInEveryRun) {
  ASSERT_EQ(RunWith(TrainArguments(), {"--quiet"}).code, 0);
  const std::vector<std::string> infer = {"documents", "infer",
                                          Path("d.safetensors")};
  const Outcome one =
      RunWith(infer, {"--threads", "1"}, "e1 e2 o1\n\no3 new\nnew\n");
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(one.err,
            "firth: warning: standard input:2: no word of this document is in "
            "the model, so its vector is zero; this holds for 2 documents\n");
  EXPECT_EQ(RunWith(infer, {"--threads", "5"}, "e1 e2 o1\n\no3 new\nnew\n").out,
            one.out);
  const std::vector<std::string> lines = absl::StrSplit(one.out, '\n');
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(RunWith(infer, {}, "o3\n").out, lines[2] + "\n");
  EXPECT_THAT(lines[1], StartsWith("0 0 0 "));
  const Outcome array =
      RunWith(infer, {"--output", Path("x.npy")}, "e1 e2 o1\no3\n");
  EXPECT_EQ(array.code, 0) << array.err;
  EXPECT_EQ(std::filesystem::file_size(Path("x.npy")), 128 + 2 * 16 * 4u);
}

TEST_F(DocumentsCommandTest, AnInterruptedTrainingResumesToTheSameFile) {
  std::vector<std::string> arguments = TrainArguments();
  arguments.insert(arguments.end(),
                   {"--checkpoint", Path("saved"), "--checkpoint-every", "10%",
                    "--quiet", "--deterministic"});
  ASSERT_EQ(RunFirth(arguments).code, 0);
  const std::string whole = ReadWholeFile(Path("d.safetensors"));
  std::filesystem::remove(Path("d.safetensors"));
  const auto info = [&] {
    return json::parse(RunFirth({"info", Path("saved"), "--json"}).out);
  };
  const json last = info();
  EXPECT_EQ(last["kind"], "checkpoint of document vectors");
  std::filesystem::remove(last["newest"].get<std::string>());
  const Outcome resumed = RunFirth(
      {"documents", "train", "--resume", Path("saved"), "--threads", "2"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(ReadWholeFile(Path("d.safetensors")) == whole);
}

TEST_F(DocumentsCommandTest, SaysWhatIsWrong) {
  const std::string model = Path("d.safetensors");
  WriteWholeFile(Path("bad.tsv"), "a\tb c\n\tb c\n");
  WriteWholeFile(Path("empty.txt"), "\n\n");
  const auto train = [&](const std::string& input,
                         const std::vector<std::string>& more) {
    return RunWith({"documents", "train", "--input", Path(input), "--output",
                    model, "--min-count", "1"},
                   more);
  };
  const Outcome bad = train("bad.tsv", {"--tags", "column"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.err, HasSubstr("bad.tsv:2: expected a tag before the tab"));
  EXPECT_THAT(train("empty.txt", {}).err, HasSubstr("contains no tokens"));
  EXPECT_EQ(train("t.tsv", {"--shared-windows", "2", "--loss", "hs"}).code, 2);
  const Outcome rates = train("t.tsv", {"--min-learning-rate", "1"});
  EXPECT_EQ(rates.code, 2);
  EXPECT_THAT(rates.err, HasSubstr("--min-learning-rate: must be at most"));
  EXPECT_EQ(RunFirth({"documents", "nn", model}).code, 2);
  ASSERT_EQ(train("t.tsv", {"--tags", "column", "--quiet"}).code, 0);
  const Outcome words = RunFirth({"documents", "nn", model, "--word", "e1"});
  EXPECT_EQ(words.code, 1);
  EXPECT_THAT(words.err, HasSubstr("train it with --train-words or --arch dm"));
  const Outcome start =
      RunFirth({"sentences", "train", "--vectors", model, "--input",
                Path("t.tsv"), "--output", Path("s.safetensors")});
  EXPECT_EQ(start.code, 1);
  EXPECT_THAT(start.err, HasSubstr("expected vectors of words, found a model "
                                   "of documents"));
  const Outcome encoded =
      RunFirth({"sentence-vectors", model}, {.input = "e1 e2\n"});
  EXPECT_THAT(encoded.err, HasSubstr("a model of documents, whose words are "
                                     "their tags"));
  const Outcome text = RunFirth({"documents", "nn", model, "--text", "zzz"});
  EXPECT_THAT(text.err, HasSubstr("no word of the text is in the model"));
  EXPECT_THAT(RunFirth({"documents", "nn", model, "--tag", "evn"}).err,
              AllOf(HasSubstr("--tag: \"evn\""), HasSubstr("even")));
  const Outcome kind = RunFirth({"documents", "infer", Path("t.tsv")});
  EXPECT_EQ(kind.code, 1);
  EXPECT_THAT(kind.err, HasSubstr("expected a model of documents"));
}

}  // namespace
}  // namespace firth
