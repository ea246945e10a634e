#include "simd/gemm.h"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_split.h"
#include "base/team.h"
#include "gtest/gtest.h"
#include "support/targets.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

struct GemmCase {
  Transpose a_t, b_t;
  size_t m, n, k;
  float alpha, beta;
};

constexpr size_t kGap = 3;  // floats between rows, to test leading dimensions
constexpr float kUntouched = 1e9f;

template <class T>
double At(const std::vector<T>& matrix, size_t leading_dim, Transpose transpose,
          size_t row, size_t col) {
  return transpose == Transpose::kYes ? matrix[col * leading_dim + row]
                                      : matrix[row * leading_dim + col];
}

template <class T>
std::vector<T> RandomNumbers(size_t count, uint64_t seed) {
  const std::vector<float> floats = RandomFloats(count, seed);
  return {floats.begin(), floats.end()};
}

template <class T>
void ExpectEqualsPlainLoops(const GemmCase& p, double tolerance) {
  SCOPED_TRACE(testing::Message()
               << "transposes " << (p.a_t == Transpose::kYes)
               << (p.b_t == Transpose::kYes) << " shape " << p.m << " " << p.n
               << " " << p.k << " alpha " << p.alpha << " beta " << p.beta);
  const size_t lda = (p.a_t == Transpose::kYes ? p.m : p.k) + kGap;
  const size_t ldb = (p.b_t == Transpose::kYes ? p.k : p.n) + kGap;
  const size_t ldc = p.n + kGap;
  const std::vector<T> a = RandomNumbers<T>(lda * (p.m + p.k), 1);
  const std::vector<T> b = RandomNumbers<T>(ldb * (p.k + p.n), 2);
  const std::vector<T> before = RandomNumbers<T>(ldc * p.m, 3);
  std::vector<T> c = before;
  for (size_t i = 0; i < p.m; ++i) {
    for (size_t j = p.n; j < ldc; ++j) c[i * ldc + j] = kUntouched;
  }
  Gemm(p.a_t, p.b_t, p.m, p.n, p.k, T{p.alpha}, a.data(), lda, b.data(), ldb,
       T{p.beta}, c.data(), ldc);
  for (size_t i = 0; i < p.m; ++i) {
    for (size_t j = 0; j < p.n; ++j) {
      double sum = 0;
      for (size_t x = 0; x < p.k; ++x) {
        sum += At(a, lda, p.a_t, i, x) * At(b, ldb, p.b_t, x, j);
      }
      const double expected = p.alpha * sum + p.beta * before[i * ldc + j];
      EXPECT_NEAR(c[i * ldc + j], expected, tolerance) << i << " " << j;
    }
    for (size_t j = p.n; j < ldc; ++j) EXPECT_EQ(c[i * ldc + j], kUntouched);
  }
}

TEST(GemmTest, EqualsPlainLoopsForAllTransposesAndShapes) {
  constexpr size_t kShapes[][3] = {{1, 1, 1},  {2, 3, 4},  {17, 5, 33},
                                   {1, 40, 9}, {40, 1, 9}, {33, 31, 67}};
  constexpr float kScales[][2] = {{1, 0}, {-0.5f, 1}, {2, 0.25f}};
  for (const Transpose a_t : {Transpose::kNo, Transpose::kYes}) {
    for (const Transpose b_t : {Transpose::kNo, Transpose::kYes}) {
      for (const auto& [m, n, k] : kShapes) {
        for (const auto& [alpha, beta] : kScales) {
          const GemmCase test{a_t, b_t, m, n, k, alpha, beta};
          ExpectEqualsPlainLoops<float>(test, 1e-4);
          ExpectEqualsPlainLoops<double>(test, 1e-12);
        }
      }
    }
  }
}

TEST(GemmTest, BetaZeroOverwritesWhateverIsThere) {
  const std::vector<float> a = {1, 2}, b = {3, 4};
  std::vector<float> c = {std::numeric_limits<float>::quiet_NaN()};
  Gemm(Transpose::kNo, Transpose::kNo, 1, 1, 2, 1, a.data(), 2, b.data(), 1, 0,
       c.data(), 1);
  EXPECT_EQ(c[0], 11);
}

TEST(GemmTest, EmptyShapesAreAllowed) {
  std::vector<float> c = {8};
  Gemm(Transpose::kNo, Transpose::kNo, 1, 1, 0, 1.0f, nullptr, 0, nullptr, 1,
       0.5f, c.data(), 1);
  EXPECT_EQ(c[0], 4);
  Gemm(Transpose::kNo, Transpose::kNo, 0, 0, 0, 1.0f, nullptr, 0, nullptr, 0, 0,
       nullptr, 0);
}

struct SharedProduct {
  Transpose a_t, b_t;
  size_t m, n, k;
  float beta;

