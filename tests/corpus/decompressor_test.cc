#include "corpus/decompressor.h"

#include <string>

#include "corpus/byte_source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/compress.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::HasSubstr;

std::string SomeText() {
  std::string text;
  for (int i = 0; i < 20000; ++i) {
    text += std::to_string(i * 7919 % 10007) + (i % 10 == 9 ? "\n" : " ");
  }
  return text;
}

absl::StatusOr<std::string> ReadAll(ByteSource* source) {
  std::string all;
  char buffer[4099];
  for (;;) {
    const auto size = source->Read(absl::MakeSpan(buffer));
    if (!size.ok()) return size.status();
    if (*size == 0) return all;
    all.append(buffer, *size);
  }
}

absl::StatusOr<std::string> Unpack(const std::string& bytes) {
  const auto compression =
      RecogniseCompression(absl::string_view(bytes).substr(0, kMagicBytes));
  return ReadAll(
      Decompress(compression, "packed", MakeMemorySource(bytes)).get());
}

struct Format {
  const char* name;
  Compression compression;
  std::string (*pack)(const std::string&);
};

std::string ZstdDefault(const std::string& text) { return Zstd(text); }

const Format kFormats[] = {
    {"gzip", Compression::kGzip, Gzip},
    {"bzip2", Compression::kBzip2, Bzip2},
    {"xz", Compression::kXz, Xz},
    {"zstd", Compression::kZstd, ZstdDefault},
};

class DecompressorTest : public testing::TestWithParam<Format> {};

TEST_P(DecompressorTest, IsRecognisedByContent) {
  const std::string packed = GetParam().pack("some text");
  EXPECT_EQ(RecogniseCompression(packed.substr(0, kMagicBytes)),
            GetParam().compression);
}

TEST_P(DecompressorTest, GivesTheTextBack) {
  const std::string text = SomeText();
  EXPECT_EQ(*Unpack(GetParam().pack(text)), text);
  EXPECT_EQ(*Unpack(GetParam().pack("")), "");
}

TEST_P(DecompressorTest, ReadsAllMembersOfAFile) {
  const std::string text = SomeText();
  const auto pack = GetParam().pack;
  EXPECT_EQ(*Unpack(pack("one\n") + pack(text) + pack("") + pack("last")),
            "one\n" + text + "last");
}

TEST_P(DecompressorTest, FailsAtEveryTruncation) {
  const std::string packed = GetParam().pack("a few words\nof text\n");
  const size_t least = GetParam().compression == Compression::kBzip2 ? 4 : 2;
  for (size_t size = least; size < packed.size(); ++size) {
    const auto text = Unpack(packed.substr(0, size));
    ASSERT_EQ(text.status().code(), absl::StatusCode::kDataLoss) << size;
    ASSERT_THAT(text.status().message(),
                HasSubstr("the file ends at byte " + std::to_string(size)));
  }
}

TEST_P(DecompressorTest, FailsOnLongTruncatedFiles) {
  const std::string packed = GetParam().pack(SomeText());
  for (size_t size = 100; size < packed.size(); size += packed.size() / 50) {
    const auto text = Unpack(packed.substr(0, size));
    ASSERT_EQ(text.status().code(), absl::StatusCode::kDataLoss) << size;
  }
}

TEST_P(DecompressorTest, FailsOnATruncatedSecondMember) {
  const std::string packed = GetParam().pack("a few words\n");
  const auto text = Unpack(packed + packed.substr(0, packed.size() - 1));
  EXPECT_EQ(text.status().code(), absl::StatusCode::kDataLoss);
}

TEST_P(DecompressorTest, FailsOnCorruptBytes) {
  const std::string text = SomeText();
  const std::string packed = GetParam().pack(text);
  for (size_t place = 20; place + 20 < packed.size();
       place += packed.size() / 25) {
    std::string corrupt = packed;
    corrupt[place] = static_cast<char>(corrupt[place] ^ 0x55);
    const auto unpacked = Unpack(corrupt);
    ASSERT_EQ(unpacked.status().code(), absl::StatusCode::kDataLoss) << place;
    ASSERT_THAT(unpacked.status().message(), HasSubstr("packed: "));
    ASSERT_THAT(unpacked.status().message(), HasSubstr("byte "));
  }
}

