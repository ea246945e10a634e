// A corpus behind a handle.

#ifndef FIRTH_C_CORPUS_H_
#define FIRTH_C_CORPUS_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "c/vectors.h"
#include "firth/corpus.h"
#include "firth/firth.h"

struct FirthCorpus {
  static constexpr absl::string_view kName = "FirthCorpus";

  firth::Corpus corpus;
  firth::CorpusOptions reading;  // how it was read, without its text
  std::shared_ptr<const FirthVectors>
      update;  // the model that goes on, or null
};

#endif  // FIRTH_C_CORPUS_H_
