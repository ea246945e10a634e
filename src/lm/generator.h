// Sentences from the forward direction of a language model: the likeliest next
// word again and again (greedy), words drawn from the softmax, or beam search.

#ifndef FIRTH_LM_GENERATOR_H_
#define FIRTH_LM_GENERATOR_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firth/language_model.h"
#include "lm/chunk_words.h"
#include "lm/language_model.h"

namespace firth {

class Generator {
 public:
  // Borrows both. The options are valid, and the model has a softmax.
  Generator(BiLanguageModel& model, const GenerateOptions& options);

  // One sentence, drawn if the temperature is above 0, by this key.
  GeneratedSentence Draw(uint64_t key);

  // The best sentences of a search with options.beam hypotheses, the best
  // first: those that ended or, where none did, those as long as allowed.
  std::vector<GeneratedSentence> Search();

 private:
  // What stands behind the prompt, with its score: the sum of ln p, less what
  // the end of a short sentence costs.
  struct Hypothesis {
    std::vector<uint32_t> words;
    double score = 0;
    double log_probability = 0;
    bool ended = false;
  };
  // A word that may follow hypothesis `parent`.
  struct Extension {
    size_t parent;
    uint32_t word;
    double score;
    double log_probability;
  };

  // Reads the prompt, with one hypothesis.
  void Start();
  // Reads the hypotheses' last words; ln p of all words that may follow is in
  // log_probabilities_ then, a row each.
  void Read(const std::vector<Hypothesis>& hypotheses);
  void ReadWords(absl::Span<const absl::string_view> words);
  std::vector<Extension> BestExtensions(
      const std::vector<Hypothesis>& hypotheses) const;
  // What </S> as the words' successor loses: gamma |X| / |Y|.
  double EndPenalty(size_t words) const;
  // The score by which sentences of different lengths are compared.
  double Normalized(const Hypothesis& hypothesis) const;
  uint32_t DrawWord(size_t words, uint64_t key);
  GeneratedSentence Finish(const Hypothesis& hypothesis) const;

  BiLanguageModel& model_;
  const GenerateOptions& options_;
  ChunkWords words_;
  nn::LayerState<float> state_;
  Matrix<float> tokens_;
  Matrix<float> log_probabilities_;
};

}  // namespace firth

#endif  // FIRTH_LM_GENERATOR_H_
