#include "lm/model/language_model.h"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/rng.h"
#include "lm/model/character_ids.h"

namespace firth {
namespace {

LanguageModelOptions WithSizes(LanguageModelOptions options,
                               const LanguageModelData& data) {
  options.encoder.vocab_size = data.input_words.size();
  options.vocab_size = data.words.size();
  return options;
}

std::unique_ptr<nn::OutputRows<float>> MakeCnnRows(
    const LanguageModelOptions& options, const Vocabulary& words,
    nn::GradientKind kind, uint64_t key) {
  std::vector<uint16_t> characters;
  for (size_t i = 0; i < words.size(); ++i) {
    AppendCharacterIds(words.Word(ToWordId(i)),
                       options.output_cnn.max_characters, &characters);
  }
  return nn::MakeCnnRows<float>(options.output_cnn, std::move(characters),
                                HeadDim(options), options.correction_dim, kind,
                                "head", key);
}

std::unique_ptr<nn::Head<float>> MakeHead(const LanguageModelOptions& options,
                                          const LanguageModelData& data,
                                          nn::Parameter<float>* table,
                                          uint64_t key) {
  const size_t dim = HeadDim(options);
  const auto rows = [&](nn::GradientKind kind, double first_bias) {
    if (options.tied) {
      FIRTH_CHECK(options.vocab_size == options.encoder.vocab_size);
      return nn::MakeTiedRows<float>(table, kind, first_bias, "head");
    }
    if (!options.output_cnn.filters.empty()) {
      return MakeCnnRows(options, data.words, kind, key);
    }
    return nn::MakeTableRows<float>(options.vocab_size, dim, kind, first_bias,
                                    "head", key);
  };
  switch (options.head) {
    case HeadKind::kNone:
      return nullptr;
    case HeadKind::kSoftmax:
      return nn::MakeFullSoftmaxHead(rows(nn::GradientKind::kDense, 0),
                                     options.label_smoothing);
    case HeadKind::kSampled:
      return nn::MakeSampledSoftmaxHead(rows(nn::GradientKind::kSparse, 0),
                                        options.samples);
    case HeadKind::kNce: {
      const auto words = static_cast<double>(options.vocab_size);
      return nn::MakeNceHead(rows(nn::GradientKind::kSparse, -std::log(words)),
                             options.samples);
    }
    case HeadKind::kContinuous: {
      const FloatTable& vectors = data.output_vectors;
      FIRTH_CHECK(vectors.rows() == options.vocab_size);
      return nn::MakeContinuousHead<float>(
          dim,
          {vectors.data(), vectors.rows(), vectors.cols(), vectors.stride()},
          "head", key);
    }
  }
  return nullptr;
}

}  // namespace

BiLanguageModel::BiLanguageModel(LanguageModelOptions options,
                                 LanguageModelData data, uint64_t key)
    : options_(WithSizes(std::move(options), data)),
      data_(std::move(data)),
      encoder_(options_.encoder, "encoder",
               CombineKeys(CombineKeys(key, 0), 0)),
      layers_(options_.layers, options_.reading, options_.encoder.output_dim(),
              {CombineKeys(CombineKeys(key, 0), 1),
               CombineKeys(CombineKeys(key, 0), 2)}),
      head_(MakeHead(options_, data_, encoder_.table(), CombineKeys(key, 1))) {
  if (options_.pairs) {
    second_segment_.emplace("second_segment", 1, encoder_.output_dim());
  }
  if (options_.next_sentence) {
    next_sentence_.emplace(layers_.output_dim(), 2, "next_sentence",
                           CombineKeys(key, 2));
  }
}

nn::ParameterList<float> BiLanguageModel::Parameters() {
  nn::ParameterList<float> list;
  encoder_.AppendParameters(&list);
  layers_.AppendParameters(&list);
  if (head_ != nullptr) head_->AppendParameters(&list);
  if (second_segment_.has_value()) list.push_back(&*second_segment_);
  if (next_sentence_.has_value()) next_sentence_->AppendParameters(&list);
  return list;
}

uint32_t BiLanguageModel::TargetOf(absl::string_view word) const {
  const std::optional<WordId> id = data_.words.Find(word);
  return id.has_value() ? static_cast<uint32_t>(*id) : kUnknownId;
}

}  // namespace firth
