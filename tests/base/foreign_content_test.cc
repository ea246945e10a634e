#include "base/foreign_content.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::StartsWith;

std::string Zip(absl::string_view name) {
  std::string head = "PK\x03\x04";
  head.resize(26, '\0');
  head += static_cast<char>(name.size());
  head.append(3, '\0');
  return head.append(name.data(), name.size()) + "content";
}

std::string Tar() {
  std::string head = "folder/vectors.txt";
  head.resize(257, '\0');
  return head + "ustar";
}

TEST(ForeignContentTest, EachKindComesWithTheWayOut) {
  const std::pair<std::string, const char*> kCases[] = {
      {Zip("glove.txt"),
       "a zip archive; unzip it first (its first file is \"glove.txt\")"},
      {"PK\x03\x04", "a zip archive; unzip it first"},
      {Zip("model/data.pkl"), "a PyTorch pickle, which is not read"},
      {Zip("arr_0.npy"), "a NumPy .npz archive"},
      {std::string("\x80\x02}q\0.", 6), "a pickle, which is not read "},
      {"\x80\x04\x95",
       "a pickle, which is not read because pickles can run code; in gensim, "},
      {"7z\xBC\xAF\x27\x1C", "a 7z archive; unpack it first"},
      {"Rar!\x1A\x07", "a RAR archive; unpack it first"},
      {Tar(), "a tar archive; unpack it first"},
      {std::string("\xFF\xFE"
                   "a\0",
                   4),
       "text in UTF-16; \"iconv -f UTF-16"},
      {std::string("\xFE\xFF\0a", 4), "text in UTF-16; \"iconv -f UTF-16"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
       "a Git LFS pointer instead of the file; \"git lfs pull"},
  };
  for (const auto& [head, found] : kCases) {
    EXPECT_THAT(FindForeignContent(head), StartsWith(found));
    EXPECT_THAT(DescribeContent(head), StartsWith(found));
  }
}

TEST(ForeignContentTest, ATableOfAMapComesWithTheWayToAMap) {
  EXPECT_THAT(DescribeContent("king\t-0.48\t8.6e-2\tking\nman\t1\t2\tman\n"),
              testing::HasSubstr("\"firth map VECTORS --output "
                                 "FILE.safetensors\" writes a map"));
  EXPECT_THAT(DescribeContent("king\ta\tb\tking\n"), StartsWith("\"king"));
}

TEST(ForeignContentTest, WhatFirthReadsIsNotForeign) {
  const absl::string_view safetensors("\x80\x02\0\0\0\0\0\0{\"a\":", 13);
  const absl::string_view longer("\xFF\xFE\0\0\0\0\0\0{\"a\":", 13);
  for (const absl::string_view head :
       {absl::string_view("3 2\na 1 2\n"), absl::string_view("version 1\n"),
        absl::string_view("PK\n"), absl::string_view("\xFF\xFE 1\n"),
        absl::string_view("\x80"), safetensors, longer,
        absl::string_view("")}) {
    EXPECT_EQ(FindForeignContent(head), "");
  }
  EXPECT_TRUE(LooksLikeSafetensors(safetensors));
}

TEST(ForeignContentTest, ReadersOfModelsNameOtherTextsToo) {
  EXPECT_EQ(DescribeContent(""), "an empty file");
  EXPECT_THAT(DescribeContent("<!DOCTYPE html>\n<p>"),
              StartsWith("a web page"));
  EXPECT_THAT(DescribeContent("a,1,2\nb,3,4\n"),
              StartsWith("comma-separated values; a text vector file has "));
  EXPECT_EQ(DescribeContent("Some words, more, and others.\n"),
            "\"Some words, more, and others.\\n\"");
  EXPECT_EQ(DescribeContent(std::string(99, 'x')),
            "\"" + std::string(32, 'x') + "\"");
}

}  // namespace
}  // namespace firth
