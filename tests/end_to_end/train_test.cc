// Training by the program: files, reports, signals.

#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"
#include "support/trainings.h"

namespace firth {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> operator+(std::vector<std::string> head,
                                   const std::vector<std::string>& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

class TrainCommandTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (!IsSkipped()) corpus_ = File("corpus.txt", TwoTopicText(400));
  }

  // A short training of `output`, with more options.
  std::vector<std::string> Train(const std::string& output) const {
    return {"train", "--input", corpus_,     "--output", output,
            "--dim", "16",      "--threads", "1"};
  }
  // One that lasts until it is stopped.
  std::vector<std::string> TrainForLong(const std::string& output) const {
    return Train(output) + std::vector<std::string>{"--epochs",   "10000",
                                                    "--sample",   "0",
                                                    "--negative", "100"};
  }

  std::string corpus_;
};

TEST_F(TrainCommandTest, PhrasesAreJoinedBeforeOrWhileTraining) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += "we saw new york at dawn\nyork is old and new is not\n";
    text +=
        i % 2 == 0 ? "old is not new at dawn\n" : "saw dawn at york and we\n";
  }
  const std::string corpus = File("cities.txt", text);
  const std::vector<std::string> how = {"--threads", "1"};
  const Outcome joined = RunFirth(
      std::vector<std::string>{"phrases", "--input", corpus, "--threshold", "1",
                               "--list", Path("list.tsv")} +
      how);
  EXPECT_EQ(joined.code, 0) << joined.err;
  EXPECT_THAT(joined.out, HasSubstr("new_york"));
  EXPECT_THAT(ReadWholeFile(Path("list.tsv")), HasSubstr("new_york\t300\t"));
  const Outcome training =
      RunFirth(std::vector<std::string>{"train", "--input", corpus, "--phrases",
                                        "1", "--phrase-threshold", "1", "--dim",
                                        "4", "--output", Path("v.txt")} +
               how);
  EXPECT_EQ(training.code, 0) << training.err;
  EXPECT_THAT(ReadWholeFile(Path("v.txt")), HasSubstr("\nnew_york "));
  const Outcome over_itself =
      RunFirth({"phrases", "--input", corpus, "--output", corpus});
  EXPECT_EQ(over_itself.code, 2);
  EXPECT_THAT(over_itself.err,
              HasSubstr("--output and --input are the same file"));
  const Outcome contradiction =
      RunFirth(Train(Path("v.bin")) +
               std::vector<std::string>{"--phrases", "1", "--vocab", corpus});
  EXPECT_EQ(contradiction.code, 2);
  EXPECT_THAT(contradiction.err,
              HasSubstr("--phrases cannot be combined with --vocab"));
  EXPECT_THAT(RunFirth(Train(Path("v.bin")) +
                       std::vector<std::string>{"--phrase-threshold", "9"})
                  .err,
              HasSubstr("--phrase-threshold requires --phrases 1 or more"));
}

TEST_F(TrainCommandTest, SaysWhatAPoorerFormatLacks) {
  EXPECT_THAT(RunFirth(Train(Path("v.bin"))).err,
              HasSubstr("  lacks    counts, the output table, metadata; a "
                        ".safetensors model contains everything\n"));
  EXPECT_THAT(RunFirth(Train(Path("v.safetensors"))).err,
              Not(HasSubstr("lacks")));
}

