// Trainings that are broken off and go on.

#include "firth/checkpoint.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_replace.h"
#include "corpus/token_stream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/altered_state.h"
#include "support/corpora.h"
#include "support/temp_files.h"
#include "support/threads.h"
#include "support/trainings.h"

namespace firth {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class Warnings : public ProgressSink {
 public:
  void OnWarning(absl::string_view message) override {
    all.emplace_back(message);
  }
  std::vector<std::string> all;
};

absl::StatusOr<TrainedModel> TrainTiny(const Corpus& corpus,
                                       const TrainOptions& options,
                                       const Checkpointing& checkpointing,
                                       ProgressSink* progress = nullptr) {
  return Train(corpus, options, {progress, nullptr}, {}, checkpointing);
}

std::vector<fs::path> FilesIn(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void Damage(const fs::path& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-100, std::ios::end);
  file.put('\x55');
}

TEST(CheckpointTest, ResumedTrainingsOfEveryKindEndWithTheSameBytes) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  for (const Variant& variant : AllVariants()) {
    SCOPED_TRACE(variant.name);
    const TempFolder folder;
    const TrainOptions options = OptionsOf(variant);
    const auto whole = Train(corpus, options);
    const auto saved = TrainTiny(corpus, options, Often(folder.path()));
    ASSERT_TRUE(whole.ok() && saved.ok()) << whole.status() << saved.status();
    ExpectSameModel(*whole, *saved);
    RemoveNewest(folder);
    const auto resumed =
        TrainTiny(corpus, options, Often(folder.path(), /*resume=*/true));
    ASSERT_TRUE(resumed.ok()) << resumed.status();
    EXPECT_GT(resumed->report.resumed_words, 0u);
    EXPECT_LT(resumed->report.resumed_words, resumed->report.words);
    ExpectSameModel(*whole, *resumed);
  }
}

TEST(CheckpointTest, ResumesViews) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  TrainOptions options = SmallOptions();
  options.views = {2, 5};
  const TempFolder folder;
  const auto whole = Train(corpus, options);
  const auto saved = TrainTiny(corpus, options, Often(folder.path()));
  ASSERT_TRUE(whole.ok() && saved.ok()) << saved.status();
  // Of each view two, and of the second the last one got lost.
  EXPECT_THAT(FilesIn(folder.path()), SizeIs(4));
  RemoveNewest(folder);
  const auto resumed = TrainTiny(corpus, options, Often(folder.path(), true));
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_TRUE(SameTable(whole->vectors.table(), resumed->vectors.table()));
}

TEST(CheckpointTest, SeveralThreadsResume) {
  const Corpus corpus = TwoTopicCorpus(1500, 1);
  TrainOptions options = SmallOptions();
  options.threads = 3;
  const TempFolder folder;
  ASSERT_TRUE(TrainTiny(corpus, options, Often(folder.path())).ok());
  RemoveNewest(folder);
  options.threads = 2;
  const auto resumed = TrainTiny(corpus, options, Often(folder.path(), true));
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_EQ(resumed->report.words, 3 * corpus.tokens->num_words());
}

TEST(CheckpointTest, KeepsTwoAndTheNote) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  for (const bool in_background : {false, true}) {
    const TempFolder folder;
    Checkpointing often = Often(folder.path());
    often.in_background = in_background;
    const auto trained = TrainTiny(corpus, SmallOptions(), often);
    ASSERT_TRUE(trained.ok()) << trained.status();
    EXPECT_GE(trained->report.checkpoints, in_background ? 2u : 10u);
    EXPECT_THAT(FilesIn(folder.path()), SizeIs(2));
    EXPECT_EQ(*ReadCheckpointNote(folder.path()), "a note");
  }
}

TEST(CheckpointTest, AreWrittenWhereNoThreadCanBeStarted) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  const TempFolder folder;
  Checkpointing often = Often(folder.path());
  often.in_background = true;
  TrainOptions options = SmallOptions();
  options.threads = 1;
  const ScopedNoThreads none;
  const auto trained = TrainTiny(corpus, options, often);
  ASSERT_TRUE(trained.ok()) << trained.status();
  // The time that training waits for each limits how many there are.
  EXPECT_GE(trained->report.checkpoints, 1u);
  EXPECT_GE(FilesIn(folder.path()).size(), 1u);
}

