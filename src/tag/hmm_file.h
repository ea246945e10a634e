// The file of a hidden Markov model: a .safetensors (see
// io/tensors/checked_tensors.h) with
//
//   tags       U8 [bytes]        the tags, '\n' after each; T of them
//   words      U8 [bytes]        the known words, likewise
//   endings    U8 [bytes]        endings of words, likewise
//   unigrams   F32 [1, T + 1]    P(c)
//   bigrams    T + 1 rows        P(c | b)
//   trigrams   a row for each value of bigrams, P(c | a, b)
//   emissions  a row for each word, p(word | tag)
//   ending_tags
//              a row for each ending, P(t | ending)
//
// where the rows of NAME are three tensors:
//
//   NAME          F32 [1, values]
//   NAME.tags     U32 [values]    increasing in each row
//   NAME.offsets  U32 [rows + 1]  where each row begins
//
// The metadata "hmm" is {"version": 1, "weights": [l1, l2, l3],
// "ending_weight": q}.

#ifndef FIRTH_TAG_HMM_FILE_H_
#define FIRTH_TAG_HMM_FILE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/file_info.h"
#include "tag/hmm_model.h"

namespace firth {

// Rounds the probabilities to those that a file contains, so that the model
// gives the same tags as its file.
void RoundForFile(HmmModel* model);

// Writes the file, whole or not at all.
absl::Status SaveHmm(const HmmModel& model, const std::string& path);

// Reads a model and checks that it is consistent. Returns nothing for another
// kind of file. Errors: DataLoss and InvalidArgument, with the tensor.
absl::StatusOr<std::optional<HmmModel>> LoadIfHmm(const MappedFilePtr& file);

// Describes a model for DescribeFile(). Returns nothing for other files.
absl::StatusOr<std::optional<FileInfo>> DescribeHmm(const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_TAG_HMM_FILE_H_
