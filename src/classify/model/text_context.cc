// The states of a batch of texts are computed by the contextualizer, averaged,
// and scaled in place, so only one vector per layer and text is stored.

#include "classify/model/text_context.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/ascii.h"
#include "classify/features/feature_index_body.h"
#include "firth/status_macros.h"
#include "lm/learn/context_tuner.h"

namespace firth {
namespace {

// Number of texts that a contextualizer reads at a time.
constexpr size_t kContextTexts = 256;

// Separates the sentences of a pair: the second one begins after it.
constexpr absl::string_view kSecondBegins = "</S>";

// Splits a text at its first tab into two sentences, if `pairs`.
std::pair<absl::string_view, absl::string_view> PartsOf(absl::string_view text,
                                                        bool pairs) {
  text = absl::StripLeadingAsciiWhitespace(text);
  const size_t tab = pairs ? text.find('\t') : text.npos;
  if (tab == text.npos) return {text, {}};
  return {text.substr(0, tab), text.substr(tab + 1)};
}

// Maximum norm of a step's gradients (Devlin et al. 2019).
constexpr double kClip = 1;

}  // namespace

std::vector<std::string> ContextWordsOf(absl::string_view text,
                                        const FeatureOptions& options,
                                        bool pairs) {
  std::vector<std::string> words;
  TokenRoom room;
  const auto add = [&](absl::string_view part) {
    ForEachToken(options, part, &room,
                 [&](absl::string_view token) { words.emplace_back(token); });
  };
  const auto [one, other] = PartsOf(text, pairs);
  add(one);
  if (!other.empty()) words.emplace_back(kSecondBegins);
  add(other);
  return words;
}

absl::Status ReadContext(absl::Span<const absl::string_view> texts,
                         const FeatureOptions& options, int threads,
                         const Hooks& hooks, Contextualizer* contextualizer,
                         Matrix<float>* context) {
  const size_t layers = contextualizer->num_layers();
  const size_t dim = contextualizer->dim();
  *context = Matrix<float>(texts.size(), layers * dim);
  const bool pairs = contextualizer->reads_pairs();
  for (size_t first = 0; first < texts.size(); first += kContextTexts) {
    const auto some = texts.subspan(first, kContextTexts);
    std::vector<std::vector<std::string>> words(some.size());
    std::vector<Contextualizer::Sentence> sentences(some.size());
    for (size_t i = 0; i < some.size(); ++i) {
      words[i] = ContextWordsOf(some[i], options, pairs);
      sentences[i].assign(words[i].begin(), words[i].end());
    }
    FIRTH_ASSIGN_OR_RETURN(
        const std::vector<TokenVectors> vectors,
        contextualizer->Embed(sentences, {.threads = threads}, hooks));
    for (size_t i = 0; i < some.size(); ++i) {
      const TokenVectors mean = Pool(vectors[i], Pooling::kMean);
      std::copy(mean.values.begin(), mean.values.end(),
                context->Row(first + i));
    }
  }
  return absl::OkStatus();
}

void FitContextScale(const Matrix<float>& context, ClassifierModel* model) {
  const size_t dim = context.cols();
  const auto texts = static_cast<double>(context.rows());
  model->context_mean.resize(dim);
  model->context_scale.resize(dim);
  for (size_t d = 0; d < dim; ++d) {
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < context.rows(); ++i) {
      const auto value = static_cast<double>(context.Row(i)[d]);
      sum += value;
      squares += value * value;
    }
    const double mean = sum / texts;
    const double variance = std::max(squares / texts - mean * mean, 1e-12);
    model->context_mean[d] = static_cast<float>(mean);
    model->context_scale[d] =
        static_cast<float>(1 / std::sqrt(variance * static_cast<double>(dim)));
  }
}

void ScaleContext(const ClassifierModel& model, float* context) {
  for (size_t d = 0; d < model.context_mean.size(); ++d) {
    context[d] = (context[d] - model.context_mean[d]) * model.context_scale[d];
  }
}

