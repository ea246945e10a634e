// The models that handles of the C interface refer to.

#ifndef FIRTH_C_MODELS_H_
#define FIRTH_C_MODELS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "firth/classifier.h"
#include "firth/firth.h"
#include "firth/opened.h"
#include "firth/query.h"

struct FirthSearch {
  static constexpr absl::string_view kName = "FirthSearch";
  explicit FirthSearch(firth::NearestNeighbors its_neighbors)
      : neighbors(std::move(its_neighbors)) {}

  size_t size() const { return neighbors.vectors().size(); }
  size_t dim() const { return neighbors.vectors().dim(); }

  firth::NearestNeighbors neighbors;
};

struct FirthLanguageModel : firth::OpenedLanguageModel {
  static constexpr absl::string_view kName = "FirthLanguageModel";
  using firth::OpenedLanguageModel::OpenedLanguageModel;
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

struct FirthClassifier {
  static constexpr absl::string_view kName = "FirthClassifier";
  explicit FirthClassifier(firth::Classifier its_classifier)
      : classifier(std::move(its_classifier)) {}

  firth::Classifier classifier;
};

#endif  // FIRTH_C_MODELS_H_
