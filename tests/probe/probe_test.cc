#include "firth/probe.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/model/language_model_file.h"
#include "lm/tiny_language_model.h"
#include "support/temp_files.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint32_t kWords = 20;

class ProbeTest : public testing::Test {
 protected:
  ProbeTest() {
    VectorFile file;
    file.vectors = RandomVectors(kWords, 16, 3);
    inputs.vectors = folder.File("v.safetensors");
    EXPECT_EQ(SaveVectorFile(file, inputs.vectors, "safetensors"),
              absl::OkStatus());
    inputs.contextualizer = folder.File("lm.safetensors");
    EXPECT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kCharacters),
                                inputs.contextualizer),
              absl::OkStatus());
  }

  // The tag is of the word: its number by 3.
  static std::vector<TaggedSentence> Sentences(size_t count, uint64_t seed) {
    std::vector<TaggedSentence> sentences(count);
    Rng rng(seed);
    for (TaggedSentence& sentence : sentences) {
      for (uint32_t left = 1 + rng.Below(9); left > 0; --left) {
        const uint32_t word = rng.Below(kWords);
        sentence.tokens.push_back(absl::StrCat("w", word));
        sentence.tags.push_back(absl::StrCat("T", word % 3));
      }
    }
    return sentences;
  }

  TempFolder folder;
  TaggerInputs inputs;
};

std::map<std::string, double> ByName(const std::vector<ProbeScore>& scores) {
  std::map<std::string, double> by_name;
  for (const ProbeScore& score : scores)
    by_name[score.features] = score.accuracy;
  return by_name;
}

TEST_F(ProbeTest, FindsTagsThatAreInTheFeatures) {
  const auto report =
      ProbeTags(Sentences(100, 1), Sentences(30, 2), inputs, {.threads = 1});
  ASSERT_EQ(report.status(), absl::OkStatus());
  const auto scores = ByName(report->scores);
  ASSERT_EQ(scores.size(), 9u);
  EXPECT_EQ(scores.at("most frequent tag"), 1);
  EXPECT_EQ(scores.at("hidden Markov model"), 1);
  EXPECT_GT(scores.at("static"), 0.9);
  // Above chance even where the layers are those of a random model.
  for (const auto& [name, accuracy] : scores) {
    EXPECT_GT(accuracy, 0.35) << name;
  }
  EXPECT_GT(scores.at("static + layer 1"), 0.9);
  for (const ProbeScore& score : report->scores) {
    EXPECT_EQ(score.mix.shares.size(), score.features == "mix" ? 3u : 0u);
  }
}

TEST_F(ProbeTest, LabelsLimitWhatIsLearntFrom) {
  inputs.contextualizer.clear();
  const auto train = Sentences(100, 1);
  const auto few = ProbeTags(train, Sentences(30, 2), inputs, {.labels = 20});
  ASSERT_EQ(few.status(), absl::OkStatus());
  EXPECT_GE(few->train_tokens, 20u);
  EXPECT_LT(few->train_tokens, 30u);
  const auto again = ProbeTags(train, Sentences(30, 2), inputs, {.labels = 20});
  EXPECT_EQ(ByName(few->scores), ByName(again->scores));
  const auto all = ProbeTags(train, Sentences(30, 2), inputs, {});
  EXPECT_GT(ByName(all->scores)["static"], ByName(few->scores)["static"]);
}

TEST(ReadSensesTest, LinesAndSenseval) {
  const TempFolder folder;
  const auto lines = ReadSenses(
      folder.Write("lines", "money 2 the bank paid\n\nriver 3 by the bank\n"));
  ASSERT_EQ(lines.status(), absl::OkStatus());
  ASSERT_EQ(lines->size(), 2u);
  EXPECT_EQ((*lines)[0].sense, "money");
  EXPECT_EQ((*lines)[0].position, 1u);
  EXPECT_THAT((*lines)[1].tokens, ElementsAre("by", "the", "bank"));
  const auto senseval = ReadSenses(folder.Write("word.pos", R"(<corpus>
<instance id="1">
<answer instance="1" senseid="S1"/>
<context>
 <wf pos="A">before</wf>
 <wf pos="DT">a</wf> <wf pos=".">&amp;</wf> <head> <wf pos="N">hard</wf></head> <wf pos="N">one</wf>
</context></instance>
)"));
  ASSERT_EQ(senseval.status(), absl::OkStatus());
  ASSERT_EQ(senseval->size(), 1u);
  EXPECT_EQ((*senseval)[0].sense, "S1");
  EXPECT_EQ((*senseval)[0].position, 2u);
  EXPECT_THAT((*senseval)[0].tokens, ElementsAre("a", "&", "hard", "one"));
}

TEST(ReadSensesTest, WhatIsWrongIsNamed) {
  const TempFolder folder;
  for (const char* text :
       {"a 1 x\na 0 x\n", "a 1 x\na 2 x\n", "a 1 x\na x 1\n", "a 1 x\na 1\n",
        "<corpus>\n<context> <head>x</head>\n",
        "<answer senseid=\"a\">\nx <head></head>\n"}) {
    const absl::Status status = ReadSenses(folder.Write("bad", text)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("bad:2: expected"));
  }
}

// The words around tell the sense; the word itself is always the same.
TEST_F(ProbeTest, NearestNeighboursTellSenses) {
  std::vector<SenseInstance> instances;
  Rng rng(4);
  for (int i = 0; i < 200; ++i) {
    const uint32_t sense = rng.Below(3) == 0 ? 1 : 0;
    SenseInstance instance{absl::StrCat("s", sense), 2, {}};
    for (int t = 0; t < 5; ++t) {
      instance.tokens.push_back(
          absl::StrCat("w", t == 2 ? 0 : 1 + sense * 9 + rng.Below(9)));
    }
    instances.push_back(instance);
  }
  const auto report = ProbeSenses(instances, inputs, {.most = 150});
  ASSERT_EQ(report.status(), absl::OkStatus());
  EXPECT_EQ(report->senses, 2u);
  EXPECT_EQ(report->train, 120u);
  EXPECT_EQ(report->test, 30u);
  const auto scores = ByName(report->scores);
  ASSERT_EQ(scores.size(), 6u);
  EXPECT_GT(scores.at("static context"), 0.85);
  EXPECT_LT(scores.at("most frequent sense"), 0.8);
  // Layer 0 sees the word alone.
  EXPECT_LT(scores.at("layer 0"), 0.8);
  EXPECT_GT(scores.at("layer 1"), scores.at("layer 0"));
  EXPECT_EQ(ProbeSenses(absl::MakeSpan(instances).first(4), inputs, {})
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace firth
