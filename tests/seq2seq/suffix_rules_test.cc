// The figures that models of inflection are compared with in
// docs/measurements/sequence-to-sequence.md.

#include "seq2seq/suffix_rules.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "firth/parallel_text.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

TEST(SuffixRulesTest, TheLongestEndDecides) {
  SuffixRules rules;
  rules.Learn("V;PST", "walk", "walked");
  rules.Learn("V;PST", "bake", "baked");
  rules.Learn("N;PL", "walk", "walks");
  EXPECT_EQ(rules.Apply("V;PST", "talk"), "talked");
  EXPECT_EQ(rules.Apply("V;PST", "rake"), "raked");
  EXPECT_EQ(rules.Apply("N;PL", "milk"), "milks");
  EXPECT_EQ(rules.Apply("unknown", "milk"), "milk");
}

struct Form {
  std::string lemma, form, labels;
};

std::vector<Form> ReadForms(const std::string& path) {
  ParallelTextOptions options;
  options.inputs = {path};
  options.label_column = 3;
  options.tokens.units = TextUnits::kCharacters;
  const auto pairs = ReadParallelText(options);
  EXPECT_EQ(pairs.status(), absl::OkStatus());
  std::vector<Form> forms;
  for (const TextPair& pair : *pairs) {
    Form& form = forms.emplace_back();
    for (const std::string& token : pair.source) {
      absl::StrAppend(
          token.size() > 1 && token[0] == '<' ? &form.labels : &form.lemma,
          token);
    }
    form.form = absl::StrJoin(pair.target, "");
  }
  return forms;
}

TEST(SuffixRulesTest, InflectionsOfSixLanguages) {
  const char* const data = std::getenv("FIRTH_DATA");
  if (data == nullptr) GTEST_SKIP() << "FIRTH_DATA is not set";
  const std::pair<const char*, double> languages[] = {
      {"german", 85.2},  {"finnish", 51.1}, {"turkish", 75.3},
      {"russian", 86.3}, {"spanish", 85.1}, {"english", 95.0}};
  for (const auto& [language, expected] : languages) {
    const std::string path = absl::StrCat(data, "/inflection/", language);
    SuffixRules rules;
    for (const Form& form : ReadForms(path + "-train-high.zst")) {
      rules.Learn(form.labels, form.lemma, form.form);
    }
    const std::vector<Form> test = ReadForms(path + "-test.zst");
    double correct = 0;
    for (const Form& form : test) {
      correct += rules.Apply(form.labels, form.lemma) == form.form ? 1 : 0;
    }
    EXPECT_NEAR(100 * correct / static_cast<double>(test.size()), expected, 0.1)
        << language;
  }
}

}  // namespace
}  // namespace firth
