#include "lm/text_model.h"

#include <utility>

#include "firth/status_macros.h"
#include "lm/language_model_file.h"

namespace firth {
namespace {

// Kinds of models, in the order in which they are tried.
constexpr const TextModelKind* kKinds[] = {&kNetworkModel};

GeneratedSentence SentenceOf(const Continuation& next,
                             const Hypothesis& hypothesis) {
  return {next.Text(hypothesis.words), hypothesis.log_probability,
          hypothesis.ended};
}

}  // namespace

absl::StatusOr<GeneratedSentence> Continuation::Draw(
    const GenerateOptions& options, uint64_t key, const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(const Hypothesis drawn,
                         DrawSentence(*this, options, key, hooks));
  return SentenceOf(*this, drawn);
}

absl::StatusOr<std::vector<GeneratedSentence>> Continuation::Search(
    const GenerateOptions& options, const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(const std::vector<Hypothesis> found,
                         SearchSentences(*this, options, hooks));
  std::vector<GeneratedSentence> sentences;
  for (const Hypothesis& hypothesis : found) {
    sentences.push_back(SentenceOf(*this, hypothesis));
  }
  return sentences;
}

absl::StatusOr<std::vector<std::vector<WordProbability>>> TextModel::Fill(
    const Sentence&, size_t) {
  return absl::FailedPreconditionError(
      "this model does not predict masked words; \"firth lm train --predict "
      "masked\" trains models that do");
}

absl::StatusOr<std::vector<double>> TextModel::NextSentence(
    absl::Span<const Pair>, const Hooks&) {
  return absl::FailedPreconditionError(
      "this model does not predict whether a sentence follows another; "
      "\"firth lm train --next-sentence\" trains models that do");
}

absl::StatusOr<std::unique_ptr<TextModel>> OpenTextModel(
    const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  for (const TextModelKind* const kind : kKinds) {
    absl::StatusOr<std::unique_ptr<TextModel>> model = kind->open(file);
    if (!model.ok() || *model != nullptr) return model;
  }
  return LoadLanguageModel(file).status();
}

absl::StatusOr<std::optional<FileInfo>> DescribeTextModel(
    const MappedFilePtr& file) {
  for (const TextModelKind* const kind : kKinds) {
    absl::StatusOr<std::optional<FileInfo>> info = kind->describe(file);
    if (!info.ok() || info->has_value()) return info;
  }
  return std::nullopt;
}

}  // namespace firth
