// The last part of the demo: vectors in context tell two senses of a word
// apart.

#ifndef FIRTH_TOOLS_DEMO_DEMO_SENSES_H_
#define FIRTH_TOOLS_DEMO_DEMO_SENSES_H_

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "firth/word_vectors.h"

namespace firth::tools {

// Trains a small language model on the beginning of the demo's corpus, above
// its word vectors, and shows how alike an ambiguous word is in four sentences.
// Errors: those of training; Cancelled, `stop` was set.
absl::Status ShowSenses(absl::string_view corpus, const WordVectors& vectors,
                        uint64_t seed, int threads,
                        const std::atomic<bool>* stop);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_DEMO_DEMO_SENSES_H_
