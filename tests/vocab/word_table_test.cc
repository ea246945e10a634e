#include "vocab/word_table.h"

#include <map>
#include <string>

#include "absl/hash/hash.h"
#include "base/rng.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

uint64_t HashOf(const std::string& word) {
  return absl::Hash<absl::string_view>()(word);
}

uint32_t Add(const std::string& word, uint64_t count, WordTable* table) {
  return table->Add(word, HashOf(word), count);
}

TEST(WordTableTest, CountsAsAMapDoes) {
  WordTable table;
  std::map<std::string, uint64_t> plain;
  Rng rng(3);
  for (int i = 0; i < 200000; ++i) {
    const std::string word = std::to_string(rng.Below(1 + rng.Below(90000)));
    const uint64_t count = 1 + rng.Below(3);
    Add(word, count, &table);
    plain[word] += count;
  }
  ASSERT_EQ(table.size(), plain.size());
  for (size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(table.entry(i).id, i);
    EXPECT_EQ(table.entry(i).count, plain[std::string(table.entry(i).word())]);
  }
}

TEST(WordTableTest, TellsWordsOfOneHashApart) {
  WordTable table;
  EXPECT_EQ(table.Add("one", 42, 1), 0u);
  EXPECT_EQ(table.Add("two", 42, 1), 1u);
  EXPECT_EQ(table.Add("one", 42, 5), 0u);
  EXPECT_EQ(table.entry(0).count, 6u);
}

TEST(WordTableTest, KeepsWordsOfAnySize) {
  WordTable table;
  const std::string huge(3 << 20, 'x');
  Add("a", 1, &table);
  Add(huge, 1, &table);
  Add("b", 1, &table);
  EXPECT_EQ(table.entry(1).word(), huge);
  EXPECT_EQ(table.entry(2).word(), "b");
  EXPECT_GE(table.MemoryBytes(), huge.size());
}

TEST(WordTableTest, PrunesTheRarestWords) {
  WordTable table;
  uint64_t tokens = 0;
  for (uint64_t i = 0; i < 100000; ++i) {
    Add("word" + std::to_string(i), 1 + i % 10, &table);
  }
  const uint64_t before = table.MemoryBytes();
  const WordTable::Dropped dropped = table.Prune(before / 2);
  EXPECT_GE(dropped.threshold, 3u);
  EXPECT_LE(dropped.threshold, 6u);
  EXPECT_EQ(dropped.types, dropped.threshold * 10000);
  for (uint64_t count = 1; count <= dropped.threshold; ++count) {
    tokens += count * 10000;
  }
  EXPECT_EQ(dropped.tokens, tokens);
  EXPECT_EQ(table.size(), 100000 - dropped.types);
  EXPECT_LT(table.MemoryBytes(), before * 3 / 4);
  for (size_t i = 0; i < table.size(); ++i) {
    const WordTable::Entry& entry = table.entry(i);
    EXPECT_GT(entry.count, dropped.threshold);
    EXPECT_EQ(entry.word(), "word" + std::to_string(entry.id));
  }
}

TEST(WordTableTest, ADroppedWordStartsAnew) {
  WordTable table;
  for (int i = 0; i < 100; ++i) {
    Add("rare" + std::to_string(i), 1, &table);
    Add("often" + std::to_string(i), 9, &table);
  }
  const WordTable::Dropped dropped = table.Prune(8192 + 100 * 60);
  EXPECT_EQ(dropped.threshold, 1u);
  EXPECT_EQ(dropped.types, 100u);
  EXPECT_EQ(Add("often0", 1, &table), 1u);
  EXPECT_EQ(Add("rare0", 1, &table), 200u);
  EXPECT_EQ(table.entry(100).count, 1u);
  EXPECT_EQ(table.next_id(), 201u);
}

TEST(WordTableTest, PrunesEverythingRatherThanNothing) {
  WordTable table;
  Add("word", 5, &table);
  EXPECT_EQ(table.Prune(1).types, 1u);
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.Prune(1).types, 0u);
}

}  // namespace
}  // namespace firth
