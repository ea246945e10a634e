// The list of kinds, and the public class LanguageModel on top of it. Scores of
// sentences and generation are the same for all kinds: sums of token scores,
// and searches through continuations.

#include "lm/read/text_model.h"

#include <algorithm>
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
constexpr const TextModelKind* kKinds[] = {&kNetworkModel, &kNgramModel,
                                           &kEncoderModel};

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

// Returns the ids of the most probable words, best first, given ln p of all.
std::vector<uint32_t> LikeliestWords(absl::Span<const float> row,
                                     uint32_t unknown, size_t count) {
  std::vector<uint32_t> order;
  for (uint32_t id = 0; id < row.size(); ++id) {
    if (id != unknown && !std::isinf(row[id])) order.push_back(id);
  }
  count = std::min(count, order.size());
  std::partial_sort(order.begin(),
                    order.begin() + static_cast<ptrdiff_t>(count), order.end(),
                    [&](uint32_t a, uint32_t b) {
                      return row[a] != row[b] ? row[a] > row[b] : a < b;
                    });
  order.resize(count);
  return order;
}

// Returns the probability of each word after the beginning of a sentence. A
// word of several tokens has that of all of them.
absl::StatusOr<std::vector<WordProbability>> After(
    TextModel& model, const TextModel::Sentence& beginning,
    const TextModel::Sentence& words) {
  std::vector<TextModel::Sentence> sentences(words.size() + 1, beginning);
  for (size_t i = 0; i < words.size(); ++i) {
    // The end of the sentence follows its beginning.
    if (words[i] != kEndSentence) sentences[i].push_back(words[i]);
  }
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::vector<TokenScore>> scores,
                         model.TokenScores(sentences, {}));
  const size_t before = scores.back().size() - 1;
  std::vector<WordProbability> found;
  for (size_t i = 0; i < words.size(); ++i) {
    WordProbability word{std::string(words[i])};
    const size_t end =
        words[i] == kEndSentence ? before + 1 : scores[i].size() - 1;
    double log_probability = 0;
    for (size_t token = before; token < end; ++token) {
      log_probability += scores[i][token].log_probability;
      word.unknown = word.unknown || scores[i][token].unknown;
    }
    word.probability = std::exp(log_probability);
    found.push_back(std::move(word));
  }
  return found;
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

absl::StatusOr<std::vector<WordDistribution>> TextModel::Fill(const Sentence&,
                                                              size_t) {
  return absl::FailedPreconditionError(
      "this model does not predict masked words; \"firth lm train --predict "
      "masked\" trains models that do");
}

absl::StatusOr<WordDistribution> TextModel::NextWords(const Sentence& sentence,
                                                      size_t count,
                                                      const Sentence& words) {
  GenerateOptions options;
  for (const absl::string_view word : sentence) {
    options.prompt.emplace_back(word);
  }
  options.unknown = true;
  FIRTH_ASSIGN_OR_RETURN(const std::unique_ptr<Continuation> next,
                         Continue(options));
  FIRTH_ASSIGN_OR_RETURN(const ConstView<float> log_probabilities,
                         next->Start());
  const absl::Span<const float> row(log_probabilities.Row(0),
                                    log_probabilities.cols());
  WordDistribution distribution;
  distribution.unknown = std::exp(static_cast<double>(row[next->unknown()]));
  if (!words.empty()) {
    FIRTH_ASSIGN_OR_RETURN(distribution.words, After(*this, sentence, words));
    return distribution;
  }
  for (const uint32_t id : LikeliestWords(row, next->unknown(), count)) {
    distribution.words.push_back({id == next->end() ? std::string(kEndSentence)
                                                    : next->Text({id}).back(),
                                  std::exp(static_cast<double>(row[id]))});
  }
  return distribution;
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
  return OpenTextModel(file);
}

absl::StatusOr<std::unique_ptr<TextModel>> OpenTextModel(
    const MappedFilePtr& file) {
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

absl::Status LanguageModel::Save(const std::string& path, const Hooks& hooks) {
  return model_->Save(path, hooks);
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

absl::StatusOr<std::vector<WordDistribution>> LanguageModel::Fill(
    const Sentence& sentence, size_t count) {
  return model_->Fill(sentence, count);
}

absl::StatusOr<WordDistribution> LanguageModel::NextWords(
    const Sentence& sentence, size_t count, const Sentence& words) {
  return model_->NextWords(sentence, count, words);
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
