// The C++ and C that the documents show is compiled and run: it is part of a
// program of tests/examples.

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

// What stands between "```cpp", or another fence, and "```".
std::vector<std::string> Blocks(absl::string_view document,
                                const std::string& fence) {
  std::vector<std::string> blocks;
  for (size_t begin = document.find(fence); begin != document.npos;
       begin = document.find(fence, begin)) {
    begin += fence.size();
    blocks.emplace_back(
        document.substr(begin, document.find("\n```\n", begin) - begin));
  }
  return blocks;
}

// Returns how many blocks of this language the documents show, all of which
// must be part of an example.
size_t CountShown(const std::string& root, const std::string& language,
                  const std::string& extension) {
  std::string examples;
  for (const std::string& path : FilesOf(root + "/tests/examples", extension)) {
    examples += ReadWholeFile(path);
  }
  std::vector<std::string> documents = FilesOf(root + "/docs/reference", ".md");
  documents.push_back(root + "/README.md");
  size_t blocks = 0;
  for (const std::string& document : documents) {
    for (const std::string& block :
         Blocks(ReadWholeFile(document), "\n```" + language + "\n")) {
      ++blocks;
      EXPECT_TRUE(absl::StrContains(examples, block + "\n"))
          << document << " shows what no example has:\n"
          << block;
    }
  }
  return blocks;
}

TEST(CppDocumentsTest, WhatDocumentsShowIsPartOfAnExample) {
  const char* const source = std::getenv("FIRTH_SOURCE");
  if (source == nullptr) GTEST_SKIP() << "FIRTH_SOURCE is not set";
  EXPECT_GE(CountShown(source, "cpp", ".cc"), 4u);
  EXPECT_GE(CountShown(source, "c", ".c"), 1u);
}

}  // namespace
}  // namespace firth
