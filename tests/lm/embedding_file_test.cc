#include "firth/embedding_file.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/float16.h"
#include "gtest/gtest.h"
#include "io/tensors/hdf5_file.h"
#include "io/tensors/npy_header.h"
#include "io/tensors/safetensors_header.h"
#include "support/temp_files.h"

namespace firth {
namespace {

constexpr size_t kTokens[] = {2, 0, 3};

// Vectors whose values tell where they belong.
TokenVectors Numbered(size_t sentence, size_t layers, size_t dim) {
  TokenVectors vectors{layers, kTokens[sentence], dim, {}};
  for (size_t i = 0; i < layers * vectors.tokens * dim; ++i) {
    vectors.values.push_back(static_cast<float>(1000 * sentence + i));
  }
  return vectors;
}

std::string WriteThree(const TempFolder& folder, const std::string& name,
                       EmbeddingFormat format, size_t layers, size_t dim) {
  std::string path = folder.File(name);
  auto writer = EmbeddingWriter::Create(path, format, layers, dim);
  EXPECT_EQ(writer.status(), absl::OkStatus());
  for (size_t s = 0; s < 3; ++s) {
    EXPECT_EQ(writer->Add(Numbered(s, layers, dim)), absl::OkStatus());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(writer->Commit(), absl::OkStatus());
  return path;
}

// The floats and offsets as arrays hold them: token by token.
void ExpectRows(const char* data, const char* offsets, size_t layers,
                size_t dim) {
  const uint64_t expected[] = {0, 2, 2, 5};
  EXPECT_EQ(std::memcmp(offsets, expected, sizeof(expected)), 0);
  for (size_t s = 0; s < 3; ++s) {
    const TokenVectors vectors = Numbered(s, layers, dim);
    for (size_t token = 0; token < vectors.tokens; ++token) {
      for (size_t layer = 0; layer < layers; ++layer) {
        const size_t row = (expected[s] + token) * layers + layer;
        EXPECT_EQ(std::memcmp(data + row * dim * sizeof(float),
                              vectors.Vector(layer, token).data(),
                              dim * sizeof(float)),
                  0);
      }
    }
  }
}

TEST(EmbeddingFileTest, Hdf5HasADatasetASentence) {
  const TempFolder folder;
  const std::string path =
      WriteThree(folder, "e.hdf5", EmbeddingFormat::kHdf5, 2, 4);
  const auto file = Hdf5File::Open(path);
  ASSERT_EQ(file.status(), absl::OkStatus());
  for (size_t s = 0; s < 3; ++s) {
    const TokenVectors expected = Numbered(s, 2, 4);
    std::vector<float> values(expected.values.size());
    EXPECT_EQ(
        file->Read(absl::StrCat(s), {2, expected.tokens, 4}, values.data()),
        absl::OkStatus());
    EXPECT_EQ(values, expected.values);
  }
  EXPECT_FALSE(file->Shape("3").ok());
}

// AllenNLP's readers look up a sentence in this object.
TEST(EmbeddingFileTest, Hdf5HasAnIndexOfSentences) {
  const TempFolder folder;
  const std::string path = folder.File("e.hdf5");
  auto writer = EmbeddingWriter::Create(path, EmbeddingFormat::kHdf5, 1, 2);
  ASSERT_EQ(writer.status(), absl::OkStatus());
  for (const char* sentence : {"the \xc3\xa4 \"cat\"", "", "a", "a", "\xff"}) {
    EXPECT_EQ(writer->Add(Numbered(0, 1, 2), sentence), absl::OkStatus());
  }
  ASSERT_EQ(writer->Commit(), absl::OkStatus());
  const std::string json =
      "{\"a\":\"2\",\"the \xc3\xa4 \\\"cat\\\"\":\"0\",\"\xef\xbf\xbd\":\"4\"}";
  const std::string bytes = ReadWholeFile(path);
  EXPECT_NE(bytes.find(json), std::string::npos);
  EXPECT_NE(bytes.find("sentence_to_index"), std::string::npos);
  const auto file = Hdf5File::Open(path);
  ASSERT_EQ(file.status(), absl::OkStatus());
  EXPECT_EQ(*file->Shape("4"), (std::vector<uint64_t>{1, 2, 2}));
  // Its values are not numbers.
  float value;
  EXPECT_FALSE(file->Read("sentence_to_index", {1}, &value).ok());
}

TEST(EmbeddingFileTest, NpyIsOneArrayWithOffsetsBesideIt) {
  const TempFolder folder;
  const std::string path =
      WriteThree(folder, "e.npy", EmbeddingFormat::kNpy, 1, 6);
  const auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok());
  const auto header = ParseNpyHeader(**file);
  ASSERT_EQ(header.status(), absl::OkStatus());
  EXPECT_EQ(header->rows, 5u);
  EXPECT_EQ(header->cols, 6u);
  const std::string offsets = ReadWholeFile(folder.File("e.offsets.npy"));
  EXPECT_NE(offsets.find("'descr': '<i8'"), std::string::npos);
  EXPECT_NE(offsets.find("'shape': (4,)"), std::string::npos);
  ExpectRows((*file)->data() + header->data_begin,
             offsets.data() + offsets.size() - 32, 1, 6);
}

TEST(EmbeddingFileTest, LayersAreADimensionOfArrays) {
  const TempFolder folder;
  const std::string npy =
      ReadWholeFile(WriteThree(folder, "e.npy", EmbeddingFormat::kNpy, 3, 2));
  EXPECT_EQ(npy.size(), 128 + sizeof(float) * 5 * 3 * 2);
  EXPECT_NE(npy.find("'shape': (5, 3, 2)"), std::string::npos);
  const auto file = MappedFile::Open(
      WriteThree(folder, "e.safetensors", EmbeddingFormat::kSafetensors, 3, 2));
  ASSERT_TRUE(file.ok());
  const auto header = ReadSafetensorsHeader(**file);
  ASSERT_EQ(header.status(), absl::OkStatus());
  const TensorEntry* embeddings = header->Find("embeddings");
  const TensorEntry* offsets = header->Find("offsets");
  ASSERT_TRUE(embeddings != nullptr && offsets != nullptr);
  EXPECT_EQ(embeddings->shape, (std::vector<uint64_t>{5, 3, 2}));
  ExpectRows((*file)->data() + embeddings->begin,
             (*file)->data() + offsets->begin, 3, 2);
}

// Numbered() has whole numbers, which 16 bits hold up to 2048.
TEST(EmbeddingFileTest, ValuesOf16BitsTakeHalfTheBytes) {
  const TempFolder folder;
  const TokenVectors vectors = Numbered(0, 2, 3);
  for (const EmbeddingFormat format :
       {EmbeddingFormat::kHdf5, EmbeddingFormat::kNpy,
        EmbeddingFormat::kSafetensors}) {
    const std::string path = folder.File("e");
    auto writer =
        EmbeddingWriter::Create(path, format, 2, 3, EmbeddingValues::kFloat16);
    ASSERT_EQ(writer.status(), absl::OkStatus());
    ASSERT_EQ(writer->Add(vectors), absl::OkStatus());
    TokenVectors great = vectors;
    great.values[5] = -70000;
    EXPECT_EQ(writer->Add(great).message(),
              path + ": 16 bits hold values of at most 65504, found -70000");
    ASSERT_EQ(writer->Commit(), absl::OkStatus());
    if (format == EmbeddingFormat::kHdf5) {
      std::vector<float> values(vectors.values.size());
      EXPECT_EQ(Hdf5File::Open(path)->Read("0", {2, 2, 3}, values.data()),
                absl::OkStatus());
      EXPECT_EQ(values, vectors.values);
      continue;
    }
    const std::string bytes = ReadWholeFile(path);
    size_t begin = 128;
    if (format == EmbeddingFormat::kNpy) {
      EXPECT_NE(bytes.find("'descr': '<f2'"), std::string::npos);
      EXPECT_EQ(bytes.size(), begin + 2 * 12);
    } else {
      const auto header = ReadSafetensorsHeader(**MappedFile::Open(path));
      ASSERT_EQ(header.status(), absl::OkStatus());
      EXPECT_EQ(header->Find("embeddings")->dtype, "F16");
      begin = header->Find("embeddings")->begin;
    }
    for (size_t i = 0; i < 12; ++i) {
      // By token, then layer, then dimension.
      const size_t token = i / 6, layer = i / 3 % 2;
      uint16_t value;
      std::memcpy(&value, bytes.data() + begin + 2 * i, sizeof(value));
      EXPECT_EQ(FromFloat16Bits(value), vectors.Vector(layer, token)[i % 3]);
    }
  }
}

TEST(EmbeddingFileTest, WithoutCommitThereIsNoFile) {
  const TempFolder folder;
  for (const EmbeddingFormat format :
       {EmbeddingFormat::kHdf5, EmbeddingFormat::kNpy,
        EmbeddingFormat::kSafetensors}) {
    auto writer = EmbeddingWriter::Create(folder.File("e"), format, 1, 2);
    ASSERT_TRUE(writer.ok());
    EXPECT_EQ(writer->Add(Numbered(0, 1, 2)), absl::OkStatus());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(EmbeddingFileTest, OnlyRegularFilesCanBeWritten) {
  const TempFolder folder;
  for (const EmbeddingFormat format :
       {EmbeddingFormat::kHdf5, EmbeddingFormat::kSafetensors}) {
    for (const std::string& path :
         {folder.path(), folder.File("none/e"), std::string("/dev/null")}) {
      EXPECT_FALSE(EmbeddingWriter::Create(path, format, 1, 2).ok()) << path;
    }
  }
}

TEST(EmbeddingFileTest, MixesAreThoseOfTheirShares) {
  const TokenVectors all = Numbered(2, 3, 4);
  const TokenVectors one = MixLayers(all, {{0, 0, 1}, 1, false});
  EXPECT_EQ(one.layers, 1u);
  const TokenVectors mean =
      MixLayers(all, {{1.0 / 3, 1.0 / 3, 1.0 / 3}, 2, false});
  for (size_t i = 0; i < one.values.size(); ++i) {
    EXPECT_EQ(one.values[i], all.values[2 * one.values.size() + i]);
    // Layers differ by the same, so their mean is the middle one.
    EXPECT_NEAR(mean.values[i], 2 * all.values[one.values.size() + i], 1e-2);
  }
}

}  // namespace
}  // namespace firth
