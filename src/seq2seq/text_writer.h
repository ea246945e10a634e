// Writes texts with a sequence-to-sequence model.

#ifndef FIRTH_SEQ2SEQ_TEXT_WRITER_H_
#define FIRTH_SEQ2SEQ_TEXT_WRITER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/progress.h"
#include "firth/seq2seq.h"
#include "seq2seq/seq2seq_model.h"

namespace firth {

// Returns the results for each source; see Seq2Seq::Translate(). All sources
// are searched for at once, and none is empty.
absl::StatusOr<std::vector<std::vector<Seq2SeqResult>>> WriteTexts(
    const Seq2SeqModel& model,
    absl::Span<const std::vector<std::string>* const> sources,
    const Seq2SeqSearch& options, const Hooks& hooks);

}  // namespace firth

#endif  // FIRTH_SEQ2SEQ_TEXT_WRITER_H_