TEST(CheckpointTest, MoreEpochsGoOnFromTheEnd) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  const TempFolder folder;
  TrainOptions options = SmallOptions();
  ASSERT_TRUE(TrainTiny(corpus, options, Often(folder.path())).ok());
  options.epochs = 5;
  const auto longer = TrainTiny(corpus, options, Often(folder.path(), true));
  ASSERT_TRUE(longer.ok()) << longer.status();
  EXPECT_EQ(longer->report.epochs.size(), 5u);
  EXPECT_EQ(longer->report.resumed_words, 3 * corpus.tokens->num_words());
}

TEST(CheckpointTest, AnotherTrainingIsRefusedWithAllDifferences) {
  const TempFolder folder;
  const Corpus corpus = TwoTopicCorpus(300, 1);
  ASSERT_TRUE(TrainTiny(corpus, SmallOptions(), Often(folder.path())).ok());
  TrainOptions other = SmallOptions();
  other.dim = 17;
  other.window = 3;
  other.epochs = 2;  // fewer
  other.objective = NceOptions{};
  const auto refused =
      TrainTiny(TwoTopicCorpus(301, 1), other, Often(folder.path(), true));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.status().message()),
              AllOf(HasSubstr("dim was 16 and is now 17"),
                    HasSubstr("window was 5 and is now 3"),
                    HasSubstr("epochs was 3 and is now 2"),
                    HasSubstr("loss was \"ns\" and is now \"nce\""),
                    HasSubstr("; text changed (its checksum was ")));
}

TEST(CheckpointTest, OneThatIsDamagedIsPassedOver) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  const TrainOptions options = SmallOptions();
  const TempFolder folder;
  const auto whole = TrainTiny(corpus, options, Often(folder.path()));
  ASSERT_TRUE(whole.ok());
  Damage(FilesIn(folder.path()).back());
  EXPECT_EQ(*ReadCheckpointNote(folder.path()), "a note");
  Warnings warnings;
  const auto resumed =
      TrainTiny(corpus, options, Often(folder.path(), true), &warnings);
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  ExpectSameModel(*whole, *resumed);
  EXPECT_THAT(
      warnings.all,
      ElementsAre(AllOf(HasSubstr("was changed"),
                        HasSubstr("using the previous checkpoint instead"))));

  for (const fs::path& path : FilesIn(folder.path())) Damage(path);
  EXPECT_EQ(ReadCheckpointNote(folder.path()).status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(
      TrainTiny(corpus, options, Often(folder.path(), true)).status().code(),
      absl::StatusCode::kDataLoss);
}

// Training from an older one would silently repeat what a newer program did.
TEST(CheckpointTest, OneOfANewerVersionIsNotPassedOver) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  const TempFolder folder;
  ASSERT_TRUE(TrainTiny(corpus, SmallOptions(), Often(folder.path())).ok());
  const fs::path newest = FilesIn(folder.path()).back();
  const std::string bytes = ReadWholeFile(newest);
  const std::string newer = absl::StrReplaceAll(
      bytes, {{R"("format_version":"1")", R"("format_version":"2")"}});
  ASSERT_NE(newer, bytes);
  folder.Write(newest.filename().string(), newer);
  const absl::Status status =
      TrainTiny(corpus, SmallOptions(), Often(folder.path(), true)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr(newest.string() + ": expected"));
}

struct OddCase {
  const char* name;
  void (*make)(const fs::path& path);
};

