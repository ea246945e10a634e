// firth postprocess: vectors in, better, fewer or smaller vectors out.

#include <memory>
#include <optional>
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

class PostprocessCommand : public Command {
 public:
  absl::string_view name() const override { return "postprocess"; }
  absl::string_view summary() const override {
    return "center, straighten, normalise, prune or quantize vectors";
  }
  absl::string_view synopsis() const override { return "IN OUT [OPTION...]"; }
  absl::string_view description() const override {
    return "Keeps the words asked for, then subtracts the mean vector, then "
           "the directions in which all vectors differ most, which say little "
           "about meaning (Mu and Viswanath 2018), then makes lengths 1, then "
           "stores vectors in fewer bits: what was asked for of that. The "
           "output table is left out: it belongs to the vectors as they "
           "were.\n\n"
           "  firth postprocess vectors.bin better.bin --center "
           "--remove-components 2\n"
           "  firth postprocess model.safetensors small.safetensors "
           "--max-vocab 100000 --quantize pq --pq-parts 50";
  }

  void Declare(OptionSet* options) override {
    options->Path("vocab", "FILE", &vocabulary_, Reads(),
                  "keep the words of this file only, one a line");
    options->Fields(&options_);
    DeclareQuantization(options);
    DeclareFormat(options, "to", &to_,
                  "format of OUT; without it the extension tells");
    DeclareLossy(options, &lossy_);
    options->Arguments("IN and OUT", 2, 2, &paths_,
                       {{"IN", ReadsVectors()}, {"OUT", WritesVectors(&to_)}});
  }

  absl::Status Check(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(to_, ChooseVectorFormat(paths_[1], to_));
    if (form_ != Form::kFloat32) {
      FIRTH_RETURN_IF_ERROR(CheckForm(/*has_subwords=*/false));
    }
    if (vocabulary_.empty() && form_ == Form::kFloat32 &&
        options_.max_vocab == 0 && !options_.center &&
        options_.remove_components == 0 && !options_.normalize &&
        !options_.drop_subwords) {
      return absl::InvalidArgumentError(
          "expected something to do, such as --center; \"firth convert\" "
          "writes vectors as they are");
    }
    return options_.Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_RETURN_IF_ERROR(
        Rewrite({paths_[0], paths_[1], to_, lossy_}, {},
                [this](VectorFile* file) { return Change(file); }));
    return ExitCode::kDone;
  }

 private:
  enum class Form { kFloat32, kFloat16, kInt8, kPq };
  // As FormOf() has them.
  static constexpr absl::string_view kFormNames[] = {
      kFloatForm, Float16Rows::kName, Int8Rows::kName, PqRows::kName};

  void DeclareQuantization(OptionSet* options) {
    options->Section("Small models");
    options->Choice<Form>(
        "quantize", &form_,
        {{"none", Form::kFloat32},
         {"float16", Form::kFloat16},
         {"int8", Form::kInt8},
         {"pq", Form::kPq}},
        "store the vectors of words in 16 bits a value, in 8, or by product "
        "quantization in a byte for every few values; n-grams stay as they "
        "are. OUT is a .safetensors model, which all commands read; for pq "
        "without n-grams, a .fifu, too; convert makes floats of it");
    options->Integer("pq-parts", &pq_.parts, 0, 65535,
                     "bytes of a word, which divide its dimensions; 0: about a "
                     "quarter of them");
    options->Switch("pq-rotation", &pq_.rotation,
                    "rotate vectors so that less gets lost (Ge et al. 2013); "
                    "takes longer");
    options->Switch("pq-norms", &pq_.norms,
                    "keep the lengths of vectors apart, 4 bytes a word more");
    options->Integer("seed", &pq_.seed, 0, UINT64_MAX, "of the clusters");
    for (const char* name : {"pq-parts", "pq-rotation", "pq-norms", "seed"}) {
      options->At(name).GoesWith({"quantize"}, {"pq"});
    }
  }

  // Whether OUT can hold what is asked for.
  absl::Status CheckForm(bool has_subwords) const {
    const absl::string_view form = kFormNames[static_cast<size_t>(form_)];
    FIRTH_ASSIGN_OR_RETURN(const bool holds,
                           HoldsForm(to_, form, has_subwords));
    if (holds) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "--quantize ", form, ": expected a .safetensors file to write",
        has_subwords ? ", or --drop-ngrams" : "", ", found ", paths_[1], " (",
        to_, ")"));
  }

  std::optional<QuantizeOptions> Quantization() const {
    switch (form_) {
      case Form::kFloat32:
        return std::nullopt;
      case Form::kFloat16:
        return ToFloat16();
      case Form::kInt8:
        return ToInt8();
      case Form::kPq:
        return pq_;
    }
    return std::nullopt;
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
    FIRTH_RETURN_IF_ERROR(CheckWordsOf(vectors, paths_[1], to_));
    FIRTH_ASSIGN_OR_RETURN(vectors, Postprocess(vectors, options_));
    const std::optional<QuantizeOptions> quantization = Quantization();
    if (quantization.has_value()) {
      FIRTH_RETURN_IF_ERROR(CheckForm(vectors.subwords() != nullptr));
      FIRTH_ASSIGN_OR_RETURN(vectors, Quantize(vectors, *quantization));
    }
    if (!file->output.empty()) {
      PrintMessage(
          "the output table is left out: it belongs to the vectors as they "
          "were");
      file->output = file->output_bias = FloatTable();
    }
    const SubwordTables* subwords = vectors.subwords();
    if (had_subwords && subwords == nullptr && !options_.drop_subwords) {
      PrintMessage("n-grams are left out: a mean of unit vectors is none");
    } else if (subwords != nullptr && quantization.has_value()) {
      PrintMessage(absl::StrCat("n-grams stay floats: ",
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
  Form form_ = Form::kFloat32;
  ToPq pq_;
  std::string to_;
  bool lossy_ = false;
  std::vector<std::string> paths_;
};

}  // namespace

std::unique_ptr<Command> MakePostprocessCommand() {
  return std::make_unique<PostprocessCommand>();
}

}  // namespace firth::tools