TunedContext::TunedContext(const ClassifierModel& model,
                           const TunedTexts& train, const TunedTexts& valid,
                           const Hooks& hooks, Contextualizer& contextualizer)
    : model_(model),
      train_(train),
      valid_(valid),
      hooks_({nullptr, hooks.stop}),
      contextualizer_(contextualizer),
      tuner_(contextualizer, model.options.tuning_rate, model.options.threads) {
  for (const auto* parameter : tuner_.parameters()) {
    const Matrix<float>& value = parameter->value;
    Matrix<float>& copy = start_.emplace_back(value.rows(), value.cols());
    std::copy_n(value.data(), value.size(), copy.data());
  }
}

uint64_t TunedContext::num_parameters() const {
  uint64_t count = 0;
  for (const auto* parameter : tuner_.parameters()) {
    if (!parameter->frozen) count += parameter->value.size();
  }
  return count;
}

void TunedContext::Restart() {
  for (size_t i = 0; i < start_.size(); ++i) {
    std::copy_n(start_[i].data(), start_[i].size(),
                tuner_.parameters()[i]->value.data());
  }
  tuner_.ForgetSteps();
}

void TunedContext::Forward(absl::Span<const size_t> texts, uint64_t key) {
  places_.clear();
  lengths_.clear();
  std::vector<ContextTuner::Sentence> sentences;
  for (size_t place = 0; place < texts.size(); ++place) {
    std::vector<std::string> words = ContextWordsOf(
        train_.texts[texts[place]].text, model_.features.options(),
        contextualizer_.reads_pairs());
    if (words.empty()) continue;
    places_.push_back(place);
    lengths_.push_back(words.size());
    ContextTuner::Sentence& sentence = sentences.emplace_back();
    for (std::string& word : words) {
      sentence.push_back(*words_.insert(std::move(word)).first);
    }
  }
  if (places_.empty()) return;
  tuner_.Forward(sentences, key, &layers_);
  MeansOfTokens<float>(layers_, lengths_, &means_);
  for (size_t i = 0; i < places_.size(); ++i) {
    float* const context = train_.context.Row(texts[places_[i]]);
    std::copy_n(means_.Row(i), dim(), context);
    ScaleContext(model_, context);
  }
}

double TunedContext::Step(const Matrix<float>& d_contexts, double factor) {
  if (places_.empty()) return 0;
  const float share = 1 / static_cast<float>(d_contexts.rows());
  d_means_.Resize(places_.size(), dim());
  for (size_t i = 0; i < places_.size(); ++i) {
    for (size_t d = 0; d < dim(); ++d) {
      d_means_.Row(i)[d] =
          share * model_.context_scale[d] * d_contexts.Row(places_[i])[d];
    }
  }
  GiveToTokens(std::as_const(d_means_).view(), lengths_, layers_.size(),
               &d_layers_);
  tuner_.Backward(d_layers_);
  const double norm = nn::ClipGlobalNorm(kClip, tuner_.parameters());
  if (std::isfinite(norm)) {
    tuner_.Step(factor);
  } else {
    tuner_.ClearGradients();
  }
  return norm;
}

absl::Status TunedContext::ReadValid() {
  std::vector<uint32_t> all(valid_.texts.size());
  std::iota(all.begin(), all.end(), 0);
  return Read(valid_, all);
}

absl::Status TunedContext::Read(const TunedTexts& from,
                                absl::Span<const uint32_t> texts) {
  tuner_.ParametersStay();
  std::vector<absl::string_view> views;
  for (const uint32_t text : texts) views.push_back(from.texts[text].text);
  Matrix<float> contexts;
  FIRTH_RETURN_IF_ERROR(ReadContext(views, model_.features.options(),
                                    model_.options.threads, hooks_,
                                    &contextualizer_, &contexts));
  for (size_t i = 0; i < texts.size(); ++i) {
    ScaleContext(model_, contexts.Row(i));
    std::copy_n(contexts.Row(i), dim(), from.context.Row(texts[i]));
  }
  return absl::OkStatus();
}

}  // namespace firth
