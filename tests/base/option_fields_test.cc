// Every struct of options that describes its fields, field by field.

#include "firth/fields.h"

#include <cctype>
#include <cmath>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/align.h"
#include "firth/bias.h"
#include "firth/checkpoint.h"
#include "firth/classifier.h"
#include "firth/contextualizer.h"
#include "firth/corpus.h"
#include "firth/distill.h"
#include "firth/drift.h"
#include "firth/evaluate.h"
#include "firth/labelled_text.h"
#include "firth/language_model.h"
#include "firth/layout.h"
#include "firth/phrases.h"
#include "firth/postprocess.h"
#include "firth/probe.h"
#include "firth/query.h"
#include "firth/sentence_vectors.h"
#include "firth/subwords.h"
#include "firth/tagger.h"
#include "firth/text_similarity.h"
#include "firth/train.h"
#include "firth/tune.h"
#include "firth/vector_training.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A struct of options by its table, so that one test is compiled for all.
struct AnyOptions {
  std::string name;
  const FieldTable& table;
  std::shared_ptr<void> (*make)();
};

template <class... Options>
std::vector<AnyOptions> TablesOf() {
  return {{typeid(Options).name(), TableFor<Options>(),
           []() -> std::shared_ptr<void> {
             return std::make_shared<Options>();
           }}...};
}

const std::vector<AnyOptions>& AllOptions() {
  static const auto& all = *new auto(
      TablesOf<CorpusOptions, VocabularyOptions, PhraseOptions, TrainOptions,
               SkipGramOptions, CbowOptions, NegativeSamplingOptions,
               NceOptions, HierarchicalSoftmaxOptions, FullSoftmaxOptions,
               NoSubwords, BucketSubwords, ExplicitSubwords, FloretSubwords,
               CharacterOptions, LanguageModelTraining, GenerateOptions,
               TaggerOptions, EmbedOptions, ProbeOptions, SenseProbeOptions,
               AlignOptions, TranslateOptions, EvaluateOptions, HnswOptions,
               HnswSearch, PostprocessOptions, SentenceOptions,
               TextSimilarityOptions, WeatOptions, DriftOptions, MapOptions,
               MeasureOptions, ClassifierOptions, LabelledTextOptions,
               TuneOptions, StartOptions, ValidationFiles, VectorTraining,
               CheckpointFiles, DistillOptions>());
  return all;
}

class OptionFieldsTest : public testing::TestWithParam<AnyOptions> {
 protected:
  std::string Json() const { return FieldsJson(table_, options_.get()); }
  // Reads JSON into new options, and returns theirs.
  absl::StatusOr<std::string> ReadAgain(absl::string_view json) const {
    const std::shared_ptr<void> options = GetParam().make();
    const absl::Status read = ReadFieldsJson(json, table_, options.get());
    if (!read.ok()) return read;
    return FieldsJson(table_, options.get());
  }

  const FieldTable& table_ = GetParam().table;
  const std::shared_ptr<void> options_ = GetParam().make();
  FieldEditor editor_{table_, options_.get()};
};

INSTANTIATE_TEST_SUITE_P(All, OptionFieldsTest, testing::ValuesIn(AllOptions()),
                         [](const auto& info) { return info.param.name; });

// Calls visit(table) for the struct and all alternatives of its variants.
template <class Visit>
void ForEachTable(const FieldTable& table, const Visit& visit) {
  visit(table);
  for (const Field& field : table.fields()) {
    for (const FieldAlternative& alternative : field.alternatives) {
      ForEachTable(*alternative.fields, visit);
    }
  }
}

bool IsKebabCase(const std::string& name) {
  for (const char c : name) {
    if (c != '-' && !std::islower(c) && !std::isdigit(c)) return false;
  }
  return !name.empty() && name.front() != '-' && name.back() != '-' &&
         name.find("--") == std::string::npos;
}

TEST_P(OptionFieldsTest, NamesAreInKebabCaseAndMeanOneThing) {
  ForEachTable(table_, [](const FieldTable& table) {
    for (const Field& field : table.fields()) {
      EXPECT_TRUE(IsKebabCase(field.name)) << field.name;
      EXPECT_GE(field.help.size(), 5) << field.name;
    }
  });
  // Alternatives share a name for the same with the same range, and so do parts
  // of a struct; the struct and an alternative do not share one.
  std::vector<const Field*> fields;
  const auto is_own = [&](const Field* field) {
    const auto& own = table_.fields();
    return field >= own.data() && field < own.data() + own.size();
  };
  ForEachTable(table_, [&](const FieldTable& table) {
    for (const Field& field : table.fields()) {
      for (const Field* other : fields) {
        if (other->name != field.name) continue;
        EXPECT_EQ(other->help, field.help) << field.name;
        EXPECT_EQ(other->kind, field.kind) << field.name;
        EXPECT_EQ(other->min, field.min) << field.name;
        EXPECT_EQ(other->max, field.max) << field.name;
        EXPECT_EQ(other->role, field.role) << field.name;
        EXPECT_EQ(is_own(other), is_own(&field)) << field.name;
      }
      fields.push_back(&field);
    }
  });
}