constexpr OddCase kOddCases[] = {
    {"a folder", [](const fs::path& path) { fs::create_directory(path); }},
    {"a folder with a file",
     [](const fs::path& path) {
       fs::create_directory(path);
       std::ofstream(path / "file").put('x');
     }},
    {"a pipe",
     [](const fs::path& path) { ASSERT_EQ(mkfifo(path.c_str(), 0600), 0); }},
    {"a loop of links",
     [](const fs::path& path) { fs::create_symlink(path, path); }},
    {"a link to nothing",
     [](const fs::path& path) { fs::create_symlink("nothing", path); }},
    {"a device",
     [](const fs::path& path) { fs::create_symlink("/dev/zero", path); }},
    {"an empty file", [](const fs::path& path) { std::ofstream file(path); }},
    {"another file",
     [](const fs::path& path) { std::ofstream(path) << "some text\n"; }},
    {"a file of nobody",
     [](const fs::path& path) {
       std::ofstream(path).put('x');
       fs::permissions(path, fs::perms::none);
     }},
};

// Each stands where the newest one should be, which is written again.
TEST(CheckpointTest, OddThingsArePassedOver) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  const TrainOptions options = SmallOptions();
  const auto whole = Train(corpus, options);
  for (const OddCase& odd : kOddCases) {
    SCOPED_TRACE(odd.name);
    const TempFolder folder;
    ASSERT_TRUE(TrainTiny(corpus, options, Often(folder.path())).ok());
    const fs::path newest = FilesIn(folder.path()).back();
    fs::remove(newest);
    odd.make(newest);
    EXPECT_EQ(*ReadCheckpointNote(folder.path()), "a note");
    Warnings warnings;
    const auto resumed =
        TrainTiny(corpus, options, Often(folder.path(), true), &warnings);
    ASSERT_TRUE(resumed.ok()) << resumed.status();
    EXPECT_GT(resumed->report.resumed_words, 0u);
    ExpectSameModel(*whole, *resumed);
    ASSERT_FALSE(warnings.all.empty());
    EXPECT_THAT(warnings.all[0],
                HasSubstr("using the previous checkpoint instead"));
    fs::remove(FilesIn(folder.path()).front());
    std::error_code ignored;
    if (fs::is_regular_file(newest, ignored)) continue;
    EXPECT_THAT(warnings.all.back(), HasSubstr("cannot write a checkpoint"));
    const auto none = TrainTiny(corpus, options, Often(folder.path(), true));
    EXPECT_EQ(none.status().code(), absl::StatusCode::kDataLoss);
  }
}

TEST(CheckpointTest, AGoodOneStaysWhereNewerOnesAreDamaged) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  const TempFolder folder;
  ASSERT_TRUE(TrainTiny(corpus, SmallOptions(), Often(folder.path())).ok());
  const std::vector<fs::path> good = FilesIn(folder.path());
  // Two that are damaged and newer than any that will be written.
  for (const char* words : {"999999999999998", "999999999999999"}) {
    const fs::path newer =
        folder.File(std::string("checkpoint-0-") + words + ".safetensors");
    fs::copy_file(good.back(), newer);
    Damage(newer);
  }
  fs::remove(good.back());
  ASSERT_TRUE(
      TrainTiny(corpus, SmallOptions(), Often(folder.path(), true)).ok());
  EXPECT_TRUE(fs::exists(good.front()));
  EXPECT_TRUE(fs::exists(good.back()));
}

TEST(CheckpointTest, OneTrainingHasTheFolder) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  const TempFolder parent;
  const std::string folder = parent.File("saved");
  {
    Checkpointing reserved = Often(folder);
    ASSERT_TRUE(ReserveCheckpoints(&reserved).ok());
    for (const bool resume : {false, true}) {
      const auto other =
          TrainTiny(corpus, SmallOptions(), Often(folder, resume));
      EXPECT_EQ(other.status().code(), absl::StatusCode::kFailedPrecondition);
      EXPECT_THAT(std::string(other.status().message()),
                  AllOf(HasSubstr(folder), HasSubstr("another folder")));
    }
    ASSERT_TRUE(TrainTiny(corpus, SmallOptions(), reserved).ok());
  }
  EXPECT_THAT(FilesIn(folder), SizeIs(2));  // no lock
  EXPECT_TRUE(TrainTiny(corpus, SmallOptions(), Often(folder, true)).ok());
}

