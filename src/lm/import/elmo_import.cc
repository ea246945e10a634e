// ELMo stores its weights in HDF5, under the names of TensorFlow's variables.
// All shapes are compared with the options before memory is allocated. Then
// each dataset is read into the corresponding parameter, transposed or with
// reordered gates where the two differ.

#include "lm/import/elmo_import.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/contextualizer.h"
#include "firth/status_macros.h"
#include "io/tensors/hdf5_file.h"
#include "lm/model/json_section.h"
#include "lm/model/language_model_file.h"

namespace firth {

namespace {

absl::StatusOr<nn::RecurrentLayers> ReadStack(const JsonSection& lstm) {
  nn::RecurrentLayers stack;
  nn::RecurrentOptions& recurrent = stack.recurrent;
  FIRTH_ASSIGN_OR_RETURN(recurrent.units, lstm.Size("dim", 1, kMostUnits));
  FIRTH_ASSIGN_OR_RETURN(recurrent.projection_dim,
                         lstm.Size("projection_dim", 1, kMostUnits));
  FIRTH_ASSIGN_OR_RETURN(stack.layers, lstm.Size("n_layers", 1, kMostLayers));
  FIRTH_ASSIGN_OR_RETURN(recurrent.cell_clip, lstm.Limit("cell_clip"));
  FIRTH_ASSIGN_OR_RETURN(recurrent.projection_clip, lstm.Limit("proj_clip"));
  FIRTH_ASSIGN_OR_RETURN(stack.residual, lstm.Flag("use_skip_connections"));
  // bilm-tf projects the output only if that changes its size.
  if (recurrent.projection_dim == recurrent.units) recurrent.projection_dim = 0;
  return stack;
}

constexpr float kForgetBias = 1;
constexpr size_t kForgetPlane = 2;
constexpr size_t kLstmPlanes = 4;

// A dataset, with the shape that the options imply.
struct Dataset {
  std::string name;
  std::vector<uint64_t> shape;
};

Dataset CnnWeights(const nn::CharCnnOptions& cnn, size_t i) {
  return {absl::StrCat("CNN/W_cnn_", i),
          {1, cnn.filters[i].width, cnn.embedding_dim, cnn.filters[i].count}};
}

Dataset Cell(size_t direction, size_t layer, const char* part,
             std::vector<uint64_t> shape) {
  return {absl::StrCat("RNN_", direction, "/RNN/MultiRNNCell/Cell", layer,
                       "/LSTMCell/", part),
          std::move(shape)};
}

Dataset CellWeights(const nn::RecurrentOptions& layer, size_t direction,
                    size_t index) {
  return Cell(
      direction, index, "W_0",
      {layer.input_dim + layer.output_dim(), kLstmPlanes * layer.units});
}

// Compares all shapes before memory is allocated, as sizes come from a file.
absl::Status CheckShapes(const ElmoOptions& options, const Hdf5File& file) {
  const nn::CharCnnOptions& cnn = options.encoder.char_cnn;
  const uint64_t filters = cnn.num_filters();
  std::vector<Dataset> all = {
      {"char_embed", {cnn.num_characters, cnn.embedding_dim}}};
  for (size_t i = 0; i < cnn.filters.size(); ++i) {
    all.push_back(CnnWeights(cnn, i));
  }
  for (size_t h = 0; h < options.encoder.highways; ++h) {
    all.push_back(
        {absl::StrCat("CNN_high_", h, "/W_carry"), {filters, filters}});
  }
  if (options.encoder.projection_dim > 0) {
    all.push_back(
        {"CNN_proj/W_proj", {filters, options.encoder.projection_dim}});
  }
  nn::RecurrentOptions layer = options.stack.recurrent;
  layer.input_dim = options.encoder.output_dim();
  for (size_t l = 0; l < options.stack.layers; ++l) {
    all.push_back(CellWeights(layer, 0, l));
    layer.input_dim = layer.output_dim();
  }
  for (const Dataset& dataset : all) {
    FIRTH_RETURN_IF_ERROR(file.CheckShape(dataset.name, dataset.shape));
  }
  return absl::OkStatus();
}

// Reads datasets into parameters.
class WeightReader {
 public:
  explicit WeightReader(const Hdf5File& file) : file_(file) {}

  absl::Status ReadCnn(nn::CharCnn<float>& cnn) {
    const nn::CharCnnOptions& options = cnn.options();
    FIRTH_RETURN_IF_ERROR(file_.Read(
        "char_embed", {options.num_characters, options.embedding_dim},
        cnn.embedding().value.data()));
    for (size_t i = 0; i < options.filters.size(); ++i) {
      const uint64_t count = options.filters[i].count;
      const Dataset weights = CnnWeights(options, i);
      Matrix<float>& filters = cnn.filters(i).value;
      Matrix<float> stored(filters.cols(), filters.rows());
      FIRTH_RETURN_IF_ERROR(
          file_.Read(weights.name, weights.shape, stored.data()));
      for (size_t f = 0; f < filters.rows(); ++f) {
        for (size_t k = 0; k < filters.cols(); ++k) {
          filters.Row(f)[k] = stored.Row(k)[f];
        }
      }
      FIRTH_RETURN_IF_ERROR(file_.Read(absl::StrCat("CNN/b_cnn_", i), {count},
                                       cnn.bias(i).value.data()));
    }
    return absl::OkStatus();
  }

