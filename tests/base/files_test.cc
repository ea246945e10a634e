// MappedFile and ErrnoStatus.

#include <sys/stat.h>

#include <cerrno>
#include <string>

#include "base/errno_status.h"
#include "base/mapped_file.h"
#include "firth/mapped_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::HasSubstr;

TEST(MappedFileTest, HoldsTheBytesOfAFile) {
  const TempFolder folder;
  for (const std::string& bytes :
       {std::string(), std::string("a\0b", 3), std::string(100000, 'x')}) {
    const auto file = MappedFile::Open(folder.Write("file", bytes));
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ((*file)->bytes(), bytes);
    EXPECT_EQ((*file)->size(), bytes.size());
    EXPECT_EQ((*file)->path(), folder.File("file"));
  }
}

TEST(MappedFileTest, IsFoundByItsBytesAsLongAsItIsMapped) {
  const TempFolder folder;
  auto one = *MappedFile::Open(folder.Write("one", std::string(5000, 'x')));
  const auto two = *MappedFile::Open(folder.Write("two", "abc"));
  const char* const begin = one->data();
  EXPECT_EQ(MappedFileAt(begin), folder.File("one"));
  EXPECT_EQ(MappedFileAt(begin + 4999), folder.File("one"));
  EXPECT_EQ(MappedFileAt(two->data() + 2), folder.File("two"));
  EXPECT_EQ(MappedFileAt(two->data() + 3), nullptr);
  EXPECT_EQ(MappedFileAt(&folder), nullptr);
  one.reset();
  EXPECT_EQ(MappedFileAt(begin), nullptr);
  const auto three = *MappedFile::Open(folder.Write("three", "abc"));
  EXPECT_EQ(MappedFileAt(three->data()), folder.File("three"));
}

TEST(MappedFileTest, RefusesWhatIsNoFile) {
  EXPECT_EQ(MappedFile::Open("/no/such/file").status().code(),
            absl::StatusCode::kNotFound);
  const auto folder = MappedFile::Open(testing::TempDir());
  EXPECT_EQ(folder.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(folder.status().message(),
              HasSubstr("not a regular file but a folder"));
  EXPECT_THAT(MappedFile::Open("/dev/null").status().message(),
              HasSubstr("but a pipe or a device"));
  // Nobody writes to it: this must not wait.
  const TempFolder files;
  ASSERT_EQ(mkfifo(files.File("pipe").c_str(), 0600), 0);
  EXPECT_THAT(MappedFile::Open(files.File("pipe")).status().message(),
              HasSubstr("but a pipe or a device"));
}

TEST(ErrnoStatusTest, SaysWhereWhatAndWhy) {
  const absl::Status status = ErrnoStatus(ENOSPC, "out.bin", "cannot write");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "out.bin: cannot write: No space left on device");
  EXPECT_EQ(ErrnoStatus(ENOENT, "", "").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrnoStatus(EACCES, "", "").code(),
            absl::StatusCode::kPermissionDenied);
}

}  // namespace
}  // namespace firth
