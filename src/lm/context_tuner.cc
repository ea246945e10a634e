#include "lm/context_tuner.h"

#include <numeric>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "lm/language_model_file.h"
#include "lm/matrix_tensors.h"
#include "lm/perplexity.h"
#include "lm/sentence_windows.h"

namespace firth {
namespace {

CutSentences CutOf(const BiLanguageModel& model,
                   absl::Span<const ContextTuner::Sentence> sentences) {
  if (model.data().cutter != nullptr)
    return model.data().cutter->Cut(sentences);
  CutSentences cut;
  for (const ContextTuner::Sentence& sentence : sentences) {
    cut.pieces.push_back(sentence);
    std::vector<size_t>& first = cut.first.emplace_back(sentence.size() + 1);
    std::iota(first.begin(), first.end(), 0);
  }
  return cut;
}

SentenceWindows WindowsOf(const nn::LayersOptions& layers,
                          absl::Span<const ContextTuner::Sentence> sentences) {
  const auto* const transformer = std::get_if<nn::TransformerLayers>(&layers);
  return SentenceWindows(sentences, MostTokens(layers),
                         transformer != nullptr && transformer->causal);
}

nn::ParameterList<float> ParametersOf(BiLanguageModel& model) {
  nn::ParameterList<float> parameters;
  if (model.second_segment() != nullptr) {
    parameters.push_back(model.second_segment());
  }
  model.encoder().AppendParameters(&parameters);
  model.layers().AppendParameters(&parameters);
  return parameters;
}

template <class Source>
void AppendTensorsOf(Source& source, std::vector<NamedTensor>* tensors) {
  for (NamedTensor& tensor : TensorsOf(source)) {
    tensor.name = absl::StrCat("contextualizer.", tensor.name);
    tensors->push_back(std::move(tensor));
  }
}

}  // namespace

ContextTuner::ContextTuner(Contextualizer& contextualizer, double rate,
                           int threads)
    : model_(ModelOf(contextualizer)),
      text_words_(model_),
      words_(model_, text_words_),
      layers_(model_.encoder(), model_.layers(), DirectionThreads(threads),
              model_.second_segment()),
      parameters_(ParametersOf(model_)),
      optimizer_(nn::AdamOptions{}, parameters_) {
  rate_.decay = nn::Decay::kLinear;
  rate_.start = rate;
}

void ContextTuner::Forward(absl::Span<const Sentence> sentences,
                           nn::DropoutKey key,
                           std::vector<Matrix<float>>* vectors) {
  const CutSentences cut = CutOf(model_, sentences);
  const SentenceWindows windows =
      WindowsOf(model_.options().layers, cut.pieces);
  const std::vector<SentenceIds> ids = IdsOf(windows.windows(), &text_words_);
  std::vector<size_t> all(ids.size());
  std::iota(all.begin(), all.end(), 0);
  chunk_ = LayOut(ids, all, &words_);
  batch_ = {};
  batch_.words = words_.batch();
  batch_.word_of_row = chunk_.word_of_row;
  batch_.lengths = chunk_.lengths;
  if (model_.second_segment() != nullptr) {
    batch_.second_rows = chunk_.second_rows;
  }
  FindTokens(windows, cut.first);
  layers_.Forward(batch_, key, vectors);
}

void ContextTuner::FindTokens(const SentenceWindows& windows,
                              absl::Span<const std::vector<size_t>> first) {
  const size_t sequences = windows.windows().size();
  for (const SentenceWindows::Place& place : windows.Places()) {
    const size_t step = place.token + 1;  // after the first mark
    batch_.rows.push_back(
        static_cast<uint32_t>(step * sequences + place.window));
  }
  for (const std::vector<size_t>& pieces : first) {
    const size_t begin = batch_.first.back();
    for (size_t token = 1; token < pieces.size(); ++token) {
      batch_.first.push_back(begin + pieces[token]);
    }
  }
}

void ContextTuner::SetTotalSteps(uint64_t steps) {
  rate_.total = steps;
  rate_.warmup = steps / 10;
}

void ContextTuner::Step(double factor) {
  optimizer_.Step(factor * rate_.At(optimizer_.steps()));
}

void ContextTuner::ClearGradients() {
  for (auto* parameter : parameters_) parameter->gradient.Clear();
}

void ContextTuner::ForgetSteps() {
  for (const auto& slot : optimizer_.Slots()) slot.values->Fill(0);
  optimizer_.set_steps(0);
}

void ContextTuner::AppendLearnt(std::vector<NamedTensor>* tensors) {
  AppendTensorsOf(parameters_, tensors);
}

void ContextTuner::AppendOthers(std::vector<NamedTensor>* tensors) {
  AppendTensorsOf(optimizer_, tensors);
}

absl::StatusOr<MappedFilePtr> ContextTuner::File(const std::string& path) {
  return LanguageModelFile(model_, path);
}

}  // namespace firth
