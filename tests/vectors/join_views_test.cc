#include "vectors/join_views.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "support/tiny_vectors.h"
#include "vectors/principal_components.h"

namespace firth {
namespace {

constexpr size_t kWords = 60;

// Views of 5 and 3 values, of different lengths.
std::vector<WordVectors> TwoViews() {
  return {RandomVectors(kWords, 5, 1), RandomVectors(kWords, 3, 2)};
}

double Dot(absl::Span<const float> a, absl::Span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

// The rows of a view, centered and of mean square length 1.
std::vector<std::vector<float>> Standard(const WordVectors& view) {
  const std::vector<float> mean = MeanRow(view.table());
  std::vector<std::vector<float>> rows;
  double squares = 0;
  for (size_t word = 0; word < view.size(); ++word) {
    std::vector<float> row = view.CopyVector(ToWordId(word));
    for (size_t i = 0; i < row.size(); ++i) row[i] -= mean[i];
    squares += Dot(row, row);
    rows.push_back(std::move(row));
  }
  const double scale = std::sqrt(static_cast<double>(view.size()) / squares);
  for (std::vector<float>& row : rows) {
    for (float& value : row) value *= static_cast<float>(scale);
  }
  return rows;
}

std::vector<double> ColumnSquares(const WordVectors& vectors) {
  std::vector<double> squares(vectors.dim());
  for (size_t word = 0; word < vectors.size(); ++word) {
    const auto row = vectors.Vector(ToWordId(word));
    for (size_t i = 0; i < row.size(); ++i) {
      squares[i] += double{row[i]} * row[i];
    }
  }
  return squares;
}

TEST(JoinViewsTest, AllComponentsKeepTheProductsOfAllViews) {
  const std::vector<WordVectors> views = TwoViews();
  const auto joined =
      JoinViews(views, {.dim = 8, .whitening = 0, .first_share = 1});
  ASSERT_TRUE(joined.ok()) << joined.status();
  ASSERT_EQ(joined->dim(), 8u);
  const auto first = Standard(views[0]);
  const auto second = Standard(views[1]);
  for (size_t a = 0; a < kWords; ++a) {
    for (size_t b = 0; b < kWords; ++b) {
      EXPECT_NEAR(Dot(joined->Vector(ToWordId(a)), joined->Vector(ToWordId(b))),
                  Dot(first[a], first[b]) + Dot(second[a], second[b]), 1e-5);
    }
  }
}

TEST(JoinViewsTest, ComponentsBeyondThoseOfAllViewsAreZeros) {
  const std::vector<WordVectors> views = TwoViews();
  const auto all = JoinViews(views, {.dim = 8});
  const auto more = JoinViews(views, {.dim = 10});
  ASSERT_TRUE(all.ok() && more.ok());
  ASSERT_EQ(more->dim(), 10u);
  for (size_t word = 0; word < kWords; ++word) {
    std::vector<float> expected = all->CopyVector(ToWordId(word));
    expected.resize(10);
    EXPECT_EQ(more->CopyVector(ToWordId(word)), expected);
  }
}

TEST(JoinViewsTest, FewerComponentsAreTheGreatest) {
  const std::vector<WordVectors> views = TwoViews();
  const auto all =
      JoinViews(views, {.dim = 8, .whitening = 0, .first_share = 1});
  const auto some =
      JoinViews(views, {.dim = 3, .whitening = 0, .first_share = 1});
  ASSERT_TRUE(all.ok() && some.ok());
  const std::vector<double> squares = ColumnSquares(*all);
  for (size_t i = 1; i < 8; ++i) EXPECT_GE(squares[i - 1], squares[i]);
  for (size_t word = 0; word < kWords; ++word) {
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(std::abs(some->Vector(ToWordId(word))[i]),
                  std::abs(all->Vector(ToWordId(word))[i]), 1e-5);
    }
  }
}

TEST(JoinViewsTest, WhiteningMakesComponentsAlike) {
  const std::vector<WordVectors> views = TwoViews();
  const auto plain =
      JoinViews(views, {.dim = 6, .whitening = 0, .first_share = 1});
  const auto half =
      JoinViews(views, {.dim = 6, .whitening = 0.5, .first_share = 1});
  const auto white =
      JoinViews(views, {.dim = 6, .whitening = 1, .first_share = 1});
  ASSERT_TRUE(plain.ok() && half.ok() && white.ok());
  const std::vector<double> before = ColumnSquares(*plain);
  const std::vector<double> between = ColumnSquares(*half);
  const std::vector<double> after = ColumnSquares(*white);
  EXPECT_GT(before[0] / before[5], 1.2);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(between[i] / between[0], std::sqrt(before[i] / before[0]),
                1e-4);
    EXPECT_NEAR(after[i] / after[0], 1, 1e-4);
  }
}

TEST(JoinViewsTest, FirstShareIsOfTheFirstComponentAlone) {
  const std::vector<WordVectors> views = TwoViews();
  const auto whole =
      JoinViews(views, {.dim = 4, .whitening = 0.3, .first_share = 1});
  const auto less =
      JoinViews(views, {.dim = 4, .whitening = 0.3, .first_share = 0.25});
  ASSERT_TRUE(whole.ok() && less.ok());
  for (size_t word = 0; word < kWords; ++word) {
    const auto expected = whole->Vector(ToWordId(word));
    const auto found = less->Vector(ToWordId(word));
    EXPECT_NEAR(found[0], expected[0] / 4, 1e-6);
    for (size_t i = 1; i < 4; ++i) EXPECT_EQ(found[i], expected[i]);
  }
}

TEST(JoinViewsTest, ViewsWithoutDifferencesAreZeros) {
  const WordVectors one_word = RandomVectors(1, 5, 1);
  const auto joined =
      JoinViews({one_word, one_word}, {.dim = 3, .whitening = 0.3});
  ASSERT_TRUE(joined.ok()) << joined.status();
  for (const float value : joined->Vector(ToWordId(0))) EXPECT_EQ(value, 0);
}

}  // namespace
}  // namespace firth
