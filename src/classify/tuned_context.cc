// Contexts are written where the rest of training reads them, so that steps and
// scores do not depend on tuning. A text without tokens keeps its initial
// context, which no weight affects.

#include "classify/tuned_context.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "classify/text_context.h"
#include "classify/training_plan.h"
#include "firth/status_macros.h"
#include "lm/token_means.h"

namespace firth {
namespace {

// Maximum norm of a step's gradients (Devlin et al. 2019).
constexpr double kClip = 1;

}  // namespace

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
    float* const context = train_.read.context.Row(texts[places_[i]]);
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

absl::Status TunedContext::ReadTrain(absl::Span<const uint32_t> texts) {
  return Read(train_, texts);
}

absl::Status TunedContext::ReadValid() {
  return Read(valid_, AllTexts(valid_.texts.size()));
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
    std::copy_n(contexts.Row(i), dim(), from.read.context.Row(texts[i]));
  }
  return absl::OkStatus();
}

absl::StatusOr<MappedFilePtr> TunedContext::File() {
  return tuner_.File("the tuned contextualizer");
}

}  // namespace firth
