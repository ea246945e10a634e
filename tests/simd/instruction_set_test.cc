#include "firth/instruction_set.h"

#include <string>

#include "firth/train.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/corpora.h"
#include "support/trainings.h"

namespace firth {
namespace {

using testing::HasSubstr;

TEST(InstructionSetTest, EachThatIsNamedTrains) {
  const Corpus corpus = TwoTopicCorpus(1500, 1);
  TrainOptions options = SmallOptions();
  options.deterministic = true;
  const std::vector<std::string> names = InstructionSets();
  ASSERT_FALSE(names.empty());
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(UseInstructionSet(name).ok());
    EXPECT_EQ(InstructionSets(), names);
    options.threads = 1;
    const auto one = Train(corpus, options);
    options.threads = 2;
    const auto two = Train(corpus, options);
    ASSERT_TRUE(one.ok() && two.ok()) << one.status();
    EXPECT_TRUE(SameTable(one->vectors.table(), two->vectors.table()));
    EXPECT_EQ(WordsWithNeighborInTopic(one->vectors), 20);
  }
  ASSERT_TRUE(UseInstructionSet(names.front()).ok());
}

TEST(InstructionSetTest, OthersAreRefusedWithTheNames) {
  const absl::Status status = UseInstructionSet("mmx");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(InstructionSets().front()));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("no instruction set \"mmx\""));
}

}  // namespace
}  // namespace firth
