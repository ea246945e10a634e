// ExportFormat: a form in which vectors are written for another tool.

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

// The words to write, in order, with their vectors.
struct ExportedWords {
  const WordVectors& vectors;
  std::vector<WordId> ids;
  bool has_counts = false;

  // A word and its data to write.
  struct Row {
    size_t number;  // Counted from 0.
    absl::string_view word;
    uint64_t count;
    absl::Span<const float> vector;  // [dim]
  };
  // Calls write(row) for each word until a call fails. Errors: those of
  // write(), and InvalidArgument, a value that is not finite.
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
  // Names of the files of a folder.
  absl::Span<const absl::string_view> files = {};
  absl::string_view summary;
  size_t most_dimensions;  // Maximum dimensions of a vector.
  // Returns what part of the word the format cannot store, such as "a line end
  // in a word", or null if it can store the word.
  const char* (*refused_in_word)(absl::string_view word);
  absl::Status (*write)(const ExportedWords& words, const std::string& path);
};

// Appends the values, separated by `separator`, each with the fewest digits
// that preserve every bit.
void AppendValues(absl::Span<const float> values, absl::string_view separator,
                  std::string* text);

}  // namespace firth

#endif  // FIRTH_IO_EXPORTS_EXPORT_FORMAT_H_
