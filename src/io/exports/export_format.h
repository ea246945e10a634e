// ExportFormat: one form that vectors are written in for another tool.

#ifndef FIRTH_IO_EXPORTS_EXPORT_FORMAT_H_
#define FIRTH_IO_EXPORTS_EXPORT_FORMAT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/word_vectors.h"

namespace firth {

// The words that are written, in order, with their vectors.
struct ExportedWords {
  const WordVectors& vectors;
  std::vector<WordId> ids;
  bool has_counts = false;

  // A word as it is written.
  struct Row {
    size_t number;  // from 0
    absl::string_view word;
    uint64_t count;
    absl::Span<const float> vector;  // [dim]
  };
  // Calls write(row) for each word until it fails. Errors: its own, and
  // InvalidArgument, a value that is not finite.
  template <class Write>
  absl::Status ForEach(const Write& write) const {
    std::vector<float> vector(vectors.dim());
    for (size_t i = 0; i < ids.size(); ++i) {
      vectors.CopyVector(ids[i], absl::MakeSpan(vector));
      const Vocabulary& vocabulary = vectors.vocabulary();
      const Row row = {i, vocabulary.Word(ids[i]), vocabulary.Count(ids[i]),
                       vector};
      absl::Status status = CheckFiniteRow(row);
      if (status.ok()) status = write(row);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  static absl::Status CheckFiniteRow(const Row& row);
};

struct ExportFormat {
  absl::string_view name;
  absl::string_view extension;
  absl::Span<const absl::string_view> files = {};  // of a folder
  absl::string_view summary;
  size_t most_dimensions;  // that a vector may have
  // Says what of the word the format cannot hold, as "a line end in a word";
  // null: nothing.
  const char* (*refused_in_word)(absl::string_view word);
  absl::Status (*write)(const ExportedWords& words, const std::string& path);
};

// The values with `separator` between them, each with as few digits as give
// back every bit.
void AppendValues(absl::Span<const float> values, absl::string_view separator,
                  std::string* text);

}  // namespace firth

#endif  // FIRTH_IO_EXPORTS_EXPORT_FORMAT_H_
