#include "lm/ngram/ngram_model.h"

#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "corpus/token_stream.h"
#include "firth/counting_model.h"
#include "firth/status_macros.h"
#include "lm/model/language_model_options.h"
#include "lm/model/text_words.h"
#include "lm/ngram/arpa.h"
#include "lm/read/perplexity.h"

namespace firth {
namespace {

// Tokens, or sentences, between two questions whether to stop.
constexpr size_t kTokensTogether = size_t{1} << 20;
constexpr size_t kScoredTogether = 1024;

constexpr uint32_t kStart = NgramTrie::NodeOf(kBeginSentenceId);

// Reads sentences word by word.
class SentenceMeter {
 public:
  explicit SentenceMeter(const NgramTrie& trie)
      : trie_(trie), start_(ContextOf(trie)), context_(start_) {}

  // Returns ln p of the word, or of the end of the sentence, after which the
  // next one begins.
  double Read(uint32_t word) {
    const NgramTrie::Step step = trie_.Read(context_, word);
    context_ = word == kEndSentenceId ? start_ : step.context;
    return step.log_probability * M_LN10;
  }
  uint32_t context() const { return context_; }

  // Returns the context at the start of a sentence.
  static uint32_t ContextOf(const NgramTrie& trie) {
    return trie.IsInner(kStart) ? kStart : NgramTrie::kRoot;
  }

 private:
  const NgramTrie& trie_;
  uint32_t start_;
  uint32_t context_;
};

// Extends a prompt. Each hypothesis is a node of the trie.
class NgramWords : public Continuation {
 public:
  NgramWords(const NgramModelData& model, const GenerateOptions& options)
      : model_(model),
        with_unknown_(options.unknown),
        prompt_(options.prompt) {}

  uint32_t end() const override { return kEndSentenceId; }

  absl::StatusOr<ConstView<float>> Start() override {
    SentenceMeter meter(model_.trie);
    for (const std::string& word : prompt_) {
      meter.Read(PredictedIdOf(model_.words, word));
    }
    contexts_ = {meter.context()};
    return Predict();
  }

  absl::StatusOr<ConstView<float>> Read(
      absl::Span<const size_t> parents,
      absl::Span<const uint32_t> words) override {
    std::vector<uint32_t> contexts;
    for (size_t i = 0; i < words.size(); ++i) {
      contexts.push_back(
          model_.trie.Read(contexts_[parents[i]], words[i]).context);
    }
    contexts_ = std::move(contexts);
    return Predict();
  }

  std::vector<std::string> Text(
      absl::Span<const uint32_t> words) const override {
    std::vector<std::string> text = prompt_;
    for (const uint32_t word : words) {
      text.emplace_back(model_.words.Word(ToWordId(word)));
    }
    return text;
  }

 private:
  ConstView<float> Predict() {
    constexpr float kNever = -std::numeric_limits<float>::infinity();
    log_probabilities_.Resize(contexts_.size(), model_.words.size());
    for (size_t i = 0; i < contexts_.size(); ++i) {
      float* const row = log_probabilities_.Row(i);
      model_.trie.LogProbabilities(contexts_[i], row);
      row[kBeginSentenceId] = kNever;
      if (!with_unknown_) row[kUnknownId] = kNever;
    }
    return std::as_const(log_probabilities_).view();
  }

  const NgramModelData& model_;
  bool with_unknown_;
  std::vector<std::string> prompt_;
  std::vector<uint32_t> contexts_;
  Matrix<float> log_probabilities_;
};

absl::StatusOr<std::optional<NgramModelData>> LoadCounting(
    const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(std::optional<NgramModelData> model,
                         LoadNgramModel(file));
  if (model.has_value()) return model;
  FIRTH_ASSIGN_OR_RETURN(const bool is_arpa, IsArpa(*file));
  if (!is_arpa) return std::nullopt;
  return ReadArpa(file);
}

absl::StatusOr<std::unique_ptr<TextModel>> OpenCounting(
    const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(std::optional<NgramModelData> model,
                         LoadCounting(file));
  if (!model.has_value()) return nullptr;
  return std::make_unique<NgramModel>(*std::move(model));
}

absl::StatusOr<std::optional<FileInfo>> DescribeCounting(
    const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const std::optional<NgramModelData> model,
                         LoadCounting(file));
  if (!model.has_value()) return std::nullopt;
  FileInfo info;
  info.kind = "counting language model";
  info.facts = {{"smoothing", model->smoothing},
                {"order", static_cast<uint64_t>(model->trie.order())},
                {"words_predicted", uint64_t{model->words.size()}}};
  const std::vector<uint32_t>& begins = model->trie.arrays().begins;
  for (int n = 1; n <= model->trie.order(); ++n) {
    info.facts.push_back({absl::StrCat("ngrams_of_order_", n),
                          uint64_t{begins[n + 1] - begins[n]}});
  }
  info.metadata = model->metadata;
  return info;
}

}  // namespace

absl::StatusOr<Perplexity> NgramModel::Measure(const Corpus& text,
                                               const MeasureOptions& options,
                                               const Hooks& hooks) {
  if (options.stateful) {
    return absl::FailedPreconditionError(
        "a counting model reads each sentence on its own; omit --stateful");
  }
  const std::vector<uint32_t> ids =
      PredictedIdsOf(data_.words, text.vocabulary);
  const absl::Span<const uint32_t> tokens = text.tokens->tokens();
  SentenceMeter meter(data_.trie);
  LossSums sums;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i % kTokensTogether == 0 && hooks.StopRequested()) {
      return absl::CancelledError("interrupted");
    }
    const uint32_t word = tokens[i] == TokenStream::kSentenceEnd
                              ? kEndSentenceId
                              : ids[tokens[i]];
    sums.Add(-meter.Read(word), word == kUnknownId);
  }
  Perplexity perplexity;
  perplexity.forward = sums.Mean();
  return perplexity;
}

absl::StatusOr<std::vector<std::vector<TokenScore>>> NgramModel::TokenScores(
    absl::Span<const Sentence> sentences, const Hooks& hooks) {
  std::vector<std::vector<TokenScore>> scores(sentences.size());
  SentenceMeter meter(data_.trie);
  for (size_t i = 0; i < sentences.size(); ++i) {
    if (i % kScoredTogether == 0 && hooks.StopRequested()) {
      return absl::CancelledError("interrupted");
    }
    for (const absl::string_view token : sentences[i]) {
      const uint32_t word = PredictedIdOf(data_.words, token);
      scores[i].push_back({meter.Read(word), word == kUnknownId});
    }
    scores[i].push_back({meter.Read(kEndSentenceId), false});
    hooks.ReportWork(i + 1, sentences.size());
  }
  return scores;
}

absl::StatusOr<std::unique_ptr<Continuation>> NgramModel::Continue(
    const GenerateOptions& options) {
  return std::make_unique<NgramWords>(data_, options);
}

absl::Status NgramModel::Save(const std::string& path) {
  return absl::EndsWith(path, ".arpa") ? WriteArpa(data_, path)
                                       : SaveNgramModel(data_, path);
}

absl::Status ConvertCountingModel(const std::string& input,
                                  const std::string& output) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(input));
  FIRTH_ASSIGN_OR_RETURN(const std::unique_ptr<TextModel> model,
                         OpenCounting(file));
  if (model != nullptr) return model->Save(output);
  return absl::InvalidArgumentError(absl::StrCat(
      input,
      ": expected an ARPA file or a model of \"firth lm train --ngram\""));
}

const TextModelKind kNgramModel = {&OpenCounting, &DescribeCounting};

}  // namespace firth