TEST_F(TrainCommandTest, WordsWithoutNeighboursLearnNothingAndThatIsSaid) {
  std::string list;
  for (int i = 0; i < 100; ++i) list += i % 2 == 0 ? "old\n" : "new\n";
  const std::string corpus = File("list.txt", list);
  const std::string warning = "warning: nothing was learned";
  for (const std::string arch : {"skipgram", "cbow"}) {
    const Outcome outcome =
        RunFirth({"train", "-i", corpus, "-o", Path("v.bin"), "--dim", "4",
                  "--arch", arch, "--sample", "0", "--quiet"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.err, HasSubstr(warning));
  }
  EXPECT_THAT(RunFirth(Train(Path("v.bin"))).err, Not(HasSubstr(warning)));
}

TEST_F(TrainCommandTest, ASmallTextIsAnsweredWithAdvice) {
  const std::string advice =
      "  advice   the text is small (3,200 words); --preset small is meant for "
      "such texts\n";
  EXPECT_THAT(RunFirth(Train(Path("v.bin"))).err, HasSubstr(advice));
  const Outcome small = RunFirth(Train(Path("v.safetensors")) +
                                 std::vector<std::string>{"--preset", "small"});
  EXPECT_EQ(small.code, 0) << small.err;
  EXPECT_THAT(small.err, Not(HasSubstr("advice")));
  // The text of a start or an update may be as small as it likes.
  EXPECT_THAT(RunFirth({"train", "--init", Path("v.bin"), "-i", corpus_, "-o",
                        Path("w.bin")})
                  .err,
              Not(HasSubstr("advice")));
}

TEST_F(TrainCommandTest, ChineseIsToBeSplit) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    absl::StrAppend(&text, "这是一个没有空格的句子", i,
                    i % 9 == 0 ? " 好 的\n" : "\n");
  }
  EXPECT_THAT(
      RunFirth({"train", "-i", File("zh.txt", text), "-o", Path("v.bin")}).err,
      HasSubstr("  advice   only 18.5% of the tokens belong to words that are "
                "frequent enough to be kept; --split-punctuation finds the "
                "words in text without spaces, such as Chinese\n"));
}

TEST_F(TrainCommandTest, TrainingGoesOnFromGivenVectors) {
  const std::string given =
      File("given.txt", "2 3\ncat 1 2 3\nunicorn 7 8 9\n");
  const auto train_from = [&](const std::string& output) {
    return std::vector<std::string>{"train",  "--input",   corpus_,
                                    "--init", given,       "--output",
                                    output,   "--threads", "1"};
  };
  const Outcome frozen = RunFirth(train_from(Path("v.txt")) +
                                  std::vector<std::string>{"--freeze-init"});
  EXPECT_EQ(frozen.code, 0) << frozen.err;
  EXPECT_THAT(frozen.err, HasSubstr("init     1 word from the file"));
  const std::string text = ReadWholeFile(Path("v.txt"));
  EXPECT_THAT(text, HasSubstr("\ncat 1 2 3\n"));
  EXPECT_THAT(text, HasSubstr("\nunicorn 7 8 9\n"));
  const Outcome dropped =
      RunFirth(train_from(Path("w.txt")) +
               std::vector<std::string>{"--init-others", "drop", "--report",
                                        Path("report.json")});
  EXPECT_EQ(dropped.code, 0) << dropped.err;
  EXPECT_THAT(ReadWholeFile(Path("w.txt")), Not(HasSubstr("unicorn")));
  EXPECT_THAT(ReadWholeFile(Path("w.txt")), Not(HasSubstr("\ncat 1 2 3\n")));
  EXPECT_THAT(ReadWholeFile(Path("report.json")), HasSubstr("\"dim\": 3"));
  const Outcome other_dim = RunFirth(train_from(Path("x.txt")) +
                                     std::vector<std::string>{"--dim", "4"});
  EXPECT_EQ(other_dim.code, 1);
  EXPECT_THAT(other_dim.err,
              HasSubstr("the vectors of --init have 3 dimensions"));
  EXPECT_THAT(
      RunFirth(Train(Path("x.txt")) + std::vector<std::string>{"--freeze-init"})
          .err,
      HasSubstr("--freeze-init requires --init FILE or --update FILE"));
}

