// Chooses the loader by the kind of the file. Loads only the part of vectors
// that a question uses: a search, all vectors, or those of given words.

#include "ask/open_models.h"

#include <memory>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/vector_files.h"
#include "firth/file_info.h"
#include "firth/postprocess.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

absl::StatusOr<std::shared_ptr<const OpenedVectors>> OpenVectors(
    const std::string& path, const Slot* slot, const SearchChoice& search) {
  if (slot != nullptr && slot->access == VectorAccess::kGivenWords) {
    FIRTH_ASSIGN_OR_RETURN(WordVectors vectors, LoadVectorsOfWords(path));
    return std::make_shared<OpenedVectors>(std::move(vectors));
  }
  FIRTH_ASSIGN_OR_RETURN(
      VectorFile file,
      LoadAndWarn(path, {.only_vectors = true, .keep_form = true}));
  if (file.vectors.vocabulary().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": the file contains no words, so no question can be answered"));
  }
  if (slot != nullptr && slot->access != VectorAccess::kSearched) {
    return std::make_shared<OpenedVectors>(std::move(file.vectors),
                                           std::move(file.metadata));
  }
  FIRTH_ASSIGN_OR_RETURN(NearestNeighbors neighbors,
                         search.Open(file.vectors, path));
  return std::make_shared<OpenedVectors>(
      std::move(file.vectors),
      std::make_shared<NearestNeighbors>(std::move(neighbors)),
      std::move(file.metadata));
}

absl::StatusOr<std::shared_ptr<const OpenedTagger>> OpenTagger(
    const std::string& path) {
  absl::StatusOr<Tagger> tagger = Tagger::Load(path, {});
  if (tagger.ok()) return std::make_shared<OpenedTagger>(*std::move(tagger));
  return absl::Status(
      tagger.status().code(),
      absl::StrCat(tagger.status().message(),
                   " (\"firth tag pack\" puts a tagger and the models that it "
                   "needs into one file)"));
}

bool IsSupervisedFasttext(const FileInfo& info) {
  const auto arch = info.metadata.find("arch");
  return info.kind == NameOf(ModelKind::kVectors) &&
         arch != info.metadata.end() && arch->second == "supervised";
}

}  // namespace

FieldTable SearchChoice::Fields() {
  FieldsOf<SearchChoice> fields;
  fields.Add("restrict", &SearchChoice::restrict,
             "allow only this many of the most frequent words as answers; 0 "
             "means all");
  fields.Variant(
      "index", &SearchChoice::search,
      "choose the search method: exact compares all vectors; int8 selects "
      "candidates with rounded vectors first and is faster; hnsw searches the "
      "graph built by \"firth index\", is fastest for large vocabularies, and "
      "may miss some neighbors");
  return fields;
}

void SearchChoice::Declare(OptionSet* options) {
  options->Fields(this);
  options->Path(
      "within", "FILE", &within, Reads(),
      "path to a list of words, one per line; only these can be answers");
}

absl::Status SearchChoice::Check() const {
  if (!std::holds_alternative<HnswSearch>(search)) return absl::OkStatus();
  if (restrict == 0 && within.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      restrict != 0 ? "--restrict" : "--within",
      " cannot be combined with --index hnsw, whose graph contains all words"));
}

absl::StatusOr<WordVectors> SearchChoice::Candidates(
    const WordVectors& vectors) const {
  if (within.empty()) return vectors;
  FIRTH_ASSIGN_OR_RETURN(const Vocabulary words, LoadVocabulary(within));
  FIRTH_ASSIGN_OR_RETURN(WordVectors selected,
                         At(within, SelectWords(vectors, words)));
  if (selected.size() < words.size()) {
    PrintMessage(absl::StrCat(within, ": ",
                              Thousands(words.size() - selected.size()), " of ",
                              Counted(words.size(), "word"),
                              " have no vectors and cannot be answers"));
  }
  return selected;
}

absl::StatusOr<NearestNeighbors> SearchChoice::Open(
    const WordVectors& vectors, const std::string& path) const {
  SearchOptions with_path = search;
  auto* const hnsw = std::get_if<HnswSearch>(&with_path);
  if (hnsw != nullptr) hnsw->path = HnswPath(path);
  FIRTH_ASSIGN_OR_RETURN(WordVectors candidates, Candidates(vectors));
  absl::StatusOr<NearestNeighbors> neighbors =
      NearestNeighbors::Create(std::move(candidates), with_path, restrict);
  if (neighbors.ok() || hnsw == nullptr) return neighbors;
  return absl::Status(neighbors.status().code(),
                      absl::StrCat(neighbors.status().message(),
                                   " (\"firth index ", path, "\" builds it)"));
}

std::string HnswPath(const std::string& vectors_path) {
  return vectors_path + ".hnsw";
}

absl::StatusOr<OpenedModel> OpenModel(const std::string& name,
                                      const std::string& path, const Slot* slot,
                                      const SearchChoice& search,
                                      bool prefer_vectors) {
  OpenedModel model{name, {}};
  std::string kind(NameOf(ModelKind::kVectors));
  if (slot == nullptr || slot->kind != ModelKind::kVectors) {
    FIRTH_ASSIGN_OR_RETURN(const FileInfo info, DescribeFile(path));
    const bool may_classify = slot == nullptr
                                  ? !prefer_vectors
                                  : slot->kind == ModelKind::kClassifier;
    kind = may_classify && IsSupervisedFasttext(info)
               ? std::string(NameOf(ModelKind::kClassifier))
               : info.kind;
  }
  if (slot != nullptr && kind != NameOf(slot->kind)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected a file of kind \"", NameOf(slot->kind),
                     "\", found a file of kind \"", kind, "\""));
  }
  // The vectors of its tags.
  if (kind == "document vectors")
    kind = std::string(NameOf(ModelKind::kVectors));
  if (kind == NameOf(ModelKind::kVectors)) {
    FIRTH_ASSIGN_OR_RETURN(model.content, OpenVectors(path, slot, search));
  } else if (kind == NameOf(ModelKind::kLanguageModel)) {
    FIRTH_ASSIGN_OR_RETURN(Contextualizer loaded, Contextualizer::Load(path));
    model.content = std::make_shared<OpenedLanguageModel>(std::move(loaded));
  } else if (kind == NameOf(ModelKind::kTagger)) {
    FIRTH_ASSIGN_OR_RETURN(model.content, OpenTagger(path));
  } else if (kind == NameOf(ModelKind::kClassifier)) {
    FIRTH_ASSIGN_OR_RETURN(Classifier loaded, Classifier::Load(path));
    model.content = std::make_shared<Classifier>(std::move(loaded));
  } else if (kind == NameOf(ModelKind::kSeq2Seq)) {
    FIRTH_ASSIGN_OR_RETURN(Seq2Seq loaded, Seq2Seq::Load(path));
    model.content = std::make_shared<OpenedSeq2Seq>(std::move(loaded));
  } else {
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        ": expected vectors, a language model, a tagger, a classifier or a "
        "sequence-to-sequence model, found a file of kind \"",
        kind, "\""));
  }
  return model;
}

}  // namespace firth::tools
