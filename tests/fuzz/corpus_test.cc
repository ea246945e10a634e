// Every reader ends with a Status on every file that fuzzing found, and with a
// good one on its seeds. tests/fuzz/corpus/<reader>/ holds what once made a
// reader crash, hang or take too much memory, and what showed new paths.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "firth/vector_io.h"
#include "fuzz/fuzzed_readers.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

class FuzzCorpusTest : public testing::TestWithParam<FuzzedReader> {};

INSTANTIATE_TEST_SUITE_P(AllReaders, FuzzCorpusTest,
                         testing::ValuesIn(FuzzedReaders()),
                         [](const testing::TestParamInfo<FuzzedReader>& info) {
                           return std::string(info.param.name);
                         });

TEST_P(FuzzCorpusTest, SeedsAreGoodFiles) {
  const std::vector<std::string> seeds = GetParam().seeds();
  EXPECT_FALSE(seeds.empty());
  for (size_t i = 0; i < seeds.size(); ++i) {
    const absl::Status status = GetParam().read(seeds[i]);
    EXPECT_TRUE(status.ok()) << "seed " << i << ": " << status;
  }
}

TEST_P(FuzzCorpusTest, KeptFilesEndWithAStatus) {
  const char* source = std::getenv("FIRTH_SOURCE");
  if (source == nullptr) GTEST_SKIP() << "FIRTH_SOURCE is not set";
  const std::filesystem::path folder =
      std::filesystem::path(source) / "tests/fuzz/corpus" / GetParam().name;
  ASSERT_TRUE(std::filesystem::is_directory(folder)) << folder;
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path());
    (void)GetParam().read(ReadWholeFile(entry.path().string()));
    ++files;
  }
  EXPECT_GT(files, 0u);
}

TEST(FuzzedReadersTest, EveryFormatHasOne) {
  for (const VectorFormatInfo& format : VectorFormats()) {
    EXPECT_NE(FindFuzzedReader(format.name), nullptr) << format.name;
  }
}

}  // namespace
}  // namespace firth
