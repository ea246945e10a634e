// firth postprocess: vectors in, better or fewer vectors out.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "command.h"
#include "console.h"
#include "firth/postprocess.h"
#include "firth/vector_io.h"
#include "human.h"
#include "vector_files.h"

namespace firth::tools {
namespace {

class PostprocessCommand : public Command {
 public:
  absl::string_view name() const override { return "postprocess"; }
  absl::string_view summary() const override {
    return "center, straighten, normalise or prune vectors";
  }
  absl::string_view synopsis() const override { return "IN OUT [OPTION...]"; }
  absl::string_view description() const override {
    return "Keeps the words asked for, then subtracts the mean vector, then "
           "the directions in which all vectors differ most, which say little "
           "about meaning (Mu and Viswanath 2018), then makes lengths 1: what "
           "was asked for of that.\n\n"
           "  firth postprocess vectors.bin better.bin --center "
           "--remove-components 2";
  }

  void Declare(OptionSet* options) override {
    options->Path("vocab", "FILE", &vocabulary_,
                  "keep the words of this file only, one a line");
    options
        ->Integer("max-vocab", &options_.max_vocab, 0, UINT64_MAX,
                  "keep only this many words, the first ones; 0: all")
        .range.clear();
    options->Switch("center", &options_.center, "subtract the mean vector");
    options->Integer(
        "remove-components", &options_.remove_components, 0, 65535,
        "directions to remove, about a hundredth of the dimension");
    options->Switch("normalize", &options_.normalize,
                    "make all vectors 1 long; n-grams are lost");
    DeclareFormat(options, "to", &to_,
                  "format of OUT; without it the extension tells");
    options->Arguments("IN and OUT", 2, 2, &paths_);
  }

  absl::Status Check(const OptionSet&) override {
    absl::StatusOr<std::string> format = ChooseVectorFormat(paths_[1], to_);
    if (!format.ok()) return format.status();
    to_ = *std::move(format);
    return options_.Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    absl::Status status = CheckWritable(paths_[1]);
    if (!status.ok()) return status;
    absl::StatusOr<WordVectors> vectors = LoadVectors(paths_[0]);
    if (vectors.ok() && !vocabulary_.empty()) {
      vectors = Select(*vectors);
    }
    if (vectors.ok()) vectors = Postprocess(*vectors, options_);
    if (!vectors.ok()) return vectors.status();
    VectorFile file;
    file.vectors = *std::move(vectors);
    status = SaveVectorFile(file, paths_[1], to_);
    if (!status.ok()) return status;
    Say(absl::StrCat("wrote ", paths_[1], ": ",
                     Counted(file.vectors.size(), "word"), " of ",
                     Counted(file.vectors.dim(), "dimension"), ", ", to_));
    return ExitCode::kDone;
  }

 private:
  absl::StatusOr<WordVectors> Select(const WordVectors& vectors) const {
    const absl::StatusOr<Vocabulary> kept = LoadVocabulary(vocabulary_);
    if (!kept.ok()) return kept.status();
    return SelectWords(vectors, *kept);
  }

  PostprocessOptions options_;
  std::string vocabulary_;
  std::string to_;
  std::vector<std::string> paths_;
};

}  // namespace

std::unique_ptr<Command> MakePostprocessCommand() {
  return std::make_unique<PostprocessCommand>();
}

}  // namespace firth::tools
