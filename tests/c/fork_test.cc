// The library in a child that was forked while the parent's OpenMP had threads.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "c/c_test_support.h"
#include "firth/firth.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

// Enough numbers for a search on all cores.
constexpr int64_t kWords = 4000;
constexpr int64_t kDim = 64;

FirthVectors* ManyVectors() {
  CTexts texts(std::vector<std::string>{});
  std::vector<float> rows;
  for (int64_t word = 0; word < kWords; ++word) {
    texts.Add("w" + std::to_string(word));
    for (int64_t i = 0; i < kDim; ++i) {
      rows.push_back(static_cast<float>((word * (i + 3)) % 101) - 50);
    }
  }
  FirthVectors* vectors = nullptr;
  EXPECT_TRUE(
      Fine(firth_vectors_create(texts.bytes.data(), texts.offsets.data(),
                                kWords, rows.data(), kDim, nullptr, &vectors)));
  return vectors;
}

// The nearest neighbour of each of the first five words; empty: none.
std::vector<int64_t> Neighbours(FirthSearch* search) {
  const int64_t words[] = {0, 1, 2, 3, 4};
  std::vector<int64_t> ids(5);
  float scores[5];
  FirthStatus* const status = firth_search_words(search, words, 5, 1, nullptr,
                                                 nullptr, ids.data(), scores);
  if (status != nullptr) ids.clear();
  firth_status_free(status);
  return ids;
}

TEST(ForkTest, AChildAsksAsItsParentDid) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer lets no forked child start threads";
#endif
  FirthVectors* const vectors = ManyVectors();
  FirthSearch* search = nullptr;
  ASSERT_TRUE(Fine(
      firth_search_create(vectors, nullptr, 0, nullptr, nullptr, &search)));
  const std::vector<int64_t> expected = Neighbours(search);
  ASSERT_EQ(expected.size(), 5u);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // ends a child that waits for ever
    bool same = Neighbours(search) == expected;
    firth_search_free(search);
    same = same && Neighbours(search).empty();
    _exit(same ? 0 : 1);
  }
  ASSERT_GT(child, 0);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(Neighbours(search), expected);
  firth_search_free(search);
  firth_vectors_free(vectors);
}

}  // namespace
}  // namespace firth
