// Opening, saving and describing classifiers, and the weights of their n-grams.

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
#include "lm/mapped_contextualizer.h"

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

// Checks the file given for a model that reads a contextualizer. Errors:
// InvalidArgument, not the file that the model was trained with.
absl::Status CheckGiven(const ClassifierModel& model, const MappedFile& file,
                        const std::string& model_path) {
  const std::string expected =
      BytesAndSum(model.contextualizer_size, model.contextualizer_checksum);
  const std::string found = BytesAndSum(file.size(), Checksum(file.bytes(), 0));
  if (found == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      file.path(), ": this is not the file that ", model_path,
      " was trained with: expected ", expected, ", found ", found));
}

// Returns the file of the contextualizer that the model reads, or null if it
// reads none.
absl::StatusOr<MappedFilePtr> FindContextualizer(const ClassifierModel& model,
                                                 const std::string& model_path,
                                                 const std::string& path) {
  if (model.tuned_contextualizer != nullptr && path.empty()) {
    return model.tuned_contextualizer;
  }
  if (model.tuned_contextualizer != nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(model_path,
                     ": this classifier contains the contextualizer that it "
                     "tuned; omit --contextualizer ",
                     path));
  }
  if (model.contextualizer_name.empty() && path.empty()) return nullptr;
  if (model.contextualizer_name.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(model_path,
                     ": this classifier was trained without a contextualizer; "
                     "omit --contextualizer ",
                     path));
  }
  if (path.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        model_path,
        ": this classifier needs --contextualizer FILE. The file that it was "
        "trained with was named ",
        Quote(model.contextualizer_name), " and has ",
        BytesAndSum(model.contextualizer_size, model.contextualizer_checksum)));
  }
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  FIRTH_RETURN_IF_ERROR(CheckGiven(model, *file, model_path));
  return file;
}

// Returns null if the model reads none. Errors: those of FindContextualizer()
// and of loading; DataLoss, a contextualizer whose states do not match the
// model.
absl::StatusOr<std::unique_ptr<Contextualizer>> LoadContextualizerOf(
    const ClassifierModel& model, const std::string& model_path,
    const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file,
                         FindContextualizer(model, model_path, path));
  if (file == nullptr) return nullptr;
  FIRTH_ASSIGN_OR_RETURN(Contextualizer contextualizer,
                         LoadContextualizer(file));
  const size_t states = contextualizer.num_layers() * contextualizer.dim();
  if (states == model.context_mean.size()) {
    return std::make_unique<Contextualizer>(std::move(contextualizer));
  }
  return absl::DataLossError(absl::StrCat(
      model_path, ": expected a contextualizer of ", model.context_mean.size(),
      " values in all layers, as in \"context_mean\", found ", states));
}

}  // namespace

absl::StatusOr<Classifier> Classifier::Load(const std::string& path,
                                            const std::string& contextualizer) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  FIRTH_ASSIGN_OR_RETURN(ClassifierModel model, LoadModel(file));
  FIRTH_ASSIGN_OR_RETURN(auto reader,
                         LoadContextualizerOf(model, path, contextualizer));
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
    return absl::InvalidArgumentError(
        absl::StrCat("this classifier reads the contextualizer ",
                     Quote(whole.contextualizer_name),
                     ", whose file cannot be made smaller; only classifiers "
                     "without one can"));
  }
  FIRTH_ASSIGN_OR_RETURN(ClassifierModel small,
                         QuantizeModel(whole, train, options, hooks));
  return Classifier(std::make_shared<const Classifier::Body>(std::move(small)));
}

}  // namespace firth