TEST_F(TrainCommandTest, AModelGrowsByNewText) {
  using Arguments = std::vector<std::string>;
  const std::string model = Path("old.safetensors");
  ASSERT_EQ(
      RunFirth(Train(model) + Arguments{"--arch", "cbow", "--min-n", "2"}).code,
      0);
  const std::string more =
      File("more.txt", "cat dog yak cow yak\nyak cat hen yak yak\n");
  const auto update = [&](const Arguments& options) {
    return RunFirth(Arguments{"train", "--update", model, "--input", more,
                              "--output", Path("new.safetensors"), "--threads",
                              "1"} +
                    options);
  };
  const Outcome grown = update({"--report", Path("report.json")});
  EXPECT_EQ(grown.code, 0) << grown.err;
  EXPECT_THAT(grown.err, HasSubstr("16 already known, 1 added"));
  EXPECT_THAT(grown.err,
              HasSubstr("update   16 words from the file, 1 from its "
                        "n-grams, 0 at random\n"));
  const std::string report = ReadWholeFile(Path("report.json"));
  for (const char* option :
       {"\"arch\": \"cbow\"", "\"dim\": 16", "\"subword-index\": \"buckets\"",
        "\"min-n\": 2", "\"update-counts\": \"add\""}) {
    EXPECT_THAT(report, HasSubstr(option));
  }
  // And again, from fastText's file of it.
  const Arguments to_fasttext{"convert", Path("new.safetensors"),
                              Path("new.ftbin"), "--lossy"};
  ASSERT_EQ(RunFirth(to_fasttext).code, 0);
  const Outcome again =
      RunFirth({"train", "--update", Path("new.ftbin"), "--input", more,
                "--output", Path("again.safetensors"), "--threads", "1"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("17 already known, 0 added"));

  const std::string vectors = File("vectors.txt", "2 2\na 1 2\nb 3 4\n");
  struct Case {
    Arguments options;
    int code;
    const char* message;
  };
  const Case cases[] = {
      {{"--dim", "13"}, 2, "--dim was 16 and is now 13"},
      {{"--arch", "skipgram"},
       2,
       "--arch was \"cbow\" and is now \"skipgram\""},
      {{"--max-n", "7"}, 2, "--max-n was 6 and is now 7"},
      {{"--preset", "fast"}, 2, "--preset cannot be combined with --update"},
      {{"--phrases", "1"}, 2, "--phrases cannot be combined with --update"},
      {{"--vocab", more}, 2, "--vocab cannot be combined with --update"},
      {{"--freeze-init"}, 1, "freeze: words with n-grams cannot be frozen"}};
  for (const Case& c : cases) {
    const Outcome refused = update(c.options);
    EXPECT_EQ(refused.code, c.code) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr(c.message));
  }
  EXPECT_THAT(RunFirth({"train", "--update", vectors, "--input", more,
                        "--output", Path("x.txt")})
                  .err,
              HasSubstr("the file has no output table"));
  const std::string tree = Path("tree.safetensors");
  ASSERT_EQ(RunFirth(Train(tree) + Arguments{"--loss", "hs"}).code, 0);
  const Outcome of_tree =
      RunFirth({"train", "--update", tree, "--input", more, "--output",
                Path("x.txt"), "--negative", "3"});
  EXPECT_EQ(of_tree.code, 2);
  EXPECT_THAT(
      of_tree.err,
      HasSubstr(tree + ": --update: a model with --loss hs cannot be updated"));
  // Other vectors than training left.
  for (const Arguments& made :
       {Arguments{"--word-share", "0.5"}, Arguments{"--add-output", "0.1"}}) {
    const std::string altered = Path("altered.safetensors");
    ASSERT_EQ(RunFirth(Train(altered) + Arguments{"--min-n", "2"} + made).code,
              0);
    const Outcome refused = RunFirth({"train", "--update", altered, "--input",
                                      more, "--output", Path("x.txt")});
    EXPECT_EQ(refused.code, 1) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("after training by " + made[0]));
  }
  EXPECT_THAT(
      RunFirth(Train(Path("x.txt")) + Arguments{"--update-counts", "old"}).err,
      HasSubstr("--update-counts requires --update FILE"));
}

