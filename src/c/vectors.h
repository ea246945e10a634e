// Word vectors behind a handle.

#ifndef FIRTH_C_VECTORS_H_
#define FIRTH_C_VECTORS_H_

#include <utility>

#include "absl/strings/string_view.h"
#include "firth/firth.h"
#include "firth/vector_io.h"
#include "firth/vocabulary.h"
#include "firth/word_vectors.h"

struct FirthVectors {
  static constexpr absl::string_view kName = "FirthVectors";
  explicit FirthVectors(firth::VectorFile its_file)
      : file(std::move(its_file)) {}

  const firth::WordVectors& vectors() const { return file.vectors; }
  const firth::Vocabulary& vocabulary() const {
    return file.vectors.vocabulary();
  }

  firth::VectorFile file;
};

#endif  // FIRTH_C_VECTORS_H_
