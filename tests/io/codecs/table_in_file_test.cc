#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "gtest/gtest.h"
#include "io/codecs/vector_rows.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

// A file within another one may start at any byte.
TEST(TableInFileTest, IsAlignedWhereverItsFileStarts) {
  const float values[] = {1.5f, -2, 0.25f, 8, 1e-3f, 7};
  for (size_t shift = 0; shift < 8; ++shift) {
    std::string bytes(shift, 'x');
    bytes.append(reinterpret_cast<const char*>(values), sizeof(values));
    const TestFile file(bytes);
    const auto whole = MappedFile::Open(file.path());
    ASSERT_TRUE(whole.ok()) << whole.status();
    const auto part = MappedFile::PartOf(*whole, shift, sizeof(values), "part");
    const auto table = TableInFile(part, 0, 2, 3);
    ASSERT_TRUE(table.ok()) << table.status();
    for (size_t row = 0; row < 2; ++row) {
      const float* const found = table->Row(row).data();
      EXPECT_EQ(reinterpret_cast<uintptr_t>(found) % alignof(float), 0u);
      EXPECT_EQ(std::memcmp(found, values + 3 * row, 3 * sizeof(float)), 0);
    }
  }
}

}  // namespace
}  // namespace firth
