// firth postprocess: vectors in, better, fewer or smaller vectors out.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/postprocess.h"
#include "firth/quantize.h"
#include "firth/status_macros.h"
#include "firth/vector_io.h"

namespace firth::tools {
namespace {

constexpr CommandText kPostprocessText = {
    "postprocess", "center, normalize, prune or quantize vectors",
    "IN OUT [OPTION...]",
    "Applies the given options in this order: keep only some words; subtract "
    "the mean vector; remove the first principal components, along which the "
    "vectors vary most and which carry little meaning (Mu and Viswanath 2018); "
    "keep only the next principal components; reduce the weight of frequent "
    "words; scale to length 1; quantize. The output table is dropped, since it "
    "fits only the original vectors.\n\n"
    "  firth postprocess vectors.bin better.bin --center --remove-components "
    "2\n"
    "  firth postprocess model.safetensors small.safetensors \\\n"
    "    --max-vocab 100000 --quantize pq --pq-parts 50"};

class PostprocessCommand : public Command {
 public:
  PostprocessCommand() : Command(kPostprocessText) {}

  void Declare(OptionSet* options) override {
    options->Path("vocab", "FILE", &vocabulary_, Reads(),
                  "path to a list of words, one per line; only these are kept");
    options->Fields(&options_);
    options->At("quantize").help +=
        ". OUT must be a .safetensors model, or for pq without n-grams a .fifu "
        "file; \"firth convert\" turns it back into floats";
    DeclareFormat(
        options, "to", &to_,
        "set the format of OUT; by default the extension determines it");
    DeclareLossy(options, &lossy_);
    for (const absl::string_view name :
         {"max-vocab", "center", "remove-components", "keep-components",
          "normalize", "drop-ngrams", "quantize", "pq-parts", "to", "lossy"}) {
      options->At(name).Everyday();
    }
    options->Arguments("IN and OUT", 2, 2, &paths_,
                       {{"IN", Reads()}, {"OUT", WritesVectors(&to_)}});
  }

  absl::Status Check(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(to_, ChooseVectorFormat(paths_[1], to_));
    if (quantizes()) {
      FIRTH_RETURN_IF_ERROR(CheckForm(/*has_subwords=*/false));
    }
    if (vocabulary_.empty() && !quantizes() && options_.max_vocab == 0 &&
        !options_.center && options_.remove_components == 0 &&
        options_.keep_components == 0 && options_.sif == 0 &&
        !options_.normalize && !options_.drop_subwords) {
      return absl::InvalidArgumentError(
          "give at least one step, such as --center; \"firth convert\" writes "
          "vectors unchanged");
    }
    return options_.Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_RETURN_IF_ERROR(Rewrite(
        Files(), {}, [this](VectorFile* file) { return Change(file); }));
    return ExitCode::kDone;
  }

 private:
  Rewriting Files() const { return {paths_[0], paths_[1], to_, lossy_}; }

  bool quantizes() const {
    return !std::holds_alternative<ToFloat32>(options_.form);
  }

  // Whether OUT can hold what is asked for.
  absl::Status CheckForm(bool has_subwords) const {
    // Their names are those of FormOf().
    const absl::string_view form = std::visit(
        [](const auto& chosen) { return chosen.kName; }, options_.form);
    FIRTH_ASSIGN_OR_RETURN(const bool holds,
                           HoldsForm(to_, form, has_subwords));
    if (holds) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "--quantize ", form, ": ", paths_[1], " has the format ", to_,
        ", which cannot hold such vectors; write a .safetensors file",
        has_subwords ? ", or use --drop-ngrams" : ""));
  }

  absl::Status Change(VectorFile* file) const {
    const bool had_subwords = file->vectors.subwords() != nullptr;
    WordVectors& vectors = file->vectors;
    if (!vocabulary_.empty()) {
      FIRTH_ASSIGN_OR_RETURN(const Vocabulary kept,
                             LoadVocabulary(vocabulary_));
      FIRTH_ASSIGN_OR_RETURN(vectors, SelectWords(vectors, kept));
    }
    FIRTH_ASSIGN_OR_RETURN(vectors, Postprocess(vectors, Leaving()));
    // What takes long comes when all words are known to be writable.
    FIRTH_RETURN_IF_ERROR(CheckNoWordIsLost(Files(), *file));
    if (quantizes()) {
      FIRTH_RETURN_IF_ERROR(
          CheckForm(vectors.subwords() != nullptr && !options_.normalize));
    }
    FIRTH_ASSIGN_OR_RETURN(vectors, Postprocess(vectors, options_));
    if (!file->output.empty()) {
      PrintMessage(
          "the output table is left out, since it belongs to the original "
          "vectors");
      file->output = file->output_bias = FloatTable();
    }
    const SubwordTables* subwords = vectors.subwords();
    if (had_subwords && subwords == nullptr && !options_.drop_subwords) {
      PrintMessage(
          "n-grams are left out, since weights and lengths apply to words");
    } else if (subwords != nullptr && quantizes()) {
      PrintMessage(absl::StrCat("n-grams are kept as floats: ",
                                Counted(subwords->n_grams.rows(), "row")));
    }
    return absl::OkStatus();
  }

  // Of what was asked for, what leaves something out.
  PostprocessOptions Leaving() const {
    return {.max_vocab = options_.max_vocab,
            .drop_subwords = options_.drop_subwords};
  }

  PostprocessOptions options_;
  std::string vocabulary_;
  std::string to_;
  bool lossy_ = false;
  std::vector<std::string> paths_;
};

}  // namespace

CommandPtr MakePostprocess() { return std::make_unique<PostprocessCommand>(); }

}  // namespace firth::tools
