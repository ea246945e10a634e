// The encoder of a sequence-to-sequence model as a language model without a
// head, which computes contextual vectors (CoVe: McCann et al., "Learned in
// translation: contextualized word vectors", 2017).

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"
#include "lm/model/language_model.h"
#include "lm/read/network_model.h"
#include "lm/read/text_model.h"
#include "nn/parameter.h"
#include "seq2seq/seq2seq_model.h"

namespace firth {
namespace {

absl::StatusOr<std::unique_ptr<TextModel>> OpenEncoder(
    const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(std::optional<Seq2SeqModel> model,
                         LoadIfSeq2SeqModel(file));
  if (!model.has_value()) return nullptr;
  const Matrix<float>& table = model->network->source_table();
  nn::Encoder<float>& encoder = model->network->encoder();
  if (model->tokens.units == TextUnits::kCharacters) {
    return absl::InvalidArgumentError(absl::StrCat(
        file->path(),
        ": this model reads characters, so its encoder has no vectors of "
        "words; train one with words as tokens"));
  }
  if (table.cols() > encoder.output_dim()) {
    return absl::InvalidArgumentError(absl::StrCat(
        file->path(), ": the source vectors have ", table.cols(),
        " dimensions, which is more than the ", encoder.output_dim(),
        " of a layer, so the encoder cannot be used for contextual vectors"));
  }
  LanguageModelOptions options;
  options.layers = EncoderLayers(model->shape, /*dropout=*/0);
  options.reading = EncoderReading(model->shape);
  options.begin_mark = false;
  options.encoder.vocab_size = table.rows();
  options.encoder.embedding_dim = table.cols();
  LanguageModelData data;
  data.input_words = std::move(model->source_words);
  data.metadata = std::move(model->metadata);
  const nn::WithoutFirstValues without_values;
  auto made = std::make_unique<BiLanguageModel>(options, std::move(data), 0);
  nn::Copy<float>(table.view(), made->encoder().table()->value.view());
  nn::ParameterList<float> from;
  nn::ParameterList<float> to;
  encoder.AppendParameters(&from);
  made->layers().AppendParameters(&to);
  for (size_t i = 0; i < to.size(); ++i) {
    nn::Copy<float>(from[i]->value.view(), to[i]->value.view());
  }
  return std::make_unique<NetworkModel>(std::move(made));
}

}  // namespace

// DescribeSeq2SeqModel() describes the whole model.
const TextModelKind kEncoderModel = {
    OpenEncoder,
    [](const MappedFilePtr&) -> absl::StatusOr<std::optional<FileInfo>> {
      return std::nullopt;
    }};

}  // namespace firth
