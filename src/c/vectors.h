// Word vectors behind a handle.

#ifndef FIRTH_C_VECTORS_H_
#define FIRTH_C_VECTORS_H_

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "firth/firth.h"
#include "firth/opened.h"
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

namespace firth::c {

// Whether a training can start from vectors that may have been opened without a
// look at them. Errors: InvalidArgument with the name of the argument, a word
// that stands twice, a value that is not finite, rows that are no floats.
absl::Status CheckLearnable(absl::string_view argument,
                            const FirthVectors& vectors);

}  // namespace firth::c

#endif  // FIRTH_C_VECTORS_H_
