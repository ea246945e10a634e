// firth convert, of what formats cannot hold.

#include <string>

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
  EXPECT_THAT(refused.err, HasSubstr("finalfusion cannot hold all that"));
  const Outcome written =
      RunFirth({"convert", model, Path("m.fifu"), "--lossy"});
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_THAT(written.err,
              HasSubstr("m.fifu: n-grams alone of 8 dimensions, finalfusion"));
}

TEST_F(ConvertTest, TrainingSaysBeforeThatWordsAreLeftOut) {
  const Outcome training =
      RunFirth({"train", "-i", File("c.txt", TwoTopicText(100)), "-o",
                Path("m.fifu"), "--subword-index", "floret", "--dim", "8"});
  EXPECT_EQ(training.code, 0) << training.err;
  EXPECT_THAT(training.err,
              HasSubstr("warning: finalfusion cannot hold words beside these "
                        "n-grams"));
  EXPECT_THAT(training.err,
              HasSubstr("m.fifu: n-grams alone of 8 dimensions, finalfusion"));
}

}  // namespace
}  // namespace firth
