// What tests of commands that read language models share: a tiny model, tagged
// text, and calls that must fail.

#ifndef FIRTH_TESTS_END_TO_END_CONTEXTUAL_PROGRAM_H_
#define FIRTH_TESTS_END_TO_END_CONTEXTUAL_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/model/language_model_file.h"
#include "lm/tiny_language_model.h"
#include "support/run_program.h"

namespace firth {

struct FailureCase {
  const char* name;
  std::vector<std::string> arguments;
  int code;
  std::string message;
};

class ContextualProgramTest : public ProgramTest {
 protected:
  std::string TinyLm() const {
    std::string path = Path("lm.safetensors");
    EXPECT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kBoth), path),
              absl::OkStatus());
    return path;
  }

  // Sentences in columns: "red" and "green" mark the word behind them as a
  // span.
  std::string Tagged(const std::string& name, int sentences,
                     uint64_t seed) const {
    const std::vector<std::string> words = {"red", "green", "cat", "dog",
                                            "the"};
    std::string text;
    Rng rng(seed);
    for (int s = 0; s < sentences; ++s) {
      bool marked = false;
      for (uint32_t left = 2 + rng.Below(6); left > 0; --left) {
        const std::string& word = words[rng.Below(5)];
        absl::StrAppend(&text, word, " X ", marked ? "B-S" : "O", "\n");
        marked = word == "red" || word == "green";
      }
      text += "\n";
    }
    return File(name, text);
  }

  std::string Vectors() const {
    return File("v.txt",
                "5 3\nred 1 0 .2\ngreen .9 .1 0\ncat 0 1 0\ndog .1 .8 .3\n"
                "the 0 0 1\n");
  }

  std::vector<std::string> TrainArguments(const std::string& output) const {
    return {"tag",
            "train",
            "--input",
            Tagged("train", 120, 1),
            "--dev",
            Tagged("dev", 30, 2),
            "--vectors",
            Vectors(),
            "--units",
            "8",
            "--epochs",
            "15",
            "--learning-rate",
            "0.02",
            "--threads",
            "1",
            "--dropout",
            "0",
            "--batch",
            "4",
            "--output",
            output};
  }
  // Each of these ends with its code, a message that has its words, and no
  // answer.
  static void ExpectFailures(const std::vector<FailureCase>& cases) {
    for (const FailureCase& test : cases) {
      SCOPED_TRACE(test.name);
      const Outcome outcome = RunFirth(test.arguments);
      EXPECT_EQ(outcome.code, test.code) << outcome.err;
      EXPECT_THAT(outcome.err, testing::HasSubstr(test.message));
      EXPECT_THAT(outcome.out, testing::IsEmpty());
    }
  }
};

}  // namespace firth

#endif  // FIRTH_TESTS_END_TO_END_CONTEXTUAL_PROGRAM_H_
