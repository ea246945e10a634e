#include "corpus/input_files.h"

#include <sys/stat.h>

#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ExpandInputsTest, ListsAFolderSortedWithoutHiddenFiles) {
  const TempFolder folder;
  const std::string b = folder.Write("b.txt", "b");
  const std::string a = folder.Write("a/2/deep.txt", "a");
  const std::string c = folder.Write("c.txt", "c");
  folder.Write(".hidden", "x");
  folder.Write(".git/objects/x", "x");
  std::filesystem::create_symlink("nowhere", folder.File("dangling"));
  std::filesystem::create_directory_symlink("..", folder.File("a/loop"));
  EXPECT_THAT(*ExpandInputs({folder.path()}), ElementsAre(a, b, c));
}

TEST(ExpandInputsTest, KeepsTheOrderOfInputs) {
  const TempFolder folder;
  const std::string b = folder.Write("b", "b");
  const std::string a = folder.Write("a", "a");
  const std::string hidden = folder.Write(".named", "x");
  EXPECT_THAT(*ExpandInputs({b, "-", a, b, hidden}),
              ElementsAre(b, "-", a, b, hidden));
}

TEST(ExpandInputsTest, FailsOnWhatIsMissing) {
  const auto files = ExpandInputs({"-", "/no/such/file"});
  EXPECT_EQ(files.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(files.status().message(), HasSubstr("/no/such/file: "));
}

TEST(ExpandInputsTest, FailsOnAFolderWithoutFiles) {
  const TempFolder folder;
  folder.Write(".hidden", "x");
  const auto files = ExpandInputs({folder.path()});
  EXPECT_EQ(files.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(files.status().message(), HasSubstr("no files"));
}

TEST(ExpandInputsTest, FailsOnWhatCannotBeRead) {
  const TempFolder folder;
  const std::string file = folder.Write("locked", "x");
  chmod(file.c_str(), 0);
  if (access(file.c_str(), R_OK) == 0) GTEST_SKIP() << "root reads everything";
  EXPECT_EQ(ExpandInputs({file}).status().code(),
            absl::StatusCode::kPermissionDenied);
  folder.Write("a/b/text", "x");
  chmod(folder.File("a/b").c_str(), 0);
  EXPECT_THAT(ExpandInputs({folder.File("a")}).status().message(),
              testing::HasSubstr("a/b: cannot list: Permission denied"));
  chmod(folder.File("a/b").c_str(), 0700);
}

}  // namespace
}  // namespace firth
