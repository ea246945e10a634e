#include "tag/token_features.h"

#include "gtest/gtest.h"

namespace firth {
namespace {

struct CasingCase {
  const char* token;
  Casing casing;
};

constexpr CasingCase kCases[] = {
    {"", Casing::kNoLetter},          {"...", Casing::kNoLetter},
    {"\xff", Casing::kNoLetter},      {"1,500", Casing::kNumber},
    {"\u0663", Casing::kNumber},      {"the", Casing::kLower},
    {"n't", Casing::kLower},          {"\u4e2d\u6587", Casing::kLower},
    {"Paris", Casing::kInitial},      {"A", Casing::kInitial},
    {"d'Or", Casing::kMixed},         {"'Tis", Casing::kInitial},
    {"\u00c9mile", Casing::kInitial}, {"\u00e9t\u00e9", Casing::kLower},
    {"USA", Casing::kCapitals},       {"U.N.", Casing::kCapitals},
    {"McDonald", Casing::kMixed},     {"iPhone", Casing::kMixed},
    {"F16", Casing::kWithDigit},      {"4th", Casing::kWithDigit}};

TEST(CasingTest, OfTokensOfEachKind) {
  for (const CasingCase& test : kCases) {
    EXPECT_EQ(CasingOf(test.token), test.casing) << test.token;
    EXPECT_LT(static_cast<size_t>(CasingOf(test.token)), kNumCasings);
  }
}

}  // namespace
}  // namespace firth
