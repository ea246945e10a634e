// firth convert, of what formats cannot hold.

#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_program.h"

namespace firth {
namespace {

using testing::HasSubstr;

class ConvertTest : public ProgramTest {};

// Words have no rows of their own beside floret's n-grams, and finalfusion has
// no room for them there.
TEST_F(ConvertTest, WhereWordsAreLeftOutNGramsAloneAreTold) {
  const std::string model = Path("m.safetensors");
  const Outcome training =
      RunFirth({"train", "-i", File("c.txt", TwoTopicText(100)), "-o", model,
                "--subword-index", "floret", "--dim", "8", "-q"});
  ASSERT_EQ(training.code, 0) << training.err;
  const Outcome refused = RunFirth({"convert", model, Path("m.fifu")});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("finalfusion cannot hold the 1"));
  EXPECT_THAT(refused.err, HasSubstr(" words of " + model));
  const Outcome written =
      RunFirth({"convert", model, Path("m.fifu"), "--lossy"});
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_THAT(written.err,
              HasSubstr("m.fifu: only n-grams of 8 dimensions, finalfusion"));
}

TEST_F(ConvertTest, TrainingSaysBeforeThatWordsAreLeftOut) {
  const Outcome training =
      RunFirth({"train", "-i", File("c.txt", TwoTopicText(100)), "-o",
                Path("m.fifu"), "--subword-index", "floret", "--dim", "8"});
  EXPECT_EQ(training.code, 0) << training.err;
  EXPECT_THAT(training.err, HasSubstr("warning: finalfusion cannot hold words "
                                      "in addition to these n-grams"));
  EXPECT_THAT(training.err,
              HasSubstr("m.fifu: only n-grams of 8 dimensions, finalfusion"));
}

// A format that is a folder, by a slash or by name, made or there.
TEST_F(ConvertTest, AFolderOfModel2vecIsWrittenAndRead) {
  const std::string vectors =
      File("v.txt", "3 2\ncat 1 0\ndog .9 .1\nriver 0 1\n");
  const std::string expected = RunFirth({"nn", vectors, "cat"}).out;
  std::filesystem::create_directory(Path("there"));
  for (const std::vector<std::string>& out :
       {std::vector<std::string>{Path("m2v/")},
        {Path("named"), "--to", "model2vec"},
        {Path("there"), "--to", "model2vec"},
        {Path("m2v"), "--to", "model2vec"}}) {
    std::vector<std::string> convert = {"convert", vectors};
    convert.insert(convert.end(), out.begin(), out.end());
    const Outcome written = RunFirth(convert);
    EXPECT_EQ(written.code, 0) << written.err;
    EXPECT_THAT(written.err, HasSubstr("3 words of 2 dimensions, model2vec"));
    EXPECT_EQ(RunFirth({"nn", out[0], "cat"}).out, expected);
  }
  const Outcome info = RunFirth({"info", Path("m2v")});
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("model2vec"));
  EXPECT_EQ(info.out.find("newest"), std::string::npos);
  EXPECT_EQ(RunFirth({"convert", Path("m2v"), Path("back.txt")}).code, 0);
  EXPECT_EQ(RunFirth({"nn", Path("back.txt"), "cat"}).out, expected);
}

TEST_F(ConvertTest, AFolderOfOtherFilesStaysAsItIs) {
  const std::string vectors = File("v.txt", "1 2\ncat 1 0\n");
  std::filesystem::create_directory(Path("other"));
  File("other/config.json", "{}");
  const Outcome refused = RunFirth({"convert", vectors, Path("other/")});
  EXPECT_EQ(refused.code, 1) << refused.err;
  EXPECT_THAT(refused.err,
              HasSubstr("config.json: this file would be replaced"));
  EXPECT_EQ(ReadWholeFile(Path("other/config.json")), "{}");
  // A file in the place of the folder, no place for one, and the input itself.
  EXPECT_NE(RunFirth({"convert", vectors, vectors, "--to", "model2vec"}).code,
            0);
  EXPECT_NE(RunFirth({"convert", vectors, Path("none/m2v/")}).code, 0);
  ASSERT_EQ(RunFirth({"convert", vectors, Path("m2v/")}).code, 0);
  const Outcome same =
      RunFirth({"convert", Path("m2v"), Path("m2v/"), "--to", "model2vec"});
  EXPECT_EQ(same.code, 2);
  EXPECT_THAT(same.err, HasSubstr("are the same file"));
}

}  // namespace
}  // namespace firth