TEST_F(TrainCommandTest, ViewsAreTrainedAndJoined) {
  const auto train = [&](const std::vector<std::string>& more) {
    return RunFirth(Train(Path("v.txt")) + more);
  };
  const Outcome joined = train(
      {"--views", "2,4", "--view-dim", "20", "--report", Path("report.json")});
  EXPECT_EQ(joined.code, 0) << joined.err;
  EXPECT_THAT(joined.err, HasSubstr("of 16 dimensions"));
  const std::string report = ReadWholeFile(Path("report.json"));
  EXPECT_THAT(report, HasSubstr("\"views\": \"2,4\""));
  EXPECT_THAT(report, Not(HasSubstr("\"window\"")));
  const std::pair<std::vector<std::string>, std::string> misuses[] = {
      {{"--views", "2,4", "--window", "3"},
       "--window cannot be combined with --views, which give the windows"},
      {{"--view-dim", "30"}, "--view-dim requires --views"},
      {{"--patience", "2"},
       "--patience requires --valid FILE, --eval-analogies FILE or "
       "--eval-similarity FILE"},
      {{"--learning-rate", "1e10"},
       "--learning-rate: expected a number, 1e-12"},
      {{"--views", "2,x"},
       "--views: expected whole numbers separated by commas, 1 to 1000, found "
       "\"2,x\""},
      {{"--views", "2"}, "views: must be 2 to 8 windows, found 1"},
      {{"--views", "2,4", "--init", corpus_},
       "--init cannot be combined with --views"},
      {{"--preset", "best", "--init", corpus_},
       "--init cannot be combined with --views"},
  };
  // 0 is what it is without the option, and harms nothing.
  EXPECT_EQ(train({"--patience", "0"}).code, 0);
  for (const auto& [more, message] : misuses) {
    const Outcome outcome = train(more);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
}

TEST_F(TrainCommandTest, APresetGivesWayToWhatIsGiven) {
  for (const std::vector<std::string>& given :
       {std::vector<std::string>{"--arch", "cbow"},
        {"--loss", "nce"},
        {"--subword-index", "none"},
        {"--loss", "hs", "--add-output", "0"},
        {"--subword-index", "floret", "--add-output", "0"}}) {
    const Outcome outcome =
        RunFirth(Train(Path("preset.safetensors")) +
                 std::vector<std::string>{"--preset", "best"} + given);
    EXPECT_EQ(outcome.code, 0) << given[1] << ": " << outcome.err;
  }
}

TEST_F(TrainCommandTest, NGramsThatAFormatCannotHoldAreToldOfBefore) {
  const Outcome told =
      RunFirth(Train(Path("v.bin")) + std::vector<std::string>{"--min-n", "3"});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.err, HasSubstr("bin cannot hold these n-grams"));
  const Outcome held = RunFirth(Train(Path("v.ftbin")) +
                                std::vector<std::string>{"--min-n", "3"});
  EXPECT_EQ(held.code, 0) << held.err;
  EXPECT_THAT(held.err, Not(HasSubstr("cannot hold")));
  const Outcome none = RunFirth(Train(Path("v.floret")) +
                                std::vector<std::string>{"--min-n", "3"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(
      none.err,
      HasSubstr("floret can hold only the n-grams of --subword-index floret"));
  const Outcome no_words =
      RunFirth(Train(Path("v.floret")) +
               std::vector<std::string>{"--subword-index", "floret"});
  EXPECT_EQ(no_words.code, 0) << no_words.err;
  EXPECT_THAT(no_words.err, HasSubstr("floret cannot hold words"));
  const Outcome misused =
      RunFirth(Train(Path("v.ftbin")) +
               std::vector<std::string>{"--subword-index", "explicit",
                                        "--buckets", "10"});
  EXPECT_EQ(misused.code, 2);
  EXPECT_THAT(
      misused.err,
      HasSubstr("--buckets requires --subword-index buckets or floret"));
}

TEST_F(TrainCommandTest, AccountGoesToStandardErrorAndTellsAll) {
  const Outcome outcome = RunFirth(Train(Path("v.bin")));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(
      outcome.err,
      AllOf(HasSubstr("1 file"), HasSubstr("400 lines"),
            HasSubstr("tokens   3,200, kept 3,200 (100.0%)"),
            HasSubstr("16 different, kept 16"), HasSubstr("  memory   tables "),
            HasSubstr("available"), HasSubstr("16 words of 16 dimensions")));
  EXPECT_THAT(outcome.err, Not(HasSubstr("dropped")));
}

TEST_F(TrainCommandTest, DroppedTokensAreAccountedFor) {
  WriteWholeFile(corpus_, TwoTopicText(400) + "once upon\n");
  const Outcome outcome = RunFirth(Train(Path("v.bin")));
  EXPECT_THAT(outcome.err,
              HasSubstr("dropped  2 tokens of words below --min-count (0.1%)"));
}

TEST_F(TrainCommandTest, QuietIsSilent) {
  const Outcome outcome =
      RunFirth(Train(Path("v.bin")) + std::vector<std::string>{"--quiet"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(TrainCommandTest, ReadsStandardInputLikeAFile) {
  ASSERT_EQ(RunFirth(Train(Path("file.bin"))).code, 0);
  const Outcome piped =
      RunFirth({"train", "--input", "-", "--output", Path("pipe.bin"), "--dim",
                "16", "--threads", "1"},
               {.input = TwoTopicText(400)});
  EXPECT_EQ(piped.code, 0) << piped.err;
  EXPECT_EQ(ReadWholeFile(Path("pipe.bin")), ReadWholeFile(Path("file.bin")));
}

TEST_F(TrainCommandTest, InputsMayBeListedRepeatedOrBare) {
  const std::string other = File("other.txt", TwoTopicText(100));
  const std::vector<std::string> ways[] = {
      {"train", "--input", corpus_, other, "--output", Path("v.bin")},
      {"train", "--input", corpus_, "--input", other, "--output",
       Path("v.bin")},
      {"train", corpus_, other, "-o", Path("v.bin")}};
  for (const auto& arguments : ways) {
    const Outcome outcome =
        RunFirth(arguments + std::vector<std::string>{"--dim", "8"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("2 files"));
  }
}

TEST_F(TrainCommandTest, EveryArchitectureTrainsUnderEveryLoss) {
  for (const Variant& variant : PlainVariants()) {
    SCOPED_TRACE(variant.name);
    const std::string loss = NameOf(variant.objective);
    const Outcome outcome =
        RunFirth(Train(Path("v.safetensors")) +
                 std::vector<std::string>{
                     "--arch", NameOf(variant.architecture), "--loss", loss});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err.find("mean ln Z") != std::string::npos,
              loss == "nce");
  }
}

TEST_F(TrainCommandTest, OneThreadAndOneSeedGiveTheSameBytes) {
  for (const VectorFormatInfo& format : VectorFormats()) {
    if (!format.holds_words) continue;
    const std::string extension(format.extensions[0]);
    const std::string first = Path("first" + extension);
    const std::string second = Path("second" + extension);
    ASSERT_EQ(RunFirth(Train(first)).code, 0);
    ASSERT_EQ(RunFirth(Train(second)).code, 0);
    const auto names = format.folder_files.empty()
                           ? std::vector<absl::string_view>{""}
                           : format.folder_files;
    for (const absl::string_view name : names) {
      EXPECT_EQ(ReadWholeFile(absl::StrCat(first, name)),
                ReadWholeFile(absl::StrCat(second, name)))
          << extension << name;
    }
  }
}

TEST_F(TrainCommandTest, AnotherSeedGivesOtherBytes) {
  ASSERT_EQ(RunFirth(Train(Path("first.bin"))).code, 0);
  ASSERT_EQ(RunFirth(Train(Path("second.bin")) +
                     std::vector<std::string>{"--seed", "2"})
                .code,
            0);
  EXPECT_NE(ReadWholeFile(Path("first.bin")),
            ReadWholeFile(Path("second.bin")));
}

TEST_F(TrainCommandTest, ReportHoldsOptionsCountsAndTimes) {
  ASSERT_EQ(RunFirth(Train(Path("v.bin")) +
                     std::vector<std::string>{"--loss", "nce", "--epochs", "3",
                                              "--report", Path("r.json")})
                .code,
            0);
  const auto report = nlohmann::json::parse(ReadWholeFile(Path("r.json")));
  EXPECT_EQ(report.at("options").at("dim"), 16);
  EXPECT_EQ(report.at("options").at("loss"), "nce");
  EXPECT_EQ(report.at("options").at("input"), nlohmann::json({corpus_}));
  EXPECT_FALSE(report.at("options").contains("batch"));
  EXPECT_EQ(report.at("corpus").at("tokens"), 3200);
  EXPECT_EQ(report.at("loss").size(), 3u);
  EXPECT_EQ(report.at("mean_ln_z").size(), 3u);
  EXPECT_EQ(report.at("epochs").size(), 3u);
  EXPECT_EQ(report.at("interrupted"), false);
  EXPECT_GT(report.at("peak_memory_bytes"), 1000000);
  EXPECT_GT(report.at("words_per_second"), 0);
  for (const char* phase : {"read", "train", "write"}) {
    EXPECT_GE(report.at("seconds").at(phase), 0) << phase;
  }
  EXPECT_TRUE(report.contains("version"));
}

TEST_F(TrainCommandTest, VocabularySavedCanBeGivenAgain) {
  ASSERT_EQ(RunFirth(Train(Path("a.bin")) +
                     std::vector<std::string>{"--save-vocab", Path("a.vocab")})
                .code,
            0);
  const Outcome given =
      RunFirth({"train", "--input", corpus_, "--vocab", Path("a.vocab"),
                "--output", Path("b.bin"), "--dim", "16", "--threads", "1"});
  EXPECT_EQ(given.code, 0) << given.err;
  EXPECT_EQ(ReadWholeFile(Path("a.bin")), ReadWholeFile(Path("b.bin")));
}

TEST_F(TrainCommandTest, InterruptWritesWhatWasLearnt) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string output = Path("v.safetensors");
    RunningFirth running(TrainForLong(output) +
                         std::vector<std::string>{"--valid", corpus_});
    ASSERT_TRUE(running.WaitForError("  valid    epoch 1: "));
    running.Signal(signal);
    const Outcome outcome = running.Wait();
    EXPECT_EQ(outcome.code, 130);
    EXPECT_THAT(outcome.err, HasSubstr("interrupted; writing what has been"));
    const Outcome info = RunFirth({"info", output, "--json"});
    ASSERT_EQ(info.code, 0) << info.err;
    EXPECT_EQ(nlohmann::json::parse(info.out).at("metadata").at("interrupted"),
              "true");
    std::filesystem::remove(output);
  }
}

TEST_F(TrainCommandTest, InterruptWhileReadingWritesNothing) {
  const std::string pipe = Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  RunningFirth running({"train", "--input", pipe, "--output", Path("v.bin")});
  const PipeWriter writer(pipe);
  writer.Write("a text that has no end\n");
  running.Signal(SIGINT);
  EXPECT_EQ(running.Wait().code, 130);
  EXPECT_FALSE(std::filesystem::exists(Path("v.bin")));
}

bool HasCheckpoint(const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".safetensors") return true;
  }
  return false;
}

TEST_F(TrainCommandTest, ATrainingHasItsCheckpointsForItself) {
  const std::string saved = Path("saved");
  RunningFirth running(TrainForLong(Path("v.bin")) +
                       std::vector<std::string>{"--checkpoint", saved,
                                                "--checkpoint-every", "1s"});
  ASSERT_TRUE(Eventually([&] { return HasCheckpoint(saved); }));
  const Outcome second = RunFirth({"train", "--resume", saved});
  EXPECT_EQ(second.code, 1);
  EXPECT_THAT(second.err,
              AllOf(HasSubstr("firth: " + saved + ": "),
                    HasSubstr("another training run is saving there now")));
  running.Signal(SIGKILL);
  running.Wait();
  RunningFirth third({"train", "--resume", saved});
  ASSERT_TRUE(third.WaitForError("  memory   tables "));
  third.Signal(SIGINT);
  EXPECT_EQ(third.Wait().code, 130);
  EXPECT_FALSE(std::filesystem::exists(saved + "/.lock"));
}

TEST_F(TrainCommandTest, CheckpointsOfAnotherTrainingAreNoticedBeforeReading) {
  const std::string saved = Path("saved");
  ASSERT_EQ(RunFirth(Train(Path("v.bin")) +
                     std::vector<std::string>{"--checkpoint", saved})
                .code,
            0);
  const std::string endless = Path("endless");  // to who reads it
  ASSERT_EQ(mkfifo(endless.c_str(), 0600), 0);
  const Outcome again = RunFirth({"train", "--input", endless, "-o",
                                  Path("w.bin"), "--checkpoint", saved});
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.err, HasSubstr("the folder already contains checkpoints"));
}

