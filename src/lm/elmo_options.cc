#include "lm/elmo_options.h"

#include "firth/status_macros.h"
#include "lm/json_section.h"

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

}  // namespace firth
