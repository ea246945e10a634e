#include "io/formats/interop_support.h"

#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"
#include "support/tiny_vectors.h"

namespace firth::testing_io {
namespace {

FloatTable RandomTable(size_t rows, size_t cols, uint64_t seed) {
  return FloatTable(RandomFloats(rows * cols, seed), cols);
}

bool Has(bool there, const char* what) {
  EXPECT_TRUE(there || std::getenv("FIRTH_INTEROP") == nullptr)
      << what << " is not installed";
  return there;
}

}  // namespace

bool Succeeds(const std::string& command) {
  const int result = std::system(command.c_str());
  return WIFEXITED(result) && WEXITSTATUS(result) == 0;
}

bool HasFasttext() {
  static const bool there = Succeeds("command -v fasttext >/dev/null");
  return Has(there, "fasttext");
}

bool HasGensim() {
  // Its word mover's distance needs pyemd, which Debian only suggests with it.
  static const bool there =
      Succeeds("/usr/bin/python3 -c 'import gensim, pyemd' 2>/dev/null");
  return Has(there, "gensim with pyemd");
}

void RunPython(const std::string& folder, absl::string_view script) {
  WriteBytes(folder + "/script.py", script);
  EXPECT_TRUE(Succeeds(absl::StrCat("/usr/bin/python3 '", folder,
                                    "/script.py' '", folder, "'")));
}

std::string Hex(absl::string_view bytes) {
  return absl::BytesToHexString(bytes);
}

std::string LinesOf(const std::vector<std::string>& words) {
  std::string lines;
  for (const std::string& word : words) absl::StrAppend(&lines, word, "\n");
  return lines;
}

VectorFile NGramModel(const std::vector<std::string>& words, size_t dim,
                      const SubwordOptions& options) {
  const std::vector<absl::string_view> views(words.begin(), words.end());
  std::vector<uint64_t> counts;
  for (size_t i = 0; i < words.size(); ++i) counts.push_back(100 - i);
  const Vocabulary vocabulary = *Vocabulary::Create(views, counts);
  SubwordIndex index = *SubwordIndex::Create(options, vocabulary);
  const FloatTable own = RandomTable(words.size(), dim, 1);
  const FloatTable n_grams = RandomTable(index.rows(), dim, 2);
  std::vector<float> means;
  for (size_t i = 0; i < words.size(); ++i) {
    std::vector<uint32_t> rows;
    const size_t count = 1 + index.AppendRows(words[i], &rows);
    for (size_t col = 0; col < dim; ++col) {
      double sum = own.Row(i)[col];
      for (const uint32_t row : rows) sum += n_grams.Row(row)[col];
      means.push_back(static_cast<float>(sum / static_cast<double>(count)));
    }
  }
  VectorFile file;
  file.vectors =
      *WordVectors::Create(vocabulary, FloatTable(std::move(means), dim),
                           SubwordTables{std::move(index), own, n_grams});
  return file;
}

void ExpectVectorLines(const std::string& lines,
                       const std::vector<std::string>& words,
                       const WordVectors& vectors, double relative) {
  std::istringstream stream(lines);
  for (const std::string& word : words) {
    std::string line;
    ASSERT_TRUE(std::getline(stream, line)) << "none for " << word;
    EXPECT_EQ(line.substr(0, word.size()), word);
    std::istringstream values(line.substr(word.size()));
    for (const float expected : VectorOf(vectors, word)) {
      double found;
      ASSERT_TRUE(values >> found) << line;
      EXPECT_NEAR(found, expected, relative * std::abs(expected) + 1e-7)
          << word;
    }
  }
}

}  // namespace firth::testing_io
