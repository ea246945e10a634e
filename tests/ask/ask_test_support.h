// Small models for tests of questions, asked as JSON.

#ifndef FIRTH_TESTS_ASK_ASK_TEST_SUPPORT_H_
#define FIRTH_TESTS_ASK_ASK_TEST_SUPPORT_H_

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "firth/ask.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/tiny_vectors.h"

namespace firth {

class AskTest : public testing::Test {
 protected:
  using Json = nlohmann::ordered_json;

  void Open(const std::string& name, WordVectors vectors) {
    ASSERT_TRUE(models_
                    .Add({name, std::make_shared<const OpenedVectors>(
                                    std::move(vectors))})
                    .ok());
  }

  absl::StatusOr<std::string> AskText(const std::string& question,
                                      const std::string& body,
                                      const AskLimits& limits = {}) const {
    const Question* const found = FindQuestion(question);
    if (found == nullptr) return absl::NotFoundError(question);
    return AskJson(*found, models_, body, limits);
  }

  // Returns the answer to one request.
  Json Ask(const std::string& question, const std::string& request) const {
    const auto text =
        AskText(question, "{\"requests\":[" + request + "]}", NoLimits());
    EXPECT_TRUE(text.ok()) << text.status();
    return text.ok() ? Json::parse(*text)["answers"][0] : Json();
  }

  // Returns the error message of a call that has no answers.
  std::string Error(const std::string& question,
                    const std::string& request) const {
    const auto text =
        AskText(question, "{\"requests\":[" + request + "]}", NoLimits());
    return text.ok() ? *text : std::string(text.status().message());
  }

  // Returns the values of one member of a list of objects.
  static Json Column(const Json& list, const std::string& member) {
    Json column = Json::array();
    for (const Json& item : list) column.push_back(item.at(member));
    return column;
  }

  OpenedModels models_;
};

inline double PlainCosine(const std::vector<float>& a,
                          const std::vector<float>& b) {
  double dot = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    dot += double{a[i]} * b[i];
    aa += double{a[i]} * a[i];
    bb += double{b[i]} * b[i];
  }
  return dot / std::sqrt(aa * bb);
}

// Two words, "ab" and "ac", with the n-grams <ab, ab>, <ac and ac>.
inline WordVectors VectorsWithNGrams() {
  const std::vector<absl::string_view> words = {"ab", "ac"};
  SubwordTables subwords;
  subwords.index =
      SubwordIndex::OfNGrams({3, 3, 1}, {"<ab", "ab>", "<ac", "ac>"}).value();
  const WordVectors rows = RandomVectors(6, 3, 4);
  subwords.n_grams = rows.table().Rows(0, 4);
  subwords.words = rows.table().Rows(4, 2);
  return WordVectors::Create(Vocabulary::Create(words, {2, 1}).value(),
                             RandomVectors(2, 3, 5).table(), subwords)
      .value();
}

}  // namespace firth

#endif  // FIRTH_TESTS_ASK_ASK_TEST_SUPPORT_H_
