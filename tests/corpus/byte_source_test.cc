#include "corpus/byte_source.h"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

// Reads the beginning, changes the file, and reads to the end.
template <class Change>
absl::Status ReadWhile(const Change& change) {
  const TempFolder folder;
  const std::string path = folder.Write("text.txt", std::string(100'000, 'a'));
  const auto source = OpenByteSource(path, nullptr);
  EXPECT_TRUE(source.ok()) << source.status();
  std::string buffer(1000, ' ');
  EXPECT_TRUE((*source)->Read(absl::MakeSpan(buffer)).ok());
  change(path);
  while (true) {
    const auto size = (*source)->Read(absl::MakeSpan(buffer));
    if (!size.ok()) return size.status();
    if (*size == 0) return absl::OkStatus();
  }
}

TEST(ByteSourceTest, FilesThatChangeWhileTheyAreReadAreRefused) {
  EXPECT_TRUE(ReadWhile([](const std::string&) {}).ok());
  for (const size_t size : {0, 50'000, 100'001}) {
    const absl::Status status = ReadWhile([size](const std::string& path) {
      std::filesystem::resize_file(path, size);
    });
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(status.message()),
                testing::HasSubstr("text.txt: changed while it was read: "
                                   "expected 100000 bytes"));
  }
  const absl::Status touched = ReadWhile([](const std::string& path) {
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type::clock::now() +
                  std::chrono::seconds(5));
  });
  EXPECT_EQ(touched.code(), absl::StatusCode::kDataLoss);
  // A name that now belongs to another file: what was opened is read.
  EXPECT_TRUE(
      ReadWhile([](const std::string& path) { unlink(path.c_str()); }).ok());
}

// Compressed files are told by ten bytes, which a line may not have.
TEST(ByteSourceTest, AShortLineOfAPipeIsReadWhenItHasCome) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "a b\n", 4), 4);
  // Were the rest waited for, this would stop it.
  const std::atomic<bool> stop = true;
  const auto source =
      OpenByteSource("/proc/self/fd/" + std::to_string(ends[0]), &stop);
  ASSERT_TRUE(source.ok()) << source.status();
  std::string buffer(100, ' ');
  const auto size = (*source)->Read(absl::MakeSpan(buffer));
  ASSERT_TRUE(size.ok()) << size.status();
  EXPECT_EQ(buffer.substr(0, *size), "a b\n");
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace firth
