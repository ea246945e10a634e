// TextModel: a language model of any kind.
//
// LanguageModel, and with it all commands and interfaces, uses a model only by
// this class. text_model.cc lists the kinds of models.

#ifndef FIRTH_LM_READ_TEXT_MODEL_H_
#define FIRTH_LM_READ_TEXT_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"
#include "firth/corpus.h"
#include "firth/file_info.h"
#include "firth/language_model.h"
#include "firth/progress.h"
#include "lm/model/language_model_options.h"
#include "nn/decoding.h"

namespace firth {

// Continues a prompt.
class Continuation : public NextWords {
 public:
  // Returns the words of the prompt, followed by the words with these ids.
  virtual std::vector<std::string> Text(
      absl::Span<const uint32_t> words) const = 0;
  // Returns the id of <UNK>.
  virtual uint32_t unknown() const { return kUnknownId; }

  // Return sentences that continue the prompt; see DrawSentence() and
  // SearchSentences().
  absl::StatusOr<GeneratedSentence> Draw(const GenerateOptions& options,
                                         uint64_t key, const Hooks& hooks = {});
  absl::StatusOr<std::vector<GeneratedSentence>> Search(
      const GenerateOptions& options, const Hooks& hooks = {});
};

// Used by one thread at a time. Except where noted, methods are as in
// LanguageModel, with the same errors.
class TextModel {
 public:
  using Sentence = LanguageModel::Sentence;
  using Pair = LanguageModel::Pair;

  virtual ~TextModel() = default;

  // The text has at least one token. The result may be infinite.
  virtual absl::StatusOr<Perplexity> Measure(const Corpus& text,
                                             const MeasureOptions& options,
                                             const Hooks& hooks) = 0;
  virtual absl::StatusOr<std::vector<std::vector<TokenScore>>> TokenScores(
      absl::Span<const Sentence> sentences, const Hooks& hooks) = 0;
  // Returns a continuation of options.prompt that omits <UNK> unless
  // options.unknown is set. It borrows the model and the options, which must be
  // valid.
  virtual absl::StatusOr<std::unique_ptr<Continuation>> Continue(
      const GenerateOptions& options) = 0;
  virtual absl::StatusOr<std::vector<WordDistribution>> Fill(
      const Sentence& sentence, size_t count);
  // Uses Continue() and TokenScores().
  virtual absl::StatusOr<WordDistribution> NextWords(const Sentence& sentence,
                                                     size_t count,
                                                     const Sentence& words);
  virtual absl::StatusOr<std::vector<double>> NextSentence(
      absl::Span<const Pair> pairs, const Hooks& hooks);

  // Returns whether scores are logarithms of probabilities that sum to 1.
  virtual bool has_probabilities() const { return true; }

  // Writes the file, whole or not at all.
  virtual absl::Status Save(const std::string& path, const Hooks& hooks) = 0;
  virtual std::map<std::string, std::string>& metadata() = 0;
  // Returns the network, or null for a model without one.
  virtual class BiLanguageModel* network() { return nullptr; }

  // Convert from and to the public class.
  static LanguageModel Public(std::unique_ptr<TextModel> model) {
    return LanguageModel(std::move(model));
  }
  static TextModel& Of(const LanguageModel& model) { return *model.model_; }
};

// One kind of models. Both functions return nothing for a file of another kind.
struct TextModelKind {
  absl::StatusOr<std::unique_ptr<TextModel>> (*open)(const MappedFilePtr& file);
  absl::StatusOr<std::optional<FileInfo>> (*describe)(
      const MappedFilePtr& file);
};
extern const TextModelKind kNetworkModel;  // lm/read/network_model.h
extern const TextModelKind kNgramModel;    // lm/ngram/counting_model.cc
extern const TextModelKind kEncoderModel;  // seq2seq/encoder_model.cc

// Opens a model of any kind. Errors: as for LanguageModel::Load().
absl::StatusOr<std::unique_ptr<TextModel>> OpenTextModel(
    const std::string& path);
absl::StatusOr<std::unique_ptr<TextModel>> OpenTextModel(
    const MappedFilePtr& file);

// Checks that the text has tokens. Errors: InvalidArgument.
absl::Status CheckRead(const Corpus& text);

// Describes a model of any kind for DescribeFile(). Returns nothing for other
// files.
absl::StatusOr<std::optional<FileInfo>> DescribeTextModel(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_LM_READ_TEXT_MODEL_H_