TEST_P(DecompressorTest, FailsOnWhatFollowsTheLastMember) {
  const auto text = Unpack(GetParam().pack("text") + "no member");
  EXPECT_EQ(text.status().code(), absl::StatusCode::kDataLoss);
}

INSTANTIATE_TEST_SUITE_P(Formats, DecompressorTest, testing::ValuesIn(kFormats),
                         [](const auto& info) { return info.param.name; });

TEST(RecogniseCompressionTest, TakesTextForText) {
  for (const char* text : {"", "a", "B", "BZ", "BZh", "BZh1", "BZh91AY&S?",
                           "BZhello", "P*M", "(\xB5", "plain text"}) {
    const bool packed =
        std::string(text) == "BZh1" || std::string(text) == "(\xB5";
    EXPECT_EQ(RecogniseCompression(text) != Compression::kNone, packed) << text;
  }
}

// The first byte that fits no magic number decides, and so does a whole one.
TEST(RecogniseCompressionTest, MoreBytesAreWantedOfAMagicOnly) {
  const std::string magics[] = {
      {"\x1f\x8b\x08", 3},
      {"\xFD\x37zXZ\0", 6},
      {"\x28\xB5\x2F\xFD", 4},
      {"\x53\x2A\x4D\x18", 4},
      "BZh71AY&SY",
      {"BZh9\x17\x72\x45\x38\x50\x90", 10},
  };
  for (const std::string& magic : magics) {
    for (size_t size = 0; size < magic.size(); ++size) {
      const std::string start = magic.substr(0, size);
      EXPECT_TRUE(MayBecomeCompressed(start)) << magic << " " << size;
      EXPECT_FALSE(MayBecomeCompressed(start + "\n")) << magic << " " << size;
    }
    EXPECT_FALSE(MayBecomeCompressed(magic)) << magic;
    EXPECT_NE(RecogniseCompression(magic), Compression::kNone) << magic;
  }
  for (const char* text : {"the bank", "BZh0", "BZh:", "O*M", "`*M"}) {
    EXPECT_FALSE(MayBecomeCompressed(text)) << text;
  }
}

TEST(ZstdTest, ReadsLongWindows) {
  const std::string text = SomeText();
  EXPECT_EQ(*Unpack(Zstd(text, 27)), text);
  EXPECT_EQ(*Unpack(Zstd(text, 30)), text);
}

TEST(ZstdTest, SkipsSkippableFrames) {
  const std::string skippable("\x50\x2A\x4D\x18\x03\0\0\0abc", 11);
  EXPECT_EQ(*Unpack(skippable + Zstd("text") + skippable), "text");
  EXPECT_EQ(*Unpack(Zstd("one ") + skippable + Zstd("two")), "one two");
}

TEST(ByteSourceTest, NamesAMissingFile) {
  const auto source = OpenByteSource("/no/such/file", nullptr);
  EXPECT_EQ(source.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(source.status().message(), HasSubstr("/no/such/file: "));
}

TEST(ByteSourceTest, ReadsPlainAndPackedFiles) {
  const TempFolder folder;
  const std::string text = SomeText();
  for (const std::string& bytes : {text, Gzip(text), Zstd(text)}) {
    auto source = OpenByteSource(folder.Write("file", bytes), nullptr);
    ASSERT_TRUE(source.ok()) << source.status();
    EXPECT_EQ(*ReadAll(source->get()), text);
  }
}

TEST(ByteSourceTest, FailsToReadAFolder) {
  const auto source = OpenByteSource(testing::TempDir(), nullptr);
  EXPECT_FALSE(source.ok());
}

}  // namespace
}  // namespace firth