  absl::Status ReadHighway(size_t index, nn::Highway<float>& highway) {
    const std::string name = absl::StrCat("CNN_high_", index, "/");
    const uint64_t dim = highway.weights().value.rows();
    Matrix<float> half(dim, dim);
    size_t column = 0;
    for (const char* part : {"carry", "transform"}) {
      FIRTH_RETURN_IF_ERROR(
          file_.Read(absl::StrCat(name, "W_", part), {dim, dim}, half.data()));
      nn::Copy<float>(half.view(),
                      highway.weights().value.view().Cols(column, dim));
      FIRTH_RETURN_IF_ERROR(file_.Read(absl::StrCat(name, "b_", part), {dim},
                                       highway.bias().value.data() + column));
      column += dim;
    }
    return absl::OkStatus();
  }

  absl::Status ReadProjection(nn::Linear<float>& projection) {
    const uint64_t out = projection.output_dim();
    FIRTH_RETURN_IF_ERROR(file_.Read("CNN_proj/W_proj",
                                     {projection.input_dim(), out},
                                     projection.weights().value.data()));
    return file_.Read("CNN_proj/b_proj", {out}, projection.bias().value.data());
  }

  absl::Status ReadLayer(size_t direction, size_t index,
                         nn::Recurrent<float>& layer) {
    const nn::RecurrentOptions& options = layer.options();
    const Dataset weights = CellWeights(options, direction, index);
    Matrix<float> both(weights.shape[0], weights.shape[1]);
    FIRTH_RETURN_IF_ERROR(file_.Read(weights.name, weights.shape, both.data()));
    nn::Copy<float>(both.view().Rows(0, options.input_dim),
                    layer.input_weights().value.view());
    nn::Copy<float>(both.view().Rows(options.input_dim, options.output_dim()),
                    layer.recurrent_weights().value.view());
    const Dataset bias = Cell(direction, index, "B", {weights.shape[1]});
    float* const biases = layer.bias().value.data();
    FIRTH_RETURN_IF_ERROR(file_.Read(bias.name, bias.shape, biases));
    for (size_t u = 0; u < options.units; ++u) {
      biases[kForgetPlane * options.units + u] += kForgetBias;
    }
    if (layer.projection() == nullptr) return absl::OkStatus();
    const Dataset projection = Cell(direction, index, "W_P_0",
                                    {options.units, options.projection_dim});
    return file_.Read(projection.name, projection.shape,
                      layer.projection()->value.data());
  }

 private:
  const Hdf5File& file_;
};

}  // namespace

absl::StatusOr<ElmoOptions> ReadElmoOptions(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const nlohmann::json json,
                         ReadJsonObject(path, "the options of an ELMo model"));
  const JsonSection root{path, "", json};
  FIRTH_ASSIGN_OR_RETURN(const JsonSection lstm, root.Sub("lstm"));
  FIRTH_ASSIGN_OR_RETURN(const JsonSection cnn, root.Sub("char_cnn"));
  ElmoOptions options;
  FIRTH_ASSIGN_OR_RETURN(options.stack, ReadStack(lstm));
  FIRTH_ASSIGN_OR_RETURN(options.encoder.char_cnn, ReadCharCnn(cnn));
  FIRTH_ASSIGN_OR_RETURN(options.encoder.highways,
                         cnn.Size("n_highway", 0, kMostLayers));
  const size_t filters = options.encoder.char_cnn.num_filters();
  const size_t dim = options.stack.output_dim();
  options.encoder.projection_dim = filters == dim ? 0 : dim;
  return options;
}

absl::StatusOr<std::unique_ptr<BiLanguageModel>> ReadElmo(
    const std::string& options_path, const std::string& weights_path) {
  FIRTH_ASSIGN_OR_RETURN(const ElmoOptions options,
                         ReadElmoOptions(options_path));
  FIRTH_ASSIGN_OR_RETURN(const Hdf5File file, Hdf5File::Open(weights_path));
  FIRTH_RETURN_IF_ERROR(CheckShapes(options, file));
  auto model = std::make_unique<BiLanguageModel>(
      LanguageModelOptions{.encoder = options.encoder, .layers = options.stack},
      LanguageModelData(), 1);
  nn::TokenEncoder<float>& encoder = model->encoder();
  WeightReader reader(file);
  FIRTH_RETURN_IF_ERROR(reader.ReadCnn(*encoder.char_cnn()));
  for (size_t h = 0; h < options.encoder.highways; ++h) {
    FIRTH_RETURN_IF_ERROR(reader.ReadHighway(h, encoder.highway(h)));
  }
  if (encoder.projection() != nullptr) {
    FIRTH_RETURN_IF_ERROR(reader.ReadProjection(*encoder.projection()));
  }
  for (size_t l = 0; l < options.stack.layers; ++l) {
    for (const Direction direction : model->layers().directions()) {
      auto& stack = static_cast<nn::Stack<float>&>(model->layers()[direction]);
      FIRTH_RETURN_IF_ERROR(
          reader.ReadLayer(static_cast<size_t>(direction), l,
                           static_cast<nn::Recurrent<float>&>(stack.layer(l))));
    }
  }
  return model;
}

absl::Status ImportElmo(const std::string& options_path,
                        const std::string& weights_path,
                        const std::string& output_path) {
  FIRTH_ASSIGN_OR_RETURN(const std::unique_ptr<BiLanguageModel> model,
                         ReadElmo(options_path, weights_path));
  return SaveLanguageModel(*model, output_path);
}

}  // namespace firth
