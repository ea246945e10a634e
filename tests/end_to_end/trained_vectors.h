// Vectors that the program has trained, for tests of what it does with them.

#ifndef FIRTH_TESTS_END_TO_END_TRAINED_VECTORS_H_
#define FIRTH_TESTS_END_TO_END_TRAINED_VECTORS_H_

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"

namespace firth {

inline std::vector<nlohmann::json> JsonLines(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(nlohmann::json::parse(line));
  }
  return lines;
}

inline bool IsAnimal(const std::string& word) {
  for (const char* animal :
       {"cat", "dog", "horse", "cow", "sheep", "goat", "duck", "hen"}) {
    if (word == animal) return true;
  }
  return false;
}

// One training for all tests of a suite.
class TrainedVectorsTest : public ProgramTest {
 protected:
  static void SetUpTestSuite() {
    suite_folder_ = MakeTestFolder();
    const std::string corpus = suite_folder_ + "/corpus.txt";
    WriteWholeFile(corpus, TwoTopicText(1000));
    training_ = RunFirth({"train", "--input", corpus, "--output",
                          suite_folder_ + "/v.safetensors", "--dim", "16",
                          "--sample", "0", "--threads", "1", "--quiet"});
  }
  static void TearDownTestSuite() {
    std::filesystem::remove_all(suite_folder_);
  }

  void SetUp() override {
    ProgramTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(training_.code, 0) << training_.err;
  }

  const std::string vectors_ = suite_folder_ + "/v.safetensors";

 private:
  static inline std::string suite_folder_;
  static inline Outcome training_;
};

}  // namespace firth

#endif  // FIRTH_TESTS_END_TO_END_TRAINED_VECTORS_H_