TEST_F(TrainCommandTest, ResumesWithNamesOfAnyBytes) {
  const std::string input = File("caf\xe9.txt", TwoTopicText(400));
  const std::string saved = Path("s\xff");
  const std::string output = Path("\xfe.bin");
  const Outcome trained =
      RunFirth({"train", "--input", input, "--output", output, "--threads", "1",
                "--dim", "16", "--valid", input, "--checkpoint", saved});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const std::string bytes = ReadWholeFile(output);
  std::filesystem::remove(output);
  const Outcome resumed = RunFirth({"train", "--resume", saved});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(ReadWholeFile(output) == bytes);
  const Outcome other =
      RunFirth({"train", "--resume", saved, "--valid", Path("\xfd")});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("--valid was"));
}

TEST_F(TrainCommandTest, AKilledTrainingLeavesTheOldFile) {
  const std::string output = File("v.bin", "old");
  RunningFirth running(TrainForLong(output));
  ASSERT_TRUE(running.WaitForError("  memory   tables "));
  running.Signal(SIGKILL);
  EXPECT_EQ(running.Wait().code, 128 + SIGKILL);
  EXPECT_EQ(ReadWholeFile(output), "old");
}

// A file that takes a while to write is killed for as soon as it is another
// than the old one.
TEST_F(TrainCommandTest, WhatIsSeenOfANewFileIsTheWholeOfIt) {
  std::string text = "4000 250\n";
  for (int word = 0; word < 4000; ++word) {
    text += "w" + std::to_string(word);
    for (int i = 0; i < 250; ++i) text += " 0." + std::to_string(word + i);
    text += "\n";
  }
  const std::string vectors = File("many.txt", text);
  ASSERT_EQ(RunFirth({"convert", vectors, Path("whole.glove")}).code, 0);
  const std::string output = File("v.glove", "old");
  RunningFirth running({"convert", vectors, output});
  ASSERT_TRUE(Eventually([&] { return ReadWholeFile(output) != "old"; }));
  running.Signal(SIGKILL);
  running.Wait();
  EXPECT_TRUE(ReadWholeFile(output) == ReadWholeFile(Path("whole.glove")));
}

