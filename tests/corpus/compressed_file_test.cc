#include "corpus/compressed_file.h"

#include <filesystem>
#include <string>

#include "corpus/byte_source.h"
#include "corpus/decompressor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

std::string SomeText() {
  std::string text;
  for (int i = 0; i < 50000; ++i) {
    text += std::to_string(i * 7919 % 10007) + (i % 10 == 9 ? "\n" : " ");
  }
  return text;
}

struct Name {
  const char* ending;
  Compression compression;
};

class CompressedFileTest : public testing::TestWithParam<Name> {
 protected:
  std::string path() const {
    return folder_.File(std::string("text") + GetParam().ending);
  }

  TempFolder folder_;
};

TEST_P(CompressedFileTest, IsReadAsItWasWritten) {
  const std::string text = SomeText();
  auto file = CompressedFile::Create(path());
  ASSERT_EQ(file.status(), absl::OkStatus());
  for (size_t i = 0; i < text.size(); i += 1000) {
    ASSERT_EQ(file->Write(absl::string_view(text).substr(i, 1000)),
              absl::OkStatus());
  }
  EXPECT_FALSE(std::filesystem::exists(path()));
  ASSERT_EQ(file->Commit(), absl::OkStatus());
  const std::string bytes = ReadWholeFile(path());
  EXPECT_EQ(RecogniseCompression(bytes.substr(0, kMagicBytes)),
            GetParam().compression);
  auto source = OpenByteSource(path(), nullptr);
  ASSERT_EQ(source.status(), absl::OkStatus());
  std::string read(text.size() + 1, ' ');
  size_t size = 0;
  while (size < read.size()) {
    const auto more = (*source)->Read(absl::MakeSpan(read).subspan(size));
    ASSERT_EQ(more.status(), absl::OkStatus());
    if (*more == 0) break;
    size += *more;
  }
  read.resize(size);
  EXPECT_EQ(read, text);
}

TEST_P(CompressedFileTest, WithoutCommitThereIsNoFile) {
  {
    auto file = CompressedFile::Create(path());
    ASSERT_EQ(file.status(), absl::OkStatus());
    ASSERT_EQ(file->Write(SomeText()), absl::OkStatus());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

INSTANTIATE_TEST_SUITE_P(Endings, CompressedFileTest,
                         testing::Values(Name{".txt", Compression::kNone},
                                         Name{".gz", Compression::kGzip},
                                         Name{".bz2", Compression::kBzip2},
                                         Name{".xz", Compression::kXz},
                                         Name{".zst", Compression::kZstd}),
                         [](const testing::TestParamInfo<Name>& info) {
                           return std::string(info.param.ending).substr(1);
                         });

TEST(CompressedFileNameTest, TheEndingOfTheCompressionIsCutOff) {
  EXPECT_EQ(WithoutCompression("a.arpa.gz"), "a.arpa");
  EXPECT_EQ(WithoutCompression("a.arpa"), "a.arpa");
  EXPECT_EQ(WithoutCompression(".xz"), "");
}

TEST(CompressedFileErrorTest, AFullDiskIsReported) {
  const std::string path = "/dev/full";
  auto file = CompressedFile::Create(path);
  ASSERT_EQ(file.status(), absl::OkStatus());
  const bool written = file->Write(SomeText()).ok();
  EXPECT_FALSE(written && file->Commit().ok());
}

}  // namespace
}  // namespace firth
