// The C++ that the documents show is compiled and run: it is part of a program
// of tests/examples.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

std::vector<std::string> FilesOf(const std::string& folder,
                                 const std::string& extension) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == extension) paths.push_back(entry.path());
  }
  return paths;
}

// What stands between "```cpp" and "```".
std::vector<std::string> CppBlocks(absl::string_view document) {
  constexpr absl::string_view kBegin = "\n```cpp\n";
  std::vector<std::string> blocks;
  for (size_t begin = document.find(kBegin); begin != document.npos;
       begin = document.find(kBegin, begin)) {
    begin += kBegin.size();
    blocks.emplace_back(
        document.substr(begin, document.find("\n```\n", begin) - begin));
  }
  return blocks;
}

TEST(CppDocumentsTest, WhatDocumentsShowIsPartOfAnExample) {
  const char* const source = std::getenv("FIRTH_SOURCE");
  if (source == nullptr) GTEST_SKIP() << "FIRTH_SOURCE is not set";
  const std::string root = source;
  std::string examples;
  for (const std::string& path : FilesOf(root + "/tests/examples", ".cc")) {
    examples += ReadWholeFile(path);
  }
  std::vector<std::string> documents = FilesOf(root + "/docs", ".md");
  documents.push_back(root + "/README.md");
  size_t blocks = 0;
  for (const std::string& document : documents) {
    for (const std::string& block : CppBlocks(ReadWholeFile(document))) {
      ++blocks;
      EXPECT_TRUE(absl::StrContains(examples, block + "\n"))
          << document << " shows what no example has:\n"
          << block;
    }
  }
  EXPECT_GE(blocks, 4u);
}

}  // namespace
}  // namespace firth
