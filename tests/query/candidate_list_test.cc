#include "query/top_list.h"

#include <algorithm>
#include <vector>

#include "base/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::SizeIs;
using testing::UnorderedElementsAre;

TEST(CandidateListTest, KeepsAllThatMayBeAmongTheBest) {
  CandidateList list(2);
  list.Push(ToWordId(0), 0.5f, 0.6f);
  list.Push(ToWordId(1), 0.1f, 0.55f);  // may be above word 2
  list.Push(ToWordId(2), 0.4f, 0.4f);
  list.Push(ToWordId(3), 0.2f, 0.3f);  // is below two others
  EXPECT_THAT(list.TakeWords(),
              UnorderedElementsAre(ToWordId(0), ToWordId(1), ToWordId(2)));
}

TEST(CandidateListTest, HoldsTheBestOfManyAndLittleMore) {
  constexpr size_t kCount = 5000, kTop = 10;
  constexpr float kError = 0.001f;
  Rng rng(3);
  std::vector<float> scores(kCount);
  for (float& score : scores) score = rng.NextFloat();
  CandidateList list(kTop), other(kTop);
  for (size_t i = 0; i < kCount; ++i) {
    CandidateList& half = i % 2 == 0 ? list : other;
    half.Push(ToWordId(i), scores[i] - kError, scores[i] + kError);
  }
  list.Merge(other);
  std::vector<WordId> best(kCount);
  for (size_t i = 0; i < kCount; ++i) best[i] = ToWordId(i);
  std::sort(best.begin(), best.end(), [&](WordId a, WordId b) {
    return scores[Index(a)] > scores[Index(b)];
  });
  best.resize(kTop);
  const std::vector<WordId> found = list.TakeWords();
  EXPECT_THAT(found, IsSupersetOf(best));
  EXPECT_LT(found.size(), 4 * kTop);
}

TEST(CandidateListTest, KeepsAllOfEqualScore) {
  CandidateList list(1);
  for (size_t i = 0; i < 1000; ++i) list.Push(ToWordId(i), 0, 0);
  EXPECT_THAT(list.TakeWords(), SizeIs(1000));
}

TEST(CandidateListTest, OfNoneKeepsNone) {
  CandidateList list(0);
  list.Push(ToWordId(0), 1, 1);
  EXPECT_THAT(list.TakeWords(), IsEmpty());
}

}  // namespace
}  // namespace firth