TEST_P(OptionFieldsTest, WhatAFieldGoesWithIsThere) {
  // An alternative's field may go with one of another variant beside its own.
  TrainOptions training;
  const FieldEditor whole(&training);
  for (const std::string& name : editor_.names()) {
    for (const FieldCondition& condition : editor_.Needs(name)) {
      for (const std::string& other : condition.names) {
        const Field* found = editor_.Find(other);
        if (found == nullptr) found = whole.Find(other);
        if (found == nullptr) {
          EXPECT_EQ(&table_, &TableFor<CharacterOptions>()) << other;
          continue;
        }
        for (const std::string& value : condition.values) {
          EXPECT_THAT(found->choices, testing::Contains(value)) << name;
        }
      }
    }
  }
}

TEST_P(OptionFieldsTest, DefaultsAreInTheirRanges) {
  EXPECT_EQ(CheckFields(table_, options_.get()), absl::OkStatus());
}

TEST_P(OptionFieldsTest, JsonIsTheSameAfterTheWayOutAndIn) {
  const absl::StatusOr<std::string> again = ReadAgain(Json());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, Json());
}

// With each choice of each variant, too.
TEST_P(OptionFieldsTest, JsonOfEveryAlternativeComesBackAsItWas) {
  for (const Field& field : table_.fields()) {
    if (field.kind != FieldKind::kChoice) continue;
    for (const std::string& choice : field.choices) {
      const std::shared_ptr<void> options = GetParam().make();
      FieldEditor editor(table_, options.get());
      for (const FieldCondition& need : field.needs) {
        if (need.values.empty()) continue;
        ASSERT_TRUE(editor.SetText(need.names[0], need.values[0]));
      }
      ASSERT_TRUE(editor.SetText(field.name, choice));
      const std::string json = FieldsJson(table_, options.get());
      if (!field.unlisted) {
        EXPECT_THAT(json, HasSubstr(absl::StrCat("\"", field.name, "\":\"",
                                                 choice, "\"")));
      }
      const absl::StatusOr<std::string> again = ReadAgain(json);
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_EQ(*again, json);
    }
  }
}

// A number beyond each end of each range, as JSON and as text.
TEST_P(OptionFieldsTest, ValuesOutOfTheirRangesAreRefusedByName) {
  for (const std::string& name : editor_.names()) {
    const Field field = *editor_.Find(name);
    const bool real = field.kind == FieldKind::kReal;
    if (!real && field.kind != FieldKind::kWhole) continue;
    const double step = real ? std::abs(field.min) * 0.01 + 1e-9 : 1;
    std::vector<double> beyond = {field.min - step};
    if (field.max != Field::kUnlimited) beyond.push_back(field.max * 1.01 + 1);
    for (const double value : beyond) {
      if (value == field.automatic) continue;
      const std::string number =
          real ? absl::StrCat(value)
               : absl::StrCat(static_cast<int64_t>(value));
      EXPECT_FALSE(editor_.SetText(name, number)) << name << " " << number;
      const auto read =
          ReadAgain(absl::StrCat("{\"", name, "\": ", number, "}"));
      EXPECT_THAT(std::string(read.status().message()),
                  StartsWith(absl::StrCat(name, ": expected a ")))
          << number;
    }
  }
}

TEST(SubwordFieldsTest, WhatTheCommandLineCannotSayIsInJsonToo) {
  TrainOptions options;
  options.subwords = BucketSubwords{.buckets = 1024,
                                    .missing_count = false,
                                    .hash = BucketHash::kFinalfusion};
  const auto buckets = ReadFieldsJson<TrainOptions>(FieldsJson(options));
  ASSERT_TRUE(buckets.ok()) << buckets.status();
  const auto& bucket = std::get<BucketSubwords>(buckets->subwords);
  EXPECT_FALSE(bucket.missing_count);
  EXPECT_EQ(bucket.hash, BucketHash::kFinalfusion);

  options.subwords = FloretSubwords{.seed = 3, .word_begin = "^"};
  const auto floret = ReadFieldsJson<TrainOptions>(FieldsJson(options));
  ASSERT_TRUE(floret.ok()) << floret.status();
  EXPECT_EQ(std::get<FloretSubwords>(floret->subwords).seed, 3);
  EXPECT_EQ(std::get<FloretSubwords>(floret->subwords).word_begin, "^");
}

}  // namespace
}  // namespace firth
