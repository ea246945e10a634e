#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "classify/features/feature_index.h"
#include "classify/features/feature_index_body.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vocab/character_ngrams.h"

namespace firth {
namespace {

using Counts = std::map<std::string, uint64_t>;

std::vector<LabelledText> Texts(const std::vector<std::string>& texts) {
  std::vector<LabelledText> labelled;
  for (const std::string& text : texts) labelled.push_back({{"x"}, text});
  return labelled;
}

// Marks tell a word, an n-gram of words and one of characters apart.
std::string Marked(const FeatureIndex& index, size_t row) {
  const char* const mark = row < index.num_words()             ? "w:"
                           : row < index.first_character_row() ? "n:"
                                                               : "c:";
  return mark + index.Text(row);
}

Counts Named(const FeatureIndex& index,
             absl::Span<const FeatureCount> features) {
  Counts counts;
  for (const FeatureCount& feature : features) {
    counts[Marked(index, feature.row)] += feature.count;
  }
  EXPECT_EQ(counts.size(), features.size()) << "a feature stands twice";
  return counts;
}

// All features of an ASCII text, by enumeration.
Counts BruteForce(const std::string& text, const ClassifierOptions& options) {
  const std::vector<std::string> words =
      absl::StrSplit(text, ' ', absl::SkipEmpty());
  Counts counts;
  for (size_t begin = 0; begin < words.size(); ++begin) {
    ++counts["w:" + words[begin]];
    std::string joined = words[begin];
    for (size_t n = 2; n <= options.word_ngrams; ++n) {
      if (begin + n > words.size()) break;
      joined += " " + words[begin + n - 1];
      ++counts["n:" + joined];
    }
    const std::string marked = "<" + words[begin] + ">";
    for (size_t n = options.min_n; n > 0 && n <= options.max_n; ++n) {
      for (size_t at = 0; at + n <= marked.size(); ++at) {
        const bool is_mark = n == 1 && (at == 0 || at + 1 == marked.size());
        if (!is_mark) ++counts["c:" + marked.substr(at, n)];
      }
    }
  }
  return counts;
}

ClassifierOptions Options(uint64_t word_ngrams, uint64_t min_n,
                          uint64_t max_n) {
  ClassifierOptions options;
  options.word_ngrams = word_ngrams;
  options.min_n = min_n;
  options.max_n = max_n;
  return options;
}

const std::vector<std::string>& Sample() {
  static const auto& texts =
      *new std::vector<std::string>{"the cat saw the cat", "a dog saw the cat",
                                    "", "dog dog dog dog", "the end"};
  return texts;
}

TEST(FeatureIndexTest, BagsAreThoseOfEnumeration) {
  for (const auto& options : {Options(1, 0, 0), Options(2, 1, 2),
                              Options(3, 2, 5), Options(10, 20, 20)}) {
    FeatureBags bags;
    const auto index = FeatureIndex::Build(Texts(Sample()), options, {}, &bags);
    ASSERT_TRUE(index.ok()) << index.status();
    ASSERT_EQ(bags.size(), Sample().size());
    FeatureIndex::Reader reader(*index);
    for (size_t i = 0; i < bags.size(); ++i) {
      const Counts expected = BruteForce(Sample()[i], options);
      EXPECT_EQ(Named(*index, bags.Of(i)), expected);
      EXPECT_EQ(Named(*index, reader.Read(Sample()[i])), expected);
      EXPECT_EQ(reader.tokens(), bags.tokens[i]);
    }
  }
}

TEST(FeatureIndexTest, RepeatsApartHaveTheSameCounts) {
  for (const uint64_t buckets : {0, 50}) {
    ClassifierOptions options = Options(2, 2, 3);
    options.buckets = buckets;
    FeatureBags bags;
    const auto index = FeatureIndex::Build(Texts(Sample()), options, {}, &bags);
    ASSERT_TRUE(index.ok()) << index.status();
    FeatureIndex::Reader counted(*index), apart(*index, Repeats::kApart);
    for (const std::string& text : Sample()) {
      std::map<uint32_t, uint32_t> expected, found;
      for (const auto [row, count] : counted.Read(text)) expected[row] = count;
      for (const auto [row, count] : apart.Read(text)) found[row] += count;
      EXPECT_EQ(found, expected) << text;
    }
    EXPECT_GT(apart.Read("dog dog").size(), counted.Read("dog dog").size());
  }
}

TEST(FeatureIndexTest, RareFeaturesAreLeftOut) {
  ClassifierOptions options = Options(3, 2, 3);
  options.min_count = 2;
  Counts total;
  for (const std::string& text : Sample()) {
    for (const auto& [name, count] : BruteForce(text, options)) {
      total[name] += count;
    }
  }
  FeatureBags bags;
  const auto index = FeatureIndex::Build(Texts(Sample()), options, {}, &bags);
  ASSERT_TRUE(index.ok());
  for (size_t i = 0; i < bags.size(); ++i) {
    Counts expected = BruteForce(Sample()[i], options);
    std::erase_if(expected, [&](const auto& entry) {
      return total[entry.first] < options.min_count;
    });
    // Character n-grams are counted in the words that are kept.
    Counts found = Named(*index, bags.Of(i));
    for (const auto& [name, count] : found) {
      EXPECT_GE(total[name], options.min_count) << name;
      EXPECT_EQ(count, expected[name]) << name;
    }
    for (const auto& [name, count] : expected) {
      if (name[0] == 'c') continue;
      EXPECT_EQ(found[name], count) << name;
    }
  }
}

TEST(FeatureIndexTest, WordsComeByFrequency) {
  FeatureBags bags;
  const auto index =
      FeatureIndex::Build(Texts(Sample()), Options(1, 0, 0), {}, &bags);
  ASSERT_TRUE(index.ok());
  EXPECT_THAT(index->parts().words,
              testing::ElementsAre("dog", "the", "cat", "saw", "a", "end"));
}

TEST(FeatureIndexTest, UnknownWordsGiveTheirCharacterNgrams) {
  FeatureBags bags;
  const auto index =
      FeatureIndex::Build(Texts(Sample()), Options(2, 3, 3), {}, &bags);
  ASSERT_TRUE(index.ok());
  FeatureIndex::Reader reader(*index);
  EXPECT_EQ(Named(*index, reader.Read("the cats the")), (Counts{{"w:the", 2},
                                                                {"c:<th", 2},
                                                                {"c:the", 2},
                                                                {"c:he>", 2},
                                                                {"c:<ca", 1},
                                                                {"c:cat", 1}}));
  EXPECT_EQ(reader.tokens(), 3);
}

TEST(FeatureIndexTest, ReadsUnicode) {
  ClassifierOptions options = Options(1, 2, 2);
  options.lowercase = true;
  FeatureBags bags;
  const auto index = FeatureIndex::Build(
      Texts({"\xC3\x84h\xE3\x80\x80\xC3\x84h"}), options, {}, &bags);
  ASSERT_TRUE(index.ok());
  EXPECT_EQ(Named(*index, bags.Of(0)), (Counts{{"w:\xC3\xA4h", 2},
                                               {"c:<\xC3\xA4", 2},
                                               {"c:\xC3\xA4h", 2},
                                               {"c:h>", 2}}));
}

TEST(FeatureIndexTest, NormalizesTextsThatItLearnsFromAndReads) {
  ClassifierOptions options = Options(1, 0, 0);
  options.normalize = Normalization::kNfc;
  options.lowercase = true;
  FeatureBags bags;
  const auto index =
      FeatureIndex::Build(Texts({"E\u0301te \u00E9te"}), options, {}, &bags);
  ASSERT_TRUE(index.ok());
  EXPECT_EQ(Named(*index, bags.Of(0)), (Counts{{"w:\u00E9te", 2}}));
  FeatureIndex::Reader reader(*index);
  EXPECT_EQ(Named(*index, reader.Read("e\u0301te")),
            (Counts{{"w:\u00E9te", 1}}));
}

TEST(FeatureIndexTest, HashesAsFasttextDoes) {
  ClassifierOptions options = Options(3, 2, 3);
  options.buckets = 1000;
  FeatureBags bags;
  const auto index =
      FeatureIndex::Build(Texts({"\xC3\xA9 b b"}), options, {}, &bags);
  ASSERT_TRUE(index.ok());
  EXPECT_THAT(index->parts().words,
              testing::ElementsAre("b", "\xC3\xA9", "</s>"));
  // What fastText's Dictionary::addWordNgrams() and computeSubwords() do, one
  // after the other.
  std::map<uint32_t, uint32_t> expected;
  const std::vector<std::string> tokens = {"\xC3\xA9", "b", "b", "</s>"};
  std::vector<int32_t> hashes;
  for (const std::string& token : tokens) {
    hashes.push_back(static_cast<int32_t>(NGramHash(token)));
    ++expected[token == "b" ? 0 : token == "</s>" ? 2 : 1];
    ForEachNGram(token, 2, 3, [&](absl::string_view n_gram) {
      ++expected[3 + NGramHash(n_gram) % 1000];
    });
  }
  for (size_t i = 0; i < hashes.size(); ++i) {
    auto hash = static_cast<uint64_t>(hashes[i]);
    for (size_t j = i + 1; j < hashes.size() && j < i + 3; ++j) {
      hash = hash * 116049371 + static_cast<uint64_t>(hashes[j]);
      ++expected[static_cast<uint32_t>(3 + hash % 1000)];
    }
  }
  std::map<uint32_t, uint32_t> found;
  for (const auto [row, count] : bags.Of(0)) found[row] = count;
  EXPECT_EQ(found, expected);
  EXPECT_EQ(index->rows(), 1003);
}

TEST(FeatureIndexTest, PrunedBucketsKeepTheirRows) {
  FeatureParts parts;
  parts.options.word_ngrams = 2;
  parts.options.hashing = true;
  parts.options.buckets = 100;
  parts.words = {"a", "</s>"};
  const auto hash = [](absl::string_view word) {
    return static_cast<uint64_t>(
        int64_t{static_cast<int32_t>(NGramHash(word))});
  };
  const auto bucket =
      static_cast<uint32_t>((hash("a") * 116049371 + hash("</s>")) % 100);
  parts.kept_buckets = {(bucket + 1) % 100, bucket};
  const auto index = FeatureIndex::Of(parts);
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_EQ(index->rows(), 4);
  EXPECT_EQ(index->Text(3), absl::StrCat("bucket ", bucket));
  FeatureIndex::Reader reader(*index);
  std::map<uint32_t, uint32_t> found;
  for (const auto [row, count] : reader.Read("a a")) found[row] = count;
  EXPECT_EQ(found[3], 1);
  EXPECT_EQ(found[0], 2);
}

TEST(FeatureIndexTest, PartsMakeTheSameIndex) {
  FeatureBags bags;
  const auto index =
      FeatureIndex::Build(Texts(Sample()), Options(3, 2, 4), {}, &bags);
  ASSERT_TRUE(index.ok());
  const auto again = FeatureIndex::Of(index->parts());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->rows(), index->rows());
  FeatureIndex::Reader first(*index);
  FeatureIndex::Reader second(*again);
  const std::string text = "the dog saw the cat end cats";
  EXPECT_EQ(Named(*index, first.Read(text)), Named(*again, second.Read(text)));
}

TEST(FeatureIndexTest, PartsThatContradictAreRefused) {
  FeatureParts twice;
  twice.words = {"a", "a"};
  EXPECT_EQ(FeatureIndex::Of(twice).status().message(),
            "the word \"a\" occurs twice");
  FeatureParts ahead;
  ahead.words = {"a"};
  ahead.word_ngrams = {{1, 0}};
  EXPECT_EQ(FeatureIndex::Of(ahead).status().message(),
            "word n-gram of row 1: expected a prefix below it and a word below "
            "1, found 1 and 0");
}

TEST(FeatureIndexTest, TextsWithoutWordsAreRefused) {
  FeatureBags bags;
  EXPECT_EQ(
      FeatureIndex::Build(Texts({"", " "}), {}, {}, &bags).status().message(),
      "the texts contain no words");
  ClassifierOptions options;
  options.min_count = 3;
  EXPECT_EQ(FeatureIndex::Build(Texts({"a b b"}), options, {}, &bags)
                .status()
                .message(),
            "no word occurs 3 times (min-count); use a smaller min-count");
}

// A text of many features makes the table grow that counts them.
TEST(FeatureIndexTest, CountsThousandsOfFeatures) {
  std::string text;
  for (int i = 0; i < 5000; ++i) absl::StrAppend(&text, " w", i % 3000);
  const ClassifierOptions options = Options(2, 0, 0);
  FeatureBags bags;
  const auto index = FeatureIndex::Build(Texts({text}), options, {}, &bags);
  ASSERT_TRUE(index.ok());
  EXPECT_EQ(Named(*index, bags.Of(0)), BruteForce(text, options));
}

// Texts of all lengths around those of keys that differ in one byte.
std::vector<std::string> SimilarTexts() {
  std::vector<std::string> texts;
  for (size_t size = 1; size <= 40; ++size) {
    const std::string text(size, 'a');
    texts.push_back(text);
    for (size_t at = 0; at < size; ++at) {
      texts.push_back(text);
      texts.back()[at] = '\0';
    }
  }
  return texts;
}

TEST(TextMapTest, EachTextHasItsRow) {
  const std::vector<std::string> texts = SimilarTexts();
  TextMap rows;
  for (uint32_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(rows.Find(TextKey(texts[i])), kNoFeature) << i;
    ASSERT_EQ(rows.Add(TextKey(texts[i]), i), kNoFeature) << i;
  }
  for (uint32_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(rows.Find(TextKey(texts[i])), i);
  }
}

TEST(TextMapTest, TheFirstRowOfATextStays) {
  const std::string text = "twice";
  const std::string again = text;
  TextMap rows;
  EXPECT_EQ(rows.Add(TextKey(text), 7), kNoFeature);
  EXPECT_EQ(rows.Add(TextKey(again), 8), 7);
  EXPECT_EQ(rows.Find(TextKey(again)), 7);
}

TEST(TextMapTest, RoomThatWasReservedIsKept) {
  TextMap rows;
  const std::string first = "first";
  rows.Add(TextKey(first), 1);
  rows.Reserve(1000);
  EXPECT_EQ(rows.Find(TextKey(first)), 1);
  EXPECT_EQ(rows.Find(TextKey("other")), kNoFeature);
}

}  // namespace

}  // namespace firth