TEST(CheckpointTest, ANoteIsText) {
  const TempFolder folder;
  Checkpointing often = Often(folder.path());
  often.note = "\xff";
  EXPECT_EQ(
      TrainTiny(TwoTopicCorpus(300, 1), SmallOptions(), often).status().code(),
      absl::StatusCode::kInvalidArgument);
}

TEST(CheckpointTest, FoldersOfOtherThingsAreRefused) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  const TrainOptions options = SmallOptions();
  const TempFolder folder;
  EXPECT_EQ(ReadCheckpointNote(folder.path() + "/none").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(ReadCheckpointNote(folder.path()).status().code(),
            absl::StatusCode::kNotFound);
  ASSERT_TRUE(TrainTiny(corpus, options, Often(folder.path())).ok());
  // Not asked to resume: what is there is not overwritten.
  const auto again = TrainTiny(corpus, options, Often(folder.path()));
  EXPECT_THAT(std::string(again.status().message()),
              HasSubstr("already contains checkpoints"));
  // A folder's name that a file has.
  const std::string file = folder.path() + "/file";
  std::ofstream(file).put('x');
  EXPECT_THAT(
      std::string(TrainTiny(corpus, options, Often(file)).status().message()),
      HasSubstr(file + ": cannot create the folder for checkpoints"));
}

TEST(CheckpointTest, FoldersAboveAreNotMade) {
  const TempFolder folder;
  const std::string above = folder.path() + "/slip";
  const auto refused = TrainTiny(TwoTopicCorpus(300, 1), SmallOptions(),
                                 Often(above + "/saved"));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(refused.status().message()),
      HasSubstr(
          above +
          "/saved: cannot create the folder for checkpoints: No such file"));
  EXPECT_FALSE(fs::exists(above));
}

TEST(CheckpointTest, WhatWasHalfWrittenIsRemoved) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  const TempFolder folder;
  const std::string half =
      folder.path() + "/checkpoint-0-000000000000500.safetensors.tmp-a1b2c3";
  const std::string other = folder.path() + "/mine.tmp-a1b2c3";
  std::ofstream(half).put('x');
  std::ofstream(other).put('x');
  ASSERT_TRUE(TrainTiny(corpus, SmallOptions(), Often(folder.path())).ok());
  EXPECT_FALSE(fs::exists(half));
  EXPECT_TRUE(fs::exists(other));
}

TEST(CheckpointTest, StatesThatCannotBeAreRefused) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  ExpectStatesAreRefused(
      {R"({"epoch": 4})", R"({"epoch": -1})", R"({"epoch": 1.5})",
       R"({"token": 18446744073709551615})", R"({"words": 99999999})",
       R"({"words": 1e300})", R"({"probes": [1, 2]})", R"({"probes": [1e300]})",
       R"({"epochs": []})", R"({"epochs": 7})", R"({"sums": {"examples": -3}})",
       R"({"rate_factor": -1})", R"({"rate_factor": 0})",
       R"({"rate_factor": 1e99})", R"({"rate_factor": null})"},
      [&](const Checkpointing& checkpointing) {
        return TrainTiny(corpus, SmallOptions(), checkpointing).status();
      });
}

TEST(CheckpointTest, ValuesOutOfBoundsGoBackAtHalfTheRate) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  TrainOptions options = SmallOptions();
  options.objective = FullSoftmaxOptions{8};
  options.learning_rate = 0.01;
  while (Train(corpus, options).ok()) {
    options.learning_rate *= 2;
    ASSERT_LT(options.learning_rate, 1e30);
  }
  const TempFolder folder;
  Warnings warnings;
  const auto halved =
      TrainTiny(corpus, options, Often(folder.path()), &warnings);
  ASSERT_TRUE(halved.ok()) << halved.status();
  EXPECT_EQ(halved->report.epochs.size(), 3u);
  EXPECT_THAT(warnings.all,
              ElementsAre(AllOf(HasSubstr("since the loss is"),
                                HasSubstr("with half the learning rate"))));
  // Once, and no more.
  options.learning_rate *= 64;
  const TempFolder hopeless;
  const auto failed = TrainTiny(corpus, options, Often(hopeless.path()));
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace firth
