#include "corpus/input_files.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/compress.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using ::testing::HasSubstr;

// What the shares of all readers hold, one string each.
std::vector<std::string> Texts(const std::vector<std::string>& paths,
                               size_t readers, size_t look_ahead = 100) {
  const auto files = SizesOf(paths);
  EXPECT_TRUE(files.ok()) << files.status();
  std::vector<std::string> texts;
  for (size_t reader = 0; reader < readers; ++reader) {
    const auto shares = ShareOf(*files, reader, readers, look_ahead);
    EXPECT_TRUE(shares.ok()) << shares.status();
    std::string& text = texts.emplace_back();
    for (const FileShare& share : *shares) {
      const std::string bytes = ReadWholeFile(share.path);
      text += bytes.substr(share.begin, share.end - share.begin);
    }
  }
  return texts;
}

std::string Joined(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += text;
  return joined;
}

TEST(TextSharesTest, CoverTheTextOnceInItsOrderAndEndWithLines) {
  const TempFolder folder;
  Rng rng(3);
  std::vector<std::string> paths;
  std::string all;
  for (int file = 0; file < 5; ++file) {
    std::string text;
    for (int line = 0; line < 40; ++line) {
      text += absl::StrCat(std::string(rng.Below(30), 'x'), " ", line, "\n");
    }
    paths.push_back(folder.Write(absl::StrCat(file), text));
    all += text;
  }
  for (size_t readers = 1; readers < 20; ++readers) {
    const std::vector<std::string> texts = Texts(paths, readers);
    EXPECT_EQ(Joined(texts), all) << readers;
    for (const std::string& text : texts) {
      EXPECT_TRUE(text.empty() || text.back() == '\n') << readers;
      EXPECT_LT(text.size(), all.size() / readers + 60) << readers;
    }
  }
}

TEST(TextSharesTest, TextWithoutLineEndsIsCutAfterWhiteSpace) {
  const TempFolder folder;
  std::string text;
  for (int word = 0; word < 500; ++word) absl::StrAppend(&text, "w", word, " ");
  const std::string path = folder.Write("text", text);
  const std::vector<std::string> texts = Texts({path}, 4, 50);
  EXPECT_EQ(Joined(texts), text);
  for (const std::string& share : texts) {
    EXPECT_EQ(share.back(), ' ');
    EXPECT_LT(share.size(), text.size() / 4 + 10);
  }
  const auto files = SizesOf({path});
  const auto middle = ShareOf(*files, 1, 4, 50);
  EXPECT_TRUE(middle->front().begins_inside_line);
  EXPECT_TRUE(middle->front().ends_inside_line);
}

TEST(TextSharesTest, NeitherAWordNorACompressedFileIsCut) {
  const TempFolder folder;
  const std::string word = folder.Write("word", std::string(1000, 'x'));
  const std::string gz = folder.Write("gz", Gzip("a b c\nd e f\n"));
  const std::vector<std::string> texts = Texts({word, gz}, 3);
  EXPECT_EQ(texts[0], ReadWholeFile(word));
  EXPECT_EQ(texts[1], "");
  EXPECT_EQ(texts[2], ReadWholeFile(gz));
}

TEST(TextSharesTest, MoreReadersThanLinesLeaveSomeNothing) {
  const TempFolder folder;
  const std::string path = folder.Write("text", "a b\nc d\n");
  const std::vector<std::string> texts = Texts({path}, 9);
  EXPECT_EQ(Joined(texts), "a b\nc d\n");
}

TEST(TextSharesTest, WhatOnlyOneCanReadIsRefused) {
  EXPECT_THAT(SizesOf({"-"}).status().message(),
              HasSubstr("standard input: must be a regular file"));
}

TEST(SampleSumTest, TellsTextsOfTheSameSizeApart) {
  const TempFolder folder;
  const auto sum_of = [&](const std::string& text) {
    const auto files = SizesOf({folder.Write("text", text)});
    const auto sum = SampleSum(files->front());
    EXPECT_TRUE(sum.ok()) << sum.status();
    return *sum;
  };
  for (const size_t size : {1u, 4095u, 4096u, 100000u, 3000000u}) {
    SCOPED_TRACE(size);
    const std::string text(size, 'a');
    EXPECT_EQ(sum_of(text), sum_of(text));
    EXPECT_NE(sum_of(text), sum_of("b" + text.substr(1)));
    EXPECT_NE(sum_of(text), sum_of(text.substr(1) + "b"));
    EXPECT_NE(sum_of(text), sum_of(std::string(size, 'b')));
  }
  // Another book of the same length differs in nearly every sample, and one
  // that differs in a hundredth of its bytes in a row in some.
  std::string text(3000000, 'a');
  const uint64_t sum = sum_of(text);
  text.replace(1000000, 60000, 60000, 'b');
  EXPECT_NE(sum_of(text), sum);
  EXPECT_EQ(sum_of(""), sum_of(""));
}

TEST(SampleSumTest, AFileThatHasGoneIsAnError) {
  EXPECT_FALSE(SampleSum({"no/such/file", 10}).ok());
}

}  // namespace
}  // namespace firth
