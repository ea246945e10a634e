#include "firth/vocabulary.h"

#include <latch>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(VocabularyTest, IsEmptyAtFirst) {
  const Vocabulary vocabulary;
  EXPECT_TRUE(vocabulary.empty());
  EXPECT_EQ(vocabulary.total_count(), 0u);
  EXPECT_FALSE(vocabulary.Find("word").has_value());
}

TEST(VocabularyTest, KeepsTheOrderOfWords) {
  const auto vocabulary = Vocabulary::Create({"the", "of", "and"}, {5, 9, 2});
  ASSERT_TRUE(vocabulary.ok());
  EXPECT_EQ(vocabulary->size(), 3u);
  EXPECT_EQ(vocabulary->Word(ToWordId(1)), "of");
  EXPECT_EQ(vocabulary->Find("and"), ToWordId(2));
  EXPECT_FALSE(vocabulary->Find("an").has_value());
  EXPECT_EQ(vocabulary->Count(ToWordId(0)), 5u);
  EXPECT_THAT(vocabulary->counts(), ElementsAre(5, 9, 2));
  EXPECT_EQ(vocabulary->total_count(), 16u);
}

TEST(VocabularyTest, CopiesOutliveTheOriginalAndItsInput) {
  Vocabulary copy;
  {
    const std::string first = "first", second = "second";
    const auto vocabulary = Vocabulary::Create({first, second}, {});
    copy = *vocabulary;
  }
  EXPECT_EQ(copy.Word(ToWordId(1)), "second");
  EXPECT_EQ(copy.Find("first"), ToWordId(0));
  EXPECT_EQ(copy.Count(ToWordId(0)), 0u);
}

TEST(VocabularyTest, WordsAreBytes) {
  const std::string nul("a\0b", 3);
  const auto vocabulary =
      Vocabulary::Create({"a", nul, "\xFF\xFE", "", "two words"}, {});
  ASSERT_TRUE(vocabulary.ok());
  EXPECT_EQ(vocabulary->Find(nul), ToWordId(1));
  EXPECT_EQ(vocabulary->Find("a"), ToWordId(0));
  EXPECT_EQ(vocabulary->Find("\xFF\xFE"), ToWordId(2));
  EXPECT_EQ(vocabulary->Find(""), ToWordId(3));
  EXPECT_EQ(vocabulary->Find("two words"), ToWordId(4));
}

// So many that threads share the work.
TEST(VocabularyTest, FindsEveryOneOfManyWordsAndNoOther) {
  constexpr size_t kWords = 100'000;
  std::vector<std::string> words;
  for (size_t i = 0; i < kWords; ++i) words.push_back(absl::StrCat("w", i));
  std::vector<absl::string_view> views(words.begin(), words.end());
  const auto vocabulary = Vocabulary::Create(views, {});
  ASSERT_TRUE(vocabulary.ok());
  for (size_t i = 0; i < kWords; ++i) {
    ASSERT_EQ(vocabulary->Find(words[i]), ToWordId(i));
    ASSERT_EQ(vocabulary->Find(absl::StrCat("v", i)), std::nullopt);
  }
  views[70'000] = views[5];
  EXPECT_EQ(Vocabulary::Create(views, {}).status().message(),
            "entry 70000: duplicate word \"w5\", which is also entry 5");
}

TEST(VocabularyTest, RefusesAWordThatStandsTwice) {
  const auto vocabulary = Vocabulary::Create({"a", "b", "a"}, {});
  EXPECT_EQ(vocabulary.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(vocabulary.status().message(), HasSubstr("entry 2"));
  EXPECT_THAT(vocabulary.status().message(), HasSubstr("entry 0"));
}

TEST(VocabularyTest, RefusesAnotherNumberOfCounts) {
  for (const auto& create : {Vocabulary::Create, Vocabulary::CreateLazily}) {
    EXPECT_EQ(create({"a", "b"}, {1, 2, 3}).status().message(),
              "expected 2 counts, found 3");
  }
}

TEST(VocabularyTest, BytesAndOffsetsAreTheWordsInTheirOrder) {
  const auto vocabulary = Vocabulary::Create({"the", "", "of"}, {});
  ASSERT_TRUE(vocabulary.ok());
  EXPECT_EQ(vocabulary->bytes(), "theof");
  EXPECT_THAT(vocabulary->offsets(), ElementsAre(0, 3, 3, 5));
  EXPECT_EQ(Vocabulary().bytes(), "");
  EXPECT_THAT(Vocabulary().offsets(), ElementsAre(0));
}

TEST(VocabularyTest, MadeLazilyItFindsTheFirstOfAWordThatStandsTwice) {
  const auto vocabulary =
      Vocabulary::CreateLazily({"a", "b", "a", "b", "c"}, {5, 4, 3, 2, 1});
  ASSERT_TRUE(vocabulary.ok());
  EXPECT_EQ(vocabulary->size(), 5u);
  EXPECT_EQ(vocabulary->Find("a"), ToWordId(0));
  EXPECT_EQ(vocabulary->Find("b"), ToWordId(1));
  EXPECT_EQ(vocabulary->Find("c"), ToWordId(4));
  EXPECT_FALSE(vocabulary->Find("d").has_value());
  EXPECT_EQ(vocabulary->Word(ToWordId(2)), "a");
  EXPECT_EQ(vocabulary->Count(ToWordId(2)), 3u);
  EXPECT_EQ(vocabulary->CheckDistinct().message(),
            "entry 2: duplicate word \"a\", which is also entry 0");
}

TEST(VocabularyTest, MadeLazilyItIsDistinctWhereNoWordStandsTwice) {
  const auto vocabulary = Vocabulary::CreateLazily({"a", "b"}, {});
  ASSERT_TRUE(vocabulary.ok());
  EXPECT_EQ(vocabulary->CheckDistinct(), absl::OkStatus());
  EXPECT_EQ(Vocabulary().CheckDistinct(), absl::OkStatus());
}

TEST(VocabularyTest, OfWordsThatAreKnownToDifferNobodyLooksWhetherTheyDo) {
  const auto vocabulary = Vocabulary::CreateDistinct({"a", "b"}, {2, 1});
  ASSERT_TRUE(vocabulary.ok());
  EXPECT_EQ(vocabulary->CheckDistinct(), absl::OkStatus());
  EXPECT_EQ(vocabulary->Find("b"), ToWordId(1));
  EXPECT_FALSE(vocabulary->Find("c").has_value());
  EXPECT_EQ(Vocabulary::CreateDistinct({"a"}, {1, 2}).status().message(),
            "expected 1 counts, found 2");
}

TEST(VocabularyTest, ThreadsMayBeTheFirstToLookAtOnce) {
  constexpr size_t kWords = 40'000, kThreads = 4;
  std::vector<std::string> words;
  for (size_t i = 0; i < kWords; ++i) words.push_back(absl::StrCat("w", i));
  const auto vocabulary = Vocabulary::CreateLazily(
      std::vector<absl::string_view>(words.begin(), words.end()), {});
  ASSERT_TRUE(vocabulary.ok());
  std::latch start(kThreads);
  std::vector<size_t> right(kThreads);
  std::vector<std::thread> threads;
  for (size_t& own : right) {
    threads.emplace_back([&, copy = *vocabulary] {
      start.arrive_and_wait();
      for (size_t i = 0; i < kWords; ++i) {
        own += copy.Find(words[i]) == ToWordId(i) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(right, testing::Each(kWords));
}

}  // namespace
}  // namespace firth
