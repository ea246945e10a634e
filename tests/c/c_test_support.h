// What the tests of the C interface share.

#ifndef FIRTH_TESTS_C_C_TEST_SUPPORT_H_
#define FIRTH_TESTS_C_C_TEST_SUPPORT_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "firth/firth.h"
#include "firth/tagged_text.h"
#include "gtest/gtest.h"

namespace firth {

// Whether a call went well. Frees the status.
inline testing::AssertionResult Fine(FirthStatus* status) {
  if (status == nullptr) return testing::AssertionSuccess();
  const std::string message = firth_status_message(status);
  firth_status_free(status);
  return testing::AssertionFailure() << message;
}

struct CFailure {
  int32_t code = FIRTH_OK;
  std::string message;

  friend std::ostream& operator<<(std::ostream& out, const CFailure& failure) {
    return out << failure.code << " " << failure.message;
  }
};

// What a call answered. Frees the status.
inline CFailure FailureOf(FirthStatus* status) {
  CFailure failure = {firth_status_code(status), firth_status_message(status)};
  firth_status_free(status);
  return failure;
}

inline int64_t SizeOf(absl::string_view text) {
  return static_cast<int64_t>(text.size());
}

// A list of texts, and of sentences, as the interface takes them.
struct CTexts {
  explicit CTexts(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) Add(text);
  }
  explicit CTexts(const std::vector<std::vector<std::string>>& lists) {
    for (const std::vector<std::string>& list : lists) {
      for (const std::string& text : list) Add(text);
      sentences.push_back(static_cast<int64_t>(offsets.size()) - 1);
    }
  }
  void Add(const std::string& text) {
    bytes += text;
    offsets.push_back(SizeOf(bytes));
  }
  int64_t size() const { return static_cast<int64_t>(offsets.size()) - 1; }

  std::string bytes;
  std::vector<int64_t> offsets = {0};
  std::vector<int64_t> sentences = {0};
};

// Vectors of these words, one after another in `rows`. To be freed.
inline FirthVectors* VectorsOf(const std::vector<std::string>& words,
                               const std::vector<float>& rows) {
  const CTexts texts(words);
  FirthVectors* vectors = nullptr;
  EXPECT_TRUE(Fine(firth_vectors_create(
      texts.bytes.data(), texts.offsets.data(), texts.size(), rows.data(),
      static_cast<int64_t>(rows.size() / words.size()), nullptr, &vectors)));
  return vectors;
}

inline TaggedSentence SentenceOf(std::vector<std::string> tokens,
                                 std::vector<std::string> tags = {}) {
  TaggedSentence sentence;
  sentence.tokens = std::move(tokens);
  sentence.tags = std::move(tags);
  return sentence;
}

// The text of a buffer, which is freed.
inline std::string TextOf(FirthBuffer* buffer) {
  std::string text(static_cast<const char*>(firth_buffer_data(buffer)),
                   static_cast<size_t>(firth_buffer_size(buffer)));
  firth_buffer_free(buffer);
  return text;
}

}  // namespace firth

#endif  // FIRTH_TESTS_C_C_TEST_SUPPORT_H_
