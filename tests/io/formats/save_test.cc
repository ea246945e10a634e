// Saving when the world is against it: the old file stays whole, and nothing
// else stays behind.

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "firth/text_file.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_io::LoadStatus;
using testing_io::MakeVectors;
using testing_io::NamesIn;
using testing_io::ReadBytes;
using testing_io::TestFolder;
using testing_io::WordsOf;
using testing_io::WriteBytes;

VectorFile LargeVectors() {
  std::vector<std::string> words;
  words.reserve(3000);
  for (int i = 0; i < 3000; ++i) words.push_back(absl::StrCat("w", i));
  return MakeVectors(words, 200);
}

// While it lives, no file may grow beyond `bytes`.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit = {bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &old_); }

 private:
  rlimit old_;
};

// While it lives, the process has no rights beyond those of anyone.
class AsAnyone {
 public:
  AsAnyone() {
    if (geteuid() == 0) is_root_ = seteuid(65534) == 0;
  }
  ~AsAnyone() {
    if (is_root_) {
      EXPECT_EQ(seteuid(0), 0);
    }
  }

 private:
  bool is_root_ = false;
};

TEST(SaveTest, FullDiskLeavesTheOldFileAndNoTemporary) {
  const VectorFile large = LargeVectors();
  for (const VectorFormatInfo& format : VectorFormats()) {
    if (!format.holds_words) continue;
    const std::string folder = TestFolder();
    const std::string path = folder + "/v";
    if (!format.folder_files.empty()) {  // it is not there before
      const FileSizeLimit limit(100'000);
      EXPECT_EQ(SaveVectorFile(large, path, format.name).code(),
                absl::StatusCode::kResourceExhausted);
      EXPECT_FALSE(std::filesystem::exists(path));
      continue;
    }
    WriteBytes(path, "old");
    absl::Status status;
    {
      const FileSizeLimit limit(100'000);
      status = SaveVectorFile(large, path, format.name);
    }
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_EQ(ReadBytes(path), "old");
    EXPECT_THAT(NamesIn(folder), ElementsAre("v"));
  }
}

TEST(SaveTest, FolderWithoutRightsIsNamedBeforeAndAtSaving) {
  const std::string folder = TestFolder();
  ASSERT_EQ(chmod(folder.c_str(), 0555), 0);
  absl::Status check, save;
  {
    const AsAnyone rights;
    check = CheckWritable(folder + "/v.bin");
    save = SaveVectorFile(MakeVectors({"a"}, 1), folder + "/v.bin", "");
  }
  ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
  EXPECT_EQ(check.code(), absl::StatusCode::kPermissionDenied) << check;
  EXPECT_EQ(save.code(), absl::StatusCode::kPermissionDenied) << save;
  EXPECT_THAT(std::string(save.message()), HasSubstr(folder));
}

TEST(SaveTest, FolderThatIsNotThereIsNamed) {
  const std::string path = TestFolder() + "/none/v.bin";
  EXPECT_EQ(CheckWritable(path).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(SaveVectorFile(MakeVectors({"a"}, 1), path, "").code(),
            absl::StatusCode::kNotFound);
}

TEST(SaveTest, FileAsFolderAndFolderAsFileAreErrors) {
  const std::string folder = TestFolder();
  WriteBytes(folder + "/file", "x");
  EXPECT_FALSE(CheckWritable(folder + "/file/v.bin").ok());
  EXPECT_THAT(std::string(CheckWritable(folder).message()),
              HasSubstr("a folder has this name"));
}

TEST(SaveTest, CheckWritableLeavesNothingBehind) {
  const std::string folder = TestFolder();
  EXPECT_EQ(CheckWritable(folder + "/v.bin"), absl::OkStatus());
  EXPECT_TRUE(NamesIn(folder).empty());
}

TEST(SaveTest, SymbolicLinkKeepsPointing) {
  const std::string folder = TestFolder();
  std::filesystem::create_symlink("target.bin", folder + "/link.bin");
  ASSERT_EQ(SaveVectorFile(MakeVectors({"a"}, 1), folder + "/link.bin", ""),
            absl::OkStatus());
  EXPECT_TRUE(std::filesystem::is_symlink(folder + "/link.bin"));
  EXPECT_FALSE(std::filesystem::is_symlink(folder + "/target.bin"));
  EXPECT_EQ(LoadStatus(folder + "/target.bin"), absl::OkStatus());
}

TEST(SaveTest, LoopOfLinksIsAnError) {
  const std::string path = TestFolder() + "/loop.bin";
  std::filesystem::create_symlink("loop.bin", path);
  EXPECT_FALSE(SaveVectorFile(MakeVectors({"a"}, 1), path, "").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(path));
}

TEST(SaveTest, AFileMayBeConvertedOntoItself) {
  const std::string path = TestFolder() + "/v.safetensors";
  ASSERT_EQ(SaveVectorFile(MakeVectors({"a", "b"}, 2), path, ""),
            absl::OkStatus());
  auto loaded = LoadVectorFile(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  ASSERT_EQ(SaveVectorFile(*loaded, path, "text"), absl::OkStatus());
  loaded = LoadVectorFile(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_THAT(WordsOf(*loaded), ElementsAre("a", "b"));
}

TEST(SaveTest, NpyReplacesBothFilesOrNone) {
  const std::string folder = TestFolder();
  ASSERT_EQ(SaveVectorFile(MakeVectors({"old"}, 1), folder + "/v.npy", ""),
            absl::OkStatus());
  {
    const FileSizeLimit limit(100'000);  // the words would fit, values do not
    EXPECT_FALSE(SaveVectorFile(LargeVectors(), folder + "/v.npy", "").ok());
  }
  const auto loaded = LoadVectorFile(folder + "/v.npy");
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_THAT(WordsOf(*loaded), ElementsAre("old"));
  EXPECT_THAT(NamesIn(folder), ElementsAre("v.npy", "v.vocab"));
}

TEST(SaveTest, OutputTableOfAnotherShapeIsRefused) {
  VectorFile file = MakeVectors({"a", "b"}, 2);
  file.output = testing_io::PaddedTable(1, 3, {1, 2, 3});
  const std::string path = TestFolder() + "/v.safetensors";
  EXPECT_THAT(std::string(SaveVectorFile(file, path, "").message()),
              HasSubstr("output table must have 2 columns, found 3"));
  file.output = testing_io::PaddedTable(1, 2, {1, 2});
  file.output_bias = testing_io::PaddedTable(1, 2, {1, 2});
  EXPECT_THAT(
      std::string(SaveVectorFile(file, path, "").message()),
      HasSubstr("output bias must have the shape [1, 1], found [1, 2]"));
}

}  // namespace
}  // namespace firth
