// The objects that handles of the C interface refer to.

#ifndef FIRTH_C_MODELS_H_
#define FIRTH_C_MODELS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "firth/classifier.h"
#include "firth/corpus.h"
#include "firth/documents.h"
#include "firth/firth.h"
#include "firth/opened.h"
#include "firth/query.h"
#include "firth/vector_io.h"
#include "firth/vocabulary.h"
#include "firth/word_vectors.h"

struct FirthVectors {
  static constexpr absl::string_view kName = "FirthVectors";
  explicit FirthVectors(firth::VectorFile its_file)
      : file(std::move(its_file)),
        opened(std::make_shared<const firth::OpenedVectors>(file.vectors,
                                                            file.metadata)) {}

  const firth::WordVectors& vectors() const { return file.vectors; }
  const firth::Vocabulary& vocabulary() const {
    return file.vectors.vocabulary();
  }

  firth::VectorFile file;
  // The same vectors, opened for questions. The searches that these create are
  // kept as long as the handle.
  std::shared_ptr<const firth::OpenedVectors> opened;
};

struct FirthSearch : firth::NearestNeighbors {
  static constexpr absl::string_view kName = "FirthSearch";
  explicit FirthSearch(firth::NearestNeighbors neighbors)
      : firth::NearestNeighbors(std::move(neighbors)) {}

  size_t size() const { return vectors().size(); }
  size_t dim() const { return vectors().dim(); }
};

struct FirthCorpus {
  static constexpr absl::string_view kName = "FirthCorpus";

  firth::Corpus corpus;
  // The options with which it was read, without its texts.
  firth::CorpusOptions reading;
  bool of_documents =
      false;  // Whether it was read for firth_documents_train().
  std::shared_ptr<const FirthVectors>
      update;  // The model to continue, or null.
};

struct FirthLanguageModel : firth::OpenedLanguageModel {
  static constexpr absl::string_view kName = "FirthLanguageModel";
  using firth::OpenedLanguageModel::OpenedLanguageModel;
};

struct FirthDocuments : firth::DocumentModel {
  static constexpr absl::string_view kName = "FirthDocuments";
  explicit FirthDocuments(firth::DocumentModel model)
      : firth::DocumentModel(std::move(model)) {}
};

struct FirthTagger : firth::OpenedTagger {
  static constexpr absl::string_view kName = "FirthTagger";
  explicit FirthTagger(firth::Tagger its_tagger)
      : firth::OpenedTagger(std::move(its_tagger)) {
    for (const std::string& tag : tagger.tags()) {
      positions.emplace(tag, static_cast<int32_t>(positions.size()));
    }
  }

  absl::flat_hash_map<std::string, int32_t> positions;  // Positions of tags.
};

struct FirthSeq2Seq : firth::OpenedSeq2Seq {
  static constexpr absl::string_view kName = "FirthSeq2Seq";
  using firth::OpenedSeq2Seq::OpenedSeq2Seq;
};

struct FirthClassifier : firth::Classifier {
  static constexpr absl::string_view kName = "FirthClassifier";
  explicit FirthClassifier(firth::Classifier classifier)
      : firth::Classifier(std::move(classifier)) {}
};

namespace firth::c {

// Checks that training can start from vectors, whose values may not have been
// checked when they were opened. Errors: InvalidArgument with the name of the
// argument: a duplicate word, a value that is not finite, rows that are not
// float32.
absl::Status CheckLearnable(absl::string_view argument,
                            const FirthVectors& vectors);

// Return the offsets of words and their counts in the form in which they are
// lent, which is that of the vocabulary: numbers below 2^63 have the same bits
// with a sign and without one.
inline const int64_t* OffsetsOf(const Vocabulary& vocabulary) {
  return reinterpret_cast<const int64_t*>(vocabulary.offsets().data());
}
inline const int64_t* CountsOf(const Vocabulary& vocabulary) {
  return reinterpret_cast<const int64_t*>(vocabulary.counts().data());
}

}  // namespace firth::c

#endif  // FIRTH_C_MODELS_H_
