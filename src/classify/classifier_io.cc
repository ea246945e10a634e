// What a classifier does with files, and what it says of its n-grams.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/mapped_file.h"
#include "base/quote.h"
#include "classify/classifier_body.h"
#include "classify/classifier_file.h"
#include "classify/fasttext_classifier.h"
#include "classify/feature_weights.h"
#include "classify/quantize_model.h"
#include "classify/strongest_ngrams.h"
#include "firth/classifier.h"
#include "firth/status_macros.h"
#include "io/formats/fasttext_header.h"
#include "io/tensors/safetensors_header.h"

namespace firth {
namespace {

absl::StatusOr<ClassifierModel> LoadModel(const MappedFilePtr& file) {
  const bool is_fasttext = StartsLikeFasttext(file->bytes()) &&
                           !StartsLikeSafetensors(file->bytes());
  return is_fasttext ? LoadFasttextClassifier(file) : LoadClassifierModel(file);
}

std::string BytesAndSum(uint64_t bytes, uint64_t checksum) {
  return absl::StrCat(bytes, " bytes and checksum ", HexChecksum(checksum));
}

// Null where the model reads none. Errors: InvalidArgument, another file than
// that which the model was trained with.
absl::StatusOr<std::unique_ptr<Contextualizer>> LoadContextualizer(
    const ClassifierModel& model, const std::string& model_path,
    const std::string& path) {
  if (model.contextualizer_name.empty() && path.empty()) return nullptr;
  const std::string expected =
      BytesAndSum(model.contextualizer_size, model.contextualizer_checksum);
  if (model.contextualizer_name.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(model_path, ": was trained without --contextualizer: ",
                     "expected none, found ", path));
  }
  if (path.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        model_path, ": expected --contextualizer FILE, the file that it was ",
        "trained with, then named ", Quote(model.contextualizer_name), ", of ",
        expected, "; found none"));
  }
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  const std::string found =
      BytesAndSum(file->size(), Checksum(file->bytes(), 0));
  if (found != expected) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected the file that ", model_path,
                     " was trained with, of ", expected, ", found ", found));
  }
  FIRTH_ASSIGN_OR_RETURN(Contextualizer contextualizer,
                         Contextualizer::Load(path));
  return std::make_unique<Contextualizer>(std::move(contextualizer));
}

}  // namespace

absl::StatusOr<Classifier> Classifier::Load(const std::string& path,
                                            const std::string& contextualizer) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  FIRTH_ASSIGN_OR_RETURN(ClassifierModel model, LoadModel(file));
  FIRTH_ASSIGN_OR_RETURN(auto reader,
                         LoadContextualizer(model, path, contextualizer));
  return Classifier(
      std::make_shared<const Body>(std::move(model), std::move(reader)));
}

absl::Status Classifier::Save(const std::string& path) const {
  return absl::EndsWith(path, ".bin")
             ? SaveFasttextClassifier(body_->model, path)
             : SaveClassifierModel(body_->model, path);
}

uint64_t Classifier::FileBytes() const {
  return ClassifierFileBytes(body_->model);
}

std::vector<NgramWeight> Classifier::Explain(absl::string_view text,
                                             size_t label, size_t count) const {
  return ExplainText(body_->model, body_->label_tree(), text, label, count);
}

std::vector<NgramWeight> Classifier::Strongest(size_t label,
                                               size_t count) const {
  std::vector<NgramWeight> strongest;
  firth::VisitStrongest(body_->model, body_->label_tree(), label, label + 1,
                        count, [&](size_t, std::vector<NgramWeight> ngrams) {
                          strongest = std::move(ngrams);
                        });
  return strongest;
}

void Classifier::VisitStrongest(
    size_t count,
    absl::FunctionRef<void(size_t label, std::vector<NgramWeight> ngrams)>
        visit) const {
  firth::VisitStrongest(body_->model, body_->label_tree(), 0,
                        body_->model.labels.size(), count, visit);
}

absl::StatusOr<Classifier> QuantizeClassifier(
    const Classifier& classifier, absl::Span<const LabelledText> train,
    const QuantizeClassifierOptions& options, const Hooks& hooks) {
  const ClassifierModel& whole = classifier.body_->model;
  if (!whole.contextualizer_name.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a classifier that reads n-grams alone, found one of the ",
        "contextualizer ", Quote(whole.contextualizer_name),
        ", whose file is not made smaller"));
  }
  FIRTH_ASSIGN_OR_RETURN(ClassifierModel small,
                         QuantizeModel(whole, train, options, hooks));
  return Classifier(std::make_shared<const Classifier::Body>(std::move(small)));
}

}  // namespace firth
