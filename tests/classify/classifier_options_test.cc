#include "firth/classifier.h"
#include "firth/fields.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

struct BadOptions {
  const char* name;
  void (*spoil)(ClassifierOptions*);
  const char* message;
};

TEST(ClassifierOptionsTest, TheDefaultsAreValid) {
  EXPECT_TRUE(ClassifierOptions().Validate().ok());
}

TEST(ClassifierOptionsTest, NamesWhatIsWrong) {
  const BadOptions cases[] = {
      {"no words", [](auto* o) { o->word_ngrams = 0; }, "word-ngrams"},
      {"min above max", [](auto* o) { o->min_n = 6; },
       "min-n: must be 1 to max-n (5), or both must be 0, found 6"},
      {"one of them 0", [](auto* o) { o->min_n = 0; }, "min-n"},
      {"all held out", [](auto* o) { o->held_out = 0.6; }, "held-out"},
      {"negatives", [](auto* o) { o->loss = SampledLabelLoss{0}; }, "negative"},
      {"a wide tree",
       [](auto* o) {
         o->loss = TreeLabelLoss();
         o->parts = ClassifierParts::kWide;
       },
       "parts: the wide part does not support the losses hs and ns"},
  };
  for (const BadOptions& test : cases) {
    SCOPED_TRACE(test.name);
    ClassifierOptions options;
    test.spoil(&options);
    const absl::Status status = options.Validate();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find(test.message), std::string::npos) << status;
  }
}

TEST(ClassifierOptionsTest, NoCharacterNgramsIsValid) {
  ClassifierOptions options;
  options.min_n = options.max_n = 0;
  EXPECT_TRUE(options.Validate().ok());
}

TEST(ClassifierOptionsTest, FieldsAreReadByTheirNames) {
  const auto options =
      ReadFieldsJson<ClassifierOptions>(R"({"loss": "ns", "negative": 7,
          "parts": "deep", "min-n": 0, "max-n": 0})");
  ASSERT_TRUE(options.ok()) << options.status();
  ASSERT_TRUE(std::holds_alternative<SampledLabelLoss>(options->loss));
  EXPECT_EQ(std::get<SampledLabelLoss>(options->loss).negatives, 7);
  EXPECT_EQ(options->parts, ClassifierParts::kDeep);
}

}  // namespace
}  // namespace firth
