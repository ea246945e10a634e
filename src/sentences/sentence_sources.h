// The examples of a training run of sentence vectors, and the batches of an
// epoch.

#ifndef FIRTH_SENTENCES_SENTENCE_SOURCES_H_
#define FIRTH_SENTENCES_SENTENCE_SOURCES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/matrix.h"
#include "firth/progress.h"
#include "firth/sentence_training.h"
#include "sentences/sentence_words.h"
#include "sentences/text_store.h"

namespace firth {

enum class SourceKind { kSpans, kPairs, kParaphrases, kTeacher };
constexpr size_t kSourceKinds = 4;

// The examples of one kind. Example i has the texts begins[i] to begins[i + 1]:
// one for spans and teachers; an anchor, a positive and perhaps a negative for
// pairs; two or more paraphrases.
struct ExampleSource {
  TextStore texts;
  std::vector<uint64_t> begins = {0};
  size_t size() const { return begins.size() - 1; }
  size_t num_texts(size_t example) const {
    return begins[example + 1] - begins[example];
  }
};

struct SentenceSources {
  std::array<ExampleSource, kSourceKinds> kinds;
  FloatTable teacher;  // Unit vectors, [teacher texts, any]

  ExampleSource& operator[](SourceKind kind) {
    return kinds[static_cast<size_t>(kind)];
  }
  const ExampleSource& operator[](SourceKind kind) const {
    return kinds[static_cast<size_t>(kind)];
  }
  size_t size() const;
};

// Reads all inputs. Examples with a text without known words, and pairs of
// equal texts, are left out with a warning that names the first line. Errors:
// those of TrainSentences().
absl::StatusOr<SentenceSources> ReadSentenceSources(
    const SentenceInputs& inputs, const SentenceTrainingOptions& options,
    const SentenceWords& words, const Hooks& hooks, SentenceReport* report);

// Counts the words of all inputs, for a vocabulary. Errors: those of reading.
absl::StatusOr<Vocabulary> CountSentenceWords(
    const SentenceInputs& inputs, const SentenceTrainingOptions& options,
    const Hooks& hooks);

// Examples of one kind that are trained together.
struct ExampleBatch {
  SourceKind kind;
  std::vector<uint32_t> examples;
};

// Returns the batches of an epoch, in their order. Examples whose number is in
// `held_out` (by kind, sorted) are left out. No text occurs twice in a batch.
// Depends only on the arguments.
using HeldOutExamples = std::array<std::vector<uint32_t>, kSourceKinds>;
std::vector<ExampleBatch> BatchesOfEpoch(const SentenceSources& sources,
                                         const HeldOutExamples& held_out,
                                         const SentenceTrainingOptions& options,
                                         uint64_t epoch);

// Two spans of a text, as [first, count] of its words.
struct TwoSpans {
  std::pair<size_t, size_t> first, second;
};
// Draws two spans that do not overlap, each of min_span to max_span words but
// at most half of the text, in random order.
TwoSpans DrawTwoSpans(size_t words, const SentenceTrainingOptions& options,
                      uint64_t key);

}  // namespace firth

#endif  // FIRTH_SENTENCES_SENTENCE_SOURCES_H_
