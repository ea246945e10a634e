// firth embed as a user runs it.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "end_to_end/contextual_program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/tensors/hdf5_file.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

using EmbedTest = ContextualProgramTest;

TEST_F(EmbedTest, EmbedsInEveryForm) {
  const std::string lm = TinyLm();
  const ProgramOptions text{.input = "the cat sat\n\nnew \xff words\n"};
  const Outcome shown = RunFirth({"embed", lm, "--layers", "1"}, text);
  ASSERT_EQ(shown.code, 0) << shown.err;
  const std::vector<std::string> lines = absl::StrSplit(shown.out, '\n');
  ASSERT_EQ(lines.size(), 6u + 3u + 1u);  // tokens, ends of sentences, the end
  EXPECT_THAT(lines[0], StartsWith("the "));
  EXPECT_EQ(std::vector<std::string>(absl::StrSplit(lines[0], ' ')).size(),
            1u + 12u);
  for (const char* name : {"e.hdf5", "e.npy", "e.safetensors"}) {
    const Outcome written = RunFirth({"embed", lm, "-o", Path(name)}, text);
    EXPECT_EQ(written.code, 0) << written.err;
    EXPECT_THAT(written.err, HasSubstr("6 tokens in 3 sentences"));
  }
  const auto hdf5 = Hdf5File::Open(Path("e.hdf5"));
  ASSERT_TRUE(hdf5.ok());
  EXPECT_EQ(*hdf5->Shape("0"), (std::vector<uint64_t>{3, 3, 12}));
  EXPECT_EQ(*hdf5->Shape("1"), (std::vector<uint64_t>{3, 0, 12}));
  EXPECT_THAT(
      ReadWholeFile(Path("e.hdf5")),
      HasSubstr("{\"new \xef\xbf\xbd words\":\"2\",\"the cat sat\":\"0\"}"));
  EXPECT_EQ(RunFirth({"embed", lm, "--layers", "top"}, text).out,
            RunFirth({"embed", lm, "--layers", "2"}, text).out);
  // A mix with all in one layer is that layer.
  EXPECT_EQ(
      RunFirth({"embed", lm, "--layers", "mix", "--mix-weights", "0,5,0"}, text)
          .out,
      shown.out);
}

TEST_F(EmbedTest, EmbedsASentenceInOneVector) {
  const std::string lm = TinyLm();
  const ProgramOptions text{.input = "the cat sat\n\nwords\n"};
  const auto pooled = [&](const char* how) {
    const Outcome outcome =
        RunFirth({"embed", lm, "--layers", "1", "--pool", how}, text);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::vector<std::string> lines = absl::StrSplit(outcome.out, '\n');
    EXPECT_EQ(lines.size(), 4u);
    return lines;
  };
  const std::vector<std::string> tokens =
      absl::StrSplit(RunFirth({"embed", lm, "--layers", "1"}, text).out, '\n');
  EXPECT_EQ("the " + pooled("first")[0], tokens[0]);
  EXPECT_EQ("sat " + pooled("last")[0], tokens[2]);
  EXPECT_EQ("words " + pooled("mean")[2], tokens[5]);
  EXPECT_EQ(pooled("max")[1], "0 0 0 0 0 0 0 0 0 0 0 0");
  const Outcome file = RunFirth(
      {"embed", lm, "--pool", "mean", "--float16", "-o", Path("e.safetensors")},
      text);
  ASSERT_EQ(file.code, 0) << file.err;
  const json info =
      json::parse(RunFirth({"info", Path("e.safetensors"), "--json"}).out);
  EXPECT_EQ(info["tokens"], 3);
  EXPECT_EQ(info["sentences"], 3);
}

// 3 layers of 12 values for 2 bytes of text.
TEST_F(EmbedTest, AnOutputMuchLargerThanItsTextIsAWarning) {
  const std::string lm = TinyLm();
  const auto said = [&](const std::vector<std::string>& more,
                        const std::string& text) {
    std::vector<std::string> arguments = {"embed", lm, "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = RunFirth(arguments, {.input = text});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.err;
  };
  EXPECT_EQ(said({}, "a a a\n"),
            "firth: warning: the vectors will need about 234 times as many "
            "bytes as the text, 468 bytes per token; to reduce their size, use "
            "--pool or --layers average\n");
  EXPECT_THAT(said({"--layers", "1"}, "a a a\n"), IsEmpty());
  EXPECT_THAT(said({"-o", Path("e.npy")}, "a a a\n"), IsEmpty());  // 72 times
  EXPECT_THAT(said({"--pool", "mean"}, "a a a\n"), IsEmpty());
}

TEST_F(EmbedTest, AFullDiskIsAMessageInEveryForm) {
  const std::string lm = TinyLm();
  std::string text;
  for (int i = 0; i < 500; ++i) text += "the cat sat\n";
  for (const char* name : {"e.hdf5", "e.npy", "e.safetensors"}) {
    SCOPED_TRACE(name);
    const Outcome full = RunFirth({"embed", lm, "-o", Path(name)},
                                  {.input = text, .file_size_limit = 20000});
    EXPECT_EQ(full.code, 1);
    EXPECT_EQ(full.err, absl::StrCat("firth: ", Path(name),
                                     ": cannot write: File too large\n"));
    EXPECT_FALSE(std::filesystem::exists(Path(name)));
  }
}

// A sentence of 10,000 tokens, words of 1,000 bytes: in bounded memory.
TEST_F(EmbedTest, EmbedsLongSentencesAndWords) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "the ";
  text += "\n" + std::string(1000, 'x') + "\n";
  const Outcome outcome =
      RunFirth({"embed", TinyLm(), "--layers", "0", "-o", Path("e.npy")},
               {.input = text});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("10,001 tokens in 2 sentences"));
}

