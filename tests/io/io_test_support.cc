#include "io/io_test_support.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "firth/postprocess.h"
#include "gtest/gtest.h"

namespace firth::testing_io {

std::string TestFolder() {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  std::string folder = absl::StrCat(testing::TempDir(), "/firth_io_",
                                    info->test_suite_name(), "_", info->name());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_directory()) continue;
    names.push_back(std::filesystem::relative(entry.path(), folder).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteBytes(const std::string& path, absl::string_view bytes) {
  // A new file: truncating one makes some file systems wait for the disk.
  std::filesystem::remove(path);
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(file.good()) << path;
}

FloatTable PaddedTable(size_t rows, size_t cols,
                       const std::vector<float>& values) {
  const size_t stride = cols + 3;
  auto data = std::make_shared<std::vector<float>>(
      rows * stride, std::numeric_limits<float>::quiet_NaN());
  for (size_t i = 0; i < rows * cols; ++i) {
    (*data)[i / cols * stride + i % cols] = values[i];
  }
  return FloatTable({data->data(), rows, cols, stride}, data);
}

VectorFile MakeVectors(const std::vector<std::string>& words, size_t dim) {
  std::vector<float> values;
  for (size_t i = 0; i < words.size() * dim; ++i) {
    values.push_back((static_cast<float>(i) - 3.0f) / 7.0f);
  }
  const std::vector<absl::string_view> views(words.begin(), words.end());
  VectorFile file;
  file.vectors = *WordVectors::Create(*Vocabulary::Create(views, {}),
                                      PaddedTable(words.size(), dim, values));
  return file;
}

absl::Status LoadStatus(const std::string& path) {
  return LoadVectorFile(path).status();
}

std::string LoadMessage(const std::string& path) {
  return absl::StrCat(LoadStatus(path).message());
}

std::vector<std::string> WordsOf(const VectorFile& file) {
  std::vector<std::string> words;
  for (size_t i = 0; i < file.vectors.size(); ++i) {
    words.emplace_back(file.vectors.vocabulary().Word(ToWordId(i)));
  }
  return words;
}

void ExpectSameVectors(const WordVectors& expected, const WordVectors& found) {
  ASSERT_EQ(found.size(), expected.size());
  ASSERT_EQ(found.dim(), expected.dim());
  for (size_t i = 0; i < expected.size(); ++i) {
    const WordId word = ToWordId(i);
    EXPECT_EQ(found.vocabulary().Word(word), expected.vocabulary().Word(word));
    EXPECT_EQ(
        std::memcmp(found.Vector(word).data(), expected.Vector(word).data(),
                    expected.dim() * sizeof(float)),
        0)
        << "word " << i;
  }
}

void ExpectNearVectors(const WordVectors& expected, const WordVectors& found) {
  ASSERT_EQ(found.size(), expected.size());
  ASSERT_EQ(found.dim(), expected.dim());
  for (size_t i = 0; i < expected.size(); ++i) {
    const WordId word = ToWordId(i);
    EXPECT_EQ(found.vocabulary().Word(word), expected.vocabulary().Word(word));
    double squares = 0;
    for (const float value : expected.Vector(word)) {
      squares += double{value} * value;
    }
    for (size_t col = 0; col < expected.dim(); ++col) {
      EXPECT_NEAR(found.Vector(word)[col], expected.Vector(word)[col],
                  1e-6 * std::sqrt(squares))
          << "word " << i << ", value " << col;
    }
  }
}

VectorFile Holdable(const VectorFile& file, absl::string_view format) {
  const auto lost = LostWords(file, format);
  EXPECT_TRUE(lost.ok()) << lost.status();
  if (!lost.ok() || lost->empty()) return file;
  std::vector<absl::string_view> kept;
  for (size_t i = 0; i < file.vectors.size(); ++i) {
    const auto is_it = [i](const LostWord& word) {
      return word.word == ToWordId(i);
    };
    if (std::none_of(lost->begin(), lost->end(), is_it)) {
      kept.push_back(file.vectors.vocabulary().Word(ToWordId(i)));
    }
  }
  VectorFile held = file;
  held.vectors = *SelectWords(file.vectors, *Vocabulary::Create(kept, {}));
  return held;
}

std::vector<float> VectorOf(const WordVectors& vectors,
                            absl::string_view word) {
  const auto known = vectors.Find(word);
  if (known.has_value()) return {known->begin(), known->end()};
  const auto made = vectors.FromNGrams(word);
  return made.value_or(std::vector<float>(vectors.dim()));
}

}  // namespace firth::testing_io
