#include "corpus/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "firth/status_macros.h"
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
                testing::HasSubstr("text.txt: the file changed while it was "
                                   "being read, from 100000 to"));
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

// What a pipe has given so far, while more may come. Cancelled, were more
// waited for.
absl::StatusOr<std::string> ReadOpenPipe(const std::string& bytes) {
  int ends[2];
  if (pipe(ends) != 0) return absl::InternalError("no pipe");
  EXPECT_EQ(write(ends[1], bytes.data(), bytes.size()),
            static_cast<ssize_t>(bytes.size()));
  const absl::Cleanup close_ends = [&] {
    close(ends[0]);
    close(ends[1]);
  };
  const std::atomic<bool> stop = true;
  FIRTH_ASSIGN_OR_RETURN(
      const auto source,
      OpenByteSource("/proc/self/fd/" + std::to_string(ends[0]), &stop));
  std::string buffer(100, ' ');
  FIRTH_ASSIGN_OR_RETURN(const size_t size,
                         source->Read(absl::MakeSpan(buffer)));
  return buffer.substr(0, size);
}

// Compressed files are told by up to ten bytes, which a line may not have.
TEST(ByteSourceTest, WhatAPipeHasGivenIsReadIfItIsText) {
  for (const std::string text :
       {"a b\n", "\n", "the bank\n", "the", "BZh\n", "BZh91AY\n", "(\n"}) {
    const auto read = ReadOpenPipe(text);
    ASSERT_TRUE(read.ok()) << text << read.status();
    EXPECT_EQ(*read, text);
  }
  for (const char* start : {"", "B", "BZh9", "BZh91AY&S", "(", "\x1f\x8b"}) {
    EXPECT_EQ(ReadOpenPipe(start).status().code(), absl::StatusCode::kCancelled)
        << start;
  }
}

TEST(ByteSourceTest, NothingIsReadBehindTheEnd) {
  const TempFolder folder;
  const std::string path = folder.File("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  // For reading, too, so that it opens at once and the pipe keeps its bytes.
  const int both = open(path.c_str(), O_RDWR);
  ASSERT_EQ(write(both, "one", 3), 3);
  const std::atomic<bool> stop = true;
  const auto source = OpenByteSource(path, &stop);
  ASSERT_TRUE(source.ok()) << source.status();
  std::string buffer(100, ' ');
  EXPECT_EQ(*(*source)->Read(absl::MakeSpan(buffer)), 3u);
  close(both);
  EXPECT_EQ(*(*source)->Read(absl::MakeSpan(buffer)), 0u);
  const int again = open(path.c_str(), O_WRONLY);
  ASSERT_EQ(write(again, "two", 3), 3);
  EXPECT_EQ(*(*source)->Read(absl::MakeSpan(buffer)), 0u);
  close(again);
}

}  // namespace
}  // namespace firth
