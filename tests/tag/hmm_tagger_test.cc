// Taggers that are hidden Markov models, as users of the library train and use
// them.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "firth/file_info.h"
#include "firth/tagger.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_shell.h"
#include "support/temp_files.h"
#include "tag/tagged_sentences.h"

namespace firth {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

class HmmTaggerTest : public testing::Test {
 protected:
  absl::StatusOr<Tagger> Train(
      const std::vector<TaggedSentence>& unlabeled = {}) {
    return Tagger::TrainHmm(train, dev, unlabeled, options, hooks, &report);
  }

  std::vector<TaggedSentence> train = MadeUpSentences(300, 1);
  std::vector<TaggedSentence> dev;
  HmmOptions options;
  TaggerHooks hooks;
  TaggerReport report;
  TempFolder folder;
};

TagScores ScoresOf(Tagger& tagger, std::vector<TaggedSentence> sentences) {
  TagScorer scorer;
  EXPECT_EQ(tagger.Tag(absl::MakeSpan(sentences)), absl::OkStatus());
  for (const auto& s : sentences) scorer.Add(s.tags, s.predicted);
  return scorer.scores();
}

// Most of the words are unknown.
TEST_F(HmmTaggerTest, TagsNewSentences) {
  absl::StatusOr<Tagger> tagger = Train();
  ASSERT_EQ(tagger.status(), absl::OkStatus());
  EXPECT_GT(ScoresOf(*tagger, MadeUpSentences(200, 9)).accuracy(), 0.99);
  EXPECT_EQ(report.train_sentences, 300u);
  EXPECT_GT(report.parameters, 100u);
  ASSERT_THAT(report.epochs, SizeIs(1));
  EXPECT_GT(report.epochs[0].loss, 1);
  EXPECT_EQ(report.best_epoch, 0u);
}

TEST_F(HmmTaggerTest, AFileGivesTheSameTagsAndProbabilities) {
  absl::StatusOr<Tagger> tagger = Train(MadeUpSentences(100, 2));
  ASSERT_EQ(tagger.status(), absl::OkStatus());
  const std::string path = folder.File("hmm.safetensors");
  ASSERT_EQ(tagger->Save(path), absl::OkStatus());
  absl::StatusOr<Tagger> loaded = Tagger::Load(path, {});
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_EQ(loaded->tags(), tagger->tags());
  std::vector<TaggedSentence> here = MadeUpSentences(50, 3), there = here;
  here.emplace_back(), there.emplace_back();  // without tokens
  const TagOptions with{.probabilities = true};
  ASSERT_EQ(tagger->Tag(absl::MakeSpan(here), with), absl::OkStatus());
  ASSERT_EQ(loaded->Tag(absl::MakeSpan(there), with), absl::OkStatus());
  for (size_t s = 0; s < here.size(); ++s) {
    EXPECT_EQ(here[s].predicted, there[s].predicted);
    EXPECT_EQ(here[s].probabilities, there[s].probabilities);
    ASSERT_EQ(here[s].probabilities.size(), here[s].tokens.size());
    for (const double p : here[s].probabilities) {
      EXPECT_GT(p, 0);
      EXPECT_LE(p, 1);
    }
  }
  // Training again gives the same file.
  absl::StatusOr<Tagger> again = Train(MadeUpSentences(100, 2));
  const std::string second = folder.File("again.safetensors");
  ASSERT_EQ(again->Save(second), absl::OkStatus());
  EXPECT_TRUE(ReadWholeFile(second) == ReadWholeFile(path));
}

TEST_F(HmmTaggerTest, InfoDescribesAFile) {
  absl::StatusOr<Tagger> tagger = Train();
  const std::string path = folder.File("hmm.safetensors");
  ASSERT_EQ(tagger->Save(path), absl::OkStatus());
  const absl::StatusOr<FileInfo> info = DescribeFile(path);
  ASSERT_EQ(info.status(), absl::OkStatus());
  EXPECT_EQ(info->kind, "tagger");
  const auto fact = [&](const std::string& name) {
    return absl::c_find_if(
               info->facts,
               [&](const FileFact& each) { return each.name == name; })
        ->value;
  };
  EXPECT_EQ(std::get<std::string>(fact("model")), "hidden Markov model");
  EXPECT_EQ(std::get<uint64_t>(fact("num_tags")), 4u);
  EXPECT_EQ(std::get<uint64_t>(fact("parameters")), report.parameters);
}

TEST_F(HmmTaggerTest, UsesNoOtherFiles) {
  absl::StatusOr<Tagger> tagger = Train();
  const std::string path = folder.File("hmm.safetensors");
  ASSERT_EQ(tagger->Save(path), absl::OkStatus());
  EXPECT_THAT(Tagger::Load(path, {"v.bin", ""}).status().message(),
              HasSubstr("this tagger was trained without --vectors"));
  EXPECT_THAT(PackTagger(path, {}, folder.File("packed")).message(),
              HasSubstr("so there is nothing to pack"));
  EXPECT_THAT(ReadMixes(path, path).status().message(),
              HasSubstr("expected a tagger with a network"));
}

TEST_F(HmmTaggerTest, BaumWelchRaisesTheLikelihoodAndDevChoosesTheIteration) {
  train.resize(20);
  dev = MadeUpSentences(50, 4);
  options.iterations = 8;
  std::vector<size_t> bests;
  hooks.on_epoch = [&](const TaggerReport& at) {
    bests.push_back(at.best_epoch);
  };
  absl::StatusOr<Tagger> tagger = Train(MadeUpSentences(300, 2));
  ASSERT_EQ(tagger.status(), absl::OkStatus());
  ASSERT_THAT(report.epochs, SizeIs(9));
  EXPECT_THAT(bests, SizeIs(9));
  double best = 0;
  for (size_t i = 0; i < 9; ++i) {
    if (i > 0) {
      EXPECT_LT(report.epochs[i].loss, report.epochs[i - 1].loss);
    }
    best = std::max(best, report.epochs[i].dev.accuracy());
  }
  const double chosen = report.epochs[report.best_epoch - 1].dev.accuracy();
  EXPECT_EQ(chosen, best);
  EXPECT_EQ(ScoresOf(*tagger, dev).accuracy(), best);
}

TEST_F(HmmTaggerTest, CanBeStopped) {
  std::atomic<bool> stop = false;
  hooks.hooks.stop = &stop;
  options.iterations = 100;
  hooks.on_epoch = [&](const TaggerReport& at) {
    stop = at.epochs.size() == 3;
  };
  const std::vector<TaggedSentence> unlabeled = MadeUpSentences(50, 2);
  absl::StatusOr<Tagger> tagger = Train(unlabeled);
  ASSERT_EQ(tagger.status(), absl::OkStatus());
  EXPECT_TRUE(report.interrupted);
  EXPECT_THAT(report.epochs, SizeIs(3));
  stop = true;
  EXPECT_TRUE(absl::IsCancelled(Train(unlabeled).status()));
  std::vector<TaggedSentence> sentences = MadeUpSentences(2, 1);
  hooks.hooks.stop = &stop;
  EXPECT_TRUE(absl::IsCancelled(
      tagger->Tag(absl::MakeSpan(sentences), {}, hooks.hooks)));
}

TEST_F(HmmTaggerTest, ATextWithOneTag) {
  for (const size_t tokens : {1, 2, 30}) {
    train.assign(1, {});
    train[0].tokens.assign(tokens, "x");
    train[0].tags.assign(tokens, "T");
    absl::StatusOr<Tagger> tagger = Train();
    ASSERT_EQ(tagger.status(), absl::OkStatus());
    const std::string path = folder.File("one.safetensors");
    ASSERT_EQ(tagger->Save(path), absl::OkStatus());
    absl::StatusOr<Tagger> loaded = Tagger::Load(path, {});
    ASSERT_EQ(loaded.status(), absl::OkStatus());
    std::vector<TaggedSentence> sentences(1);
    sentences[0].tokens = {"x", "unknown", "X", "x"};
    ASSERT_EQ(loaded->Tag(absl::MakeSpan(sentences), {.probabilities = true}),
              absl::OkStatus());
    EXPECT_THAT(sentences[0].predicted, Each("T"));
    EXPECT_THAT(sentences[0].probabilities, Each(testing::DoubleNear(1, 1e-9)));
  }
}

TEST_F(HmmTaggerTest, SentencesOfTenThousandWords) {
  absl::StatusOr<Tagger> tagger = Train();
  ASSERT_EQ(tagger.status(), absl::OkStatus());
  std::vector<TaggedSentence> sentences(2);
  for (const TaggedSentence& each : MadeUpSentences(2000, 5)) {
    sentences[0].tokens.insert(sentences[0].tokens.end(), each.tokens.begin(),
                               each.tokens.end());
    sentences[0].tags.insert(sentences[0].tags.end(), each.tags.begin(),
                             each.tags.end());
  }
  sentences[1].tokens.assign(10000, "\xff\xfe unknown");
  ASSERT_GT(sentences[0].tokens.size(), 10000u);
  ASSERT_EQ(tagger->Tag(absl::MakeSpan(sentences), {.probabilities = true}),
            absl::OkStatus());
  EXPECT_THAT(sentences[1].predicted, SizeIs(10000));
  size_t correct = 0;
  for (size_t i = 0; i < sentences[0].tokens.size(); ++i) {
    correct += sentences[0].predicted[i] == sentences[0].tags[i];
    EXPECT_GT(sentences[0].probabilities[i], 0);
  }
  EXPECT_GT(correct, sentences[0].tokens.size() * 98 / 100);
}

TEST_F(HmmTaggerTest, BadInputIsReported) {
  const auto error = [&](const std::vector<TaggedSentence>& unlabeled = {}) {
    return std::string(Train(unlabeled).status().message());
  };
  const std::vector<TaggedSentence> good = train;
  train.clear();
  EXPECT_THAT(error(), HasSubstr("there are no sentences to learn from"));
  train = good;
  train[3].tags.pop_back();
  EXPECT_THAT(error(), HasSubstr("each token of the sentences needs a tag"));
  train = good;
  train[3].tokens[0] = "";
  EXPECT_THAT(error(), HasSubstr("a token must not be empty"));
  train[3].tokens[0] = "a\nb";
  EXPECT_THAT(error(), HasSubstr("found \"a\\nb\""));
  train[3].tokens[0] = "a";
  train[3].tags[0] = "x\n";
  EXPECT_THAT(error(), HasSubstr("a tag must not be empty"));
  train = good;
  std::vector<TaggedSentence> unlabeled(1);
  EXPECT_EQ(error(unlabeled), "");  // a sentence without tokens
  unlabeled[0].tokens = {"a", ""};
  EXPECT_THAT(error(unlabeled), HasSubstr("a token must not be empty"));
  options.iterations = 0;
  EXPECT_THAT(error(), HasSubstr("iterations"));
}

// Word and tag are split at the last slash. Base tags end before a dash or a
// plus sign.
std::vector<TaggedSentence> ReadBrown(const std::vector<std::string>& files,
                                      bool base) {
  TaggedTextOptions text;
  text.form = TextForm::kSlashes;
  text.inputs = files;
  auto sentences = ReadTaggedText(text);
  EXPECT_EQ(sentences.status(), absl::OkStatus());
  if (!base) return *std::move(sentences);
  for (TaggedSentence& sentence : *sentences) {
    for (std::string& tag : sentence.tags) {
      tag = tag.substr(0, std::max<size_t>(1, tag.find_first_of("-+")));
    }
  }
  return *std::move(sentences);
}

// Every tenth file is for testing.
TEST_F(HmmTaggerTest, AccuracyOnBrown) {
  const char* const data = std::getenv("FIRTH_DATA");
  if (data == nullptr) GTEST_SKIP() << "FIRTH_DATA is not set";
  ASSERT_EQ(
      RunShell(absl::StrCat("zstd -dc ", data, "/pos/brown.tar.zst | tar x -C ",
                            folder.path()))
          .exit_code,
      0);
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(
           absl::StrCat(folder.path(), "/brown"))) {
    const std::string name = entry.path().filename();
    if (name.size() == 4 && name[0] == 'c') files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  ASSERT_THAT(files, SizeIs(500));
  std::vector<std::string> training, testing;
  for (size_t i = 0; i < files.size(); ++i) {
    (i % 10 == 9 ? testing : training).push_back(files[i]);
  }
  for (const bool base : {true, false}) {
    train = ReadBrown(training, base);
    absl::StatusOr<Tagger> tagger = Train();
    ASSERT_EQ(tagger.status(), absl::OkStatus());
    const TagScores scores = ScoresOf(*tagger, ReadBrown(testing, base));
    EXPECT_EQ(scores.tokens, 115803u);
    EXPECT_GE(scores.accuracy(), base ? 0.965 : 0.953) << base;
  }
}

}  // namespace
}  // namespace firth