// The published embeddings of the original ELMo: top layer, both directions, of
// three texts through which state is carried.
TEST_F(EmbedTest, EmbedsAsTheOriginalElmo) {
  const char* const data = std::getenv("FIRTH_DATA");
  if (data == nullptr) GTEST_SKIP() << "FIRTH_DATA is not set";
  const std::string from = absl::StrCat(data, "/elmo/model/");
  const std::string model = Path("elmo.safetensors");
  ASSERT_EQ(RunFirth({"lm", "import", "--options", from + "options.json",
                      "--weights", from + "lm_weights.hdf5", "--output", model})
                .code,
            0);
  const json texts =
      json::parse(ReadWholeFile(from + "lm_embeddings_sentences.json"));
  double worst = 0;
  uint64_t values = 0;
  for (size_t k = 0; k < texts.size(); ++k) {
    std::string text;
    for (const auto& line : texts[k]) text += line.get<std::string>() + "\n";
    const std::string path = Path("e.hdf5");
    ASSERT_EQ(
        RunFirth({"embed", model, "--stateful", "-o", path}, {.input = text})
            .code,
        0);
    const auto found = Hdf5File::Open(path);
    const auto expected =
        Hdf5File::Open(absl::StrCat(from, "lm_embeddings_", k, ".hdf5"));
    ASSERT_TRUE(found.ok() && expected.ok());
    for (size_t i = 0; i < texts[k].size(); ++i) {
      const uint64_t tokens = (*expected->Shape(absl::StrCat(i)))[1];
      std::vector<float> theirs(2 * tokens * 16), ours(3 * tokens * 32);
      ASSERT_EQ(expected->Read(absl::StrCat(i), {2, tokens, 16}, theirs.data()),
                absl::OkStatus());
      ASSERT_EQ(found->Read(absl::StrCat(i), {3, tokens, 32}, ours.data()),
                absl::OkStatus());
      for (size_t at = 0; at < theirs.size(); ++at, ++values) {
        const size_t direction = at / (tokens * 16);
        const size_t token = at / 16 % tokens;
        const float our =
            ours[(2 * tokens + token) * 32 + direction * 16 + at % 16];
        worst =
            std::max(worst, std::abs(static_cast<double>(our) - theirs[at]));
      }
    }
  }
  EXPECT_EQ(values, 23808u);
  EXPECT_LE(worst, 2e-6);
}

TEST_F(EmbedTest, WhatIsWrongIsSaid) {
  const std::string lm = TinyLm();
  ExpectFailures({
      {"vectors are no language model", {"embed", Vectors()}, 1, "v.txt"},
      {"a folder", {"embed", Path("")}, 1, "firth: "},
      {"a layer too many",
       {"embed", lm, "--layers", "3"},
       1,
       "expected all, top, average, mix or a layer from 0 to 2, found \"3\""},
      {"a mix of nothing known",
       {"embed", lm, "--layers", "mix"},
       2,
       "--layers mix requires either --mix-of or --mix-weights"},
      {"a mix that is not asked for",
       {"embed", lm, "--mix-weights", "1,2,3"},
       2,
       "--mix-weights requires --layers mix, but --layers is all"},
      {"a factor of no mix",
       {"embed", lm, "--gamma", "2"},
       2,
       "--gamma requires --mix-weights"},
      {"shares too few",
       {"embed", lm, "--layers", "mix", "--mix-weights", "1,2"},
       1,
       "--mix-weights: expected 3 numbers, not all 0, found \"1,2\""},
      {"16 bits of text",
       {"embed", lm, "--float16"},
       2,
       "--float16 requires --output"},
      {"no file for HDF5",
       {"embed", lm, "--format", "hdf5"},
       2,
       "give the output file with --output FILE"},
      {"a folder as output",
       {"embed", lm, "-o", Path("") + "/.hdf5/x.hdf5"},
       1,
       "x.hdf5"},
  });
}

}  // namespace
}  // namespace firth
