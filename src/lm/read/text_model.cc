// The list of kinds, and the public class LanguageModel on top of it. Scores of
// sentences and generation are the same for all kinds: sums of token scores,
// and searches through continuations.

#include "lm/read/text_model.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "corpus/token_stream.h"
#include "firth/status_macros.h"
#include "lm/model/language_model_file.h"

namespace firth {
namespace {

// Kinds of models, in the order in which they are tried.
constexpr const TextModelKind* kKinds[] = {&kNetworkModel, &kNgramModel};

GeneratedSentence SentenceOf(const Continuation& next,
                             const Hypothesis& hypothesis) {
  return {next.Text(hypothesis.words), hypothesis.log_probability,
          hypothesis.ended};
}

// Losses of a few hundred nats are finite, but exp(710) overflows a double.
absl::StatusOr<Perplexity> WithFinitePerplexity(
    absl::StatusOr<Perplexity> measured) {
  if (!measured.ok() || measured->continuous) return measured;
  for (const DirectionPerplexity& of :
       {measured->forward, measured->backward}) {
    if (of.tokens == 0 || std::isfinite(std::exp(of.loss))) continue;
    return absl::OutOfRangeError(absl::StrCat(
        "the perplexity is not finite, since the loss is ", of.loss,
        " nats per token; weights of the model are too large"));
  }
  return measured;
}

}  // namespace

absl::Status CheckRead(const Corpus& text) {
  if (text.tokens != nullptr && text.tokens->num_words() > 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "the text was only counted and has no tokens; read it with its tokens");
}

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

LanguageModel::LanguageModel(std::unique_ptr<TextModel> model)
    : model_(std::move(model)) {}
LanguageModel::~LanguageModel() = default;
LanguageModel::LanguageModel(LanguageModel&&) noexcept = default;
LanguageModel& LanguageModel::operator=(LanguageModel&&) noexcept = default;

absl::StatusOr<LanguageModel> LanguageModel::Load(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(std::unique_ptr<TextModel> model, OpenTextModel(path));
  return LanguageModel(std::move(model));
}

absl::Status LanguageModel::Save(const std::string& path) {
  return model_->Save(path);
}

std::map<std::string, std::string>& LanguageModel::metadata() {
  return model_->metadata();
}

absl::StatusOr<Perplexity> LanguageModel::Measure(const Corpus& text,
                                                  const MeasureOptions& options,
                                                  const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(CheckRead(text));
  return WithFinitePerplexity(model_->Measure(text, options, hooks));
}

absl::StatusOr<std::vector<std::vector<TokenScore>>> LanguageModel::TokenScores(
    absl::Span<const Sentence> sentences, const Hooks& hooks) {
  return model_->TokenScores(sentences, hooks);
}

absl::StatusOr<std::vector<SentenceScore>> LanguageModel::Score(
    absl::Span<const Sentence> sentences, const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::vector<TokenScore>> tokens,
                         TokenScores(sentences, hooks));
  std::vector<SentenceScore> scores(tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    for (const TokenScore& token : tokens[i]) {
      scores[i].log_probability += token.log_probability;
      ++scores[i].tokens;
      if (token.unknown) ++scores[i].unknown;
    }
  }
  return scores;
}

absl::StatusOr<std::vector<std::vector<WordProbability>>> LanguageModel::Fill(
    const Sentence& sentence, size_t count) {
  return model_->Fill(sentence, count);
}

absl::StatusOr<std::vector<double>> LanguageModel::NextSentence(
    absl::Span<const Pair> pairs, const Hooks& hooks) {
  return model_->NextSentence(pairs, hooks);
}

absl::StatusOr<std::vector<GeneratedSentence>> LanguageModel::Generate(
    const GenerateOptions& options, const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  FIRTH_ASSIGN_OR_RETURN(const std::unique_ptr<Continuation> next,
                         model_->Continue(options));
  const auto count = static_cast<size_t>(options.count);
  std::vector<GeneratedSentence> sentences;
  if (options.beam > 1) {
    FIRTH_ASSIGN_OR_RETURN(sentences, next->Search(options, hooks));
    if (sentences.size() > count) sentences.resize(count);
    return sentences;
  }
  for (size_t i = 0; i < count; ++i) {
    hooks.ReportWork(i, count);
    FIRTH_ASSIGN_OR_RETURN(
        sentences.emplace_back(),
        next->Draw(options, CombineKeys(options.seed, i), hooks));
  }
  return sentences;
}

}  // namespace firth