// testdata has what a training of this text left that was interrupted in its
// seventh epoch, when only word vectors had checkpoints.
TEST_F(TrainCommandTest, ACheckpointOfAnEarlierVersionIsGoneOnFrom) {
  const char* const source = std::getenv("FIRTH_SOURCE");
  if (source == nullptr) GTEST_SKIP() << "FIRTH_SOURCE is not set";
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    absl::StrAppend(&text, "a", i % 7, " b", i % 5, " c", i % 3, " d", i % 11,
                    "\n");
  }
  const std::string input = File("text.txt", text);
  const std::string saved = Path("saved");
  const std::string name = "/checkpoint-0-000000000135000.safetensors";
  std::filesystem::create_directory(saved);
  std::filesystem::copy_file(std::string(source) + "/tests/testdata" + name,
                             saved + name);
  const std::vector<std::string> arguments[] = {
      {"train", "--resume", saved},
      {"train", "--dim", "4", "--min-count", "1", "--epochs", "10", "--sample",
       "0", "--threads", "1"}};
  nlohmann::json reports[2];
  for (int i = 0; i < 2; ++i) {
    const Outcome trained =
        RunFirth(arguments[i] + std::vector<std::string>{
                                    "--input", input, "--output", Path("v.txt"),
                                    "--report", Path("r.json")});
    ASSERT_EQ(trained.code, 0) << trained.err;
    reports[i] = nlohmann::json::parse(ReadWholeFile(Path("r.json")));
    EXPECT_EQ(reports[i].at("words_trained"), 200000);
  }
  EXPECT_EQ(reports[0].at("resumed_words"), 135000);
  // Not the same bits: they may be of another instruction set.
  for (size_t epoch = 0; epoch < 10; ++epoch) {
    EXPECT_NEAR(reports[0].at("loss").at(epoch).get<double>(),
                reports[1].at("loss").at(epoch).get<double>(), 1e-3);
  }
}

}  // namespace
}  // namespace firth