  std::vector<float> By(int threads, const std::vector<float>& a,
                        const std::vector<float>& b) const {
    std::vector<float> c = RandomFloats(m * n, 3);
    RunTeam(threads, [&] {
      Gemm(a_t, b_t, m, n, k, 1, a.data(), a_t == Transpose::kYes ? m : k,
           b.data(), b_t == Transpose::kYes ? k : n, beta, c.data(), n);
    });
    return c;
  }
};

void ExpectTeamsToAgree() {
  // Thick products, and such as have few rows, few columns or little depth.
  constexpr size_t kShapes[][3] = {
      {256, 264, 128}, {100, 1500, 70}, {700, 72, 1100}, {1200, 1100, 16},
      {9, 5000, 300},  {6000, 13, 200}, {1500, 1300, 7}};
  for (const auto& [m, n, k] : kShapes) {
    const std::vector<float> a = RandomFloats(m * k, 1);
    const std::vector<float> b = RandomFloats(k * n, 2);
    for (const Transpose a_t : {Transpose::kNo, Transpose::kYes}) {
      for (const Transpose b_t : {Transpose::kNo, Transpose::kYes}) {
        for (const float beta : {1.0f, 0.5f}) {
          const SharedProduct product{a_t, b_t, m, n, k, beta};
          const std::vector<float> one = product.By(1, a, b);
          for (const int threads : {2, 5}) {
            EXPECT_TRUE(product.By(threads, a, b) == one)
                << threads << " threads, " << m << " " << n << " " << k;
          }
        }
      }
    }
  }
}

TEST(GemmTest, ATeamGivesTheSameBitsAsOneThread) {
  ForEachTarget(&ExpectTeamsToAgree);
}

// OpenBLAS chooses its kernels when it is loaded, by the processor or as it is
// told, so each of them takes a process of its own.
TEST(GemmDeathTest, ATeamGivesTheSameBitsWithAnyKernelsOfTheBlas) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const std::vector<int64_t> targets = hwy::SupportedAndGeneratedTargets();
  std::vector<const char*> kernels;
  if (absl::c_linear_search(targets, HWY_AVX2)) kernels = {"Haswell", "Zen"};
  if (absl::c_linear_search(targets, HWY_AVX3)) kernels.push_back("SkylakeX");
  for (const char* const name : kernels) {
    setenv("OPENBLAS_CORETYPE", name, /*overwrite=*/1);
    EXPECT_EXIT(
        {
          ForEachTarget(&ExpectTeamsToAgree);
          std::exit(testing::Test::HasFailure() ? 1 : 0);
        },
        testing::ExitedWithCode(0), "")
        << name;
  }
  unsetenv("OPENBLAS_CORETYPE");
}

// The buffers of OpenBLAS: 128 MiB of addresses each, and side by side.
size_t CountBuffers() {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  size_t buffers = 0;
  while (std::getline(maps, line)) {
    const std::vector<std::string> parts =
        absl::StrSplit(line, absl::ByAnyChar("- "));
    if (parts[2] != "rw") continue;
    const uint64_t begin = std::stoull(parts[0], nullptr, 16);
    const uint64_t end = std::stoull(parts[1], nullptr, 16);
    buffers += (end - begin) >> 27;
  }
  return buffers;
}

// A buffer more than there are threads is one for which nobody has looked
// whether there is room.
TEST(GemmTest, NoThreadMakesABufferWhileAnotherOneBegins) {
  // Small products need no buffer.
  constexpr size_t kSize = 128;
  const std::vector<double> ones(kSize * kSize, 1);
  const auto multiply = [&] {
    std::vector<double> c(kSize * kSize);
    Gemm(Transpose::kNo, Transpose::kNo, kSize, kSize, kSize, 1, ones.data(),
         kSize, ones.data(), kSize, 0, c.data(), kSize);
    return c[0];
  };
  ASSERT_EQ(multiply(), kSize);
  const size_t before = CountBuffers();
  constexpr size_t kThreads = 24;
  std::atomic<size_t> begun = 0;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      multiply();
      ++begun;
      while (begun < kThreads) multiply();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(CountBuffers(), before + kThreads);
}

TEST(GemmDeathTest, SizesBeyondIntAndNarrowLeadingDimensionsAreOurMistake) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  float x = 0;
  const size_t huge = size_t{1} << 31;
  EXPECT_DEATH(Gemm(Transpose::kNo, Transpose::kNo, huge, 1, 1, 1, &x, 1, &x, 1,
                    0, &x, 1),
               "check failed");
  EXPECT_DEATH(
      Gemm(Transpose::kNo, Transpose::kNo, 1, 1, 2, 1, &x, 1, &x, 1, 0, &x, 1),
      "check failed");
}

}  // namespace
}  // namespace firth
