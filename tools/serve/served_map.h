// Maps of the service: the words of a map, their positions by one or several
// methods, and facts about them.

#ifndef FIRTH_TOOLS_SERVE_SERVED_MAP_H_
#define FIRTH_TOOLS_SERVE_SERVED_MAP_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/layout.h"
#include "firth/opened.h"
#include "firth/progress.h"
#include "serve/word_labels.h"

namespace firth::tools {

// Text that responses share, because a map is sent many times.
using SharedText = std::shared_ptr<const std::string>;

inline SharedText Share(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

// The positions of all words by one method.
struct ServedLayout {
  std::string method;           // Such as "umap"; "" if it is not known.
  std::vector<float> points;    // Coordinates x and y of each word.
  std::array<float, 4> bounds;  // Minimum x and y, maximum x and y.
  std::vector<MapCluster> clusters;
  SharedText bytes;  // The points as little-endian float32.
};

class ServedMap {
 public:
  // Prepares a map for serving; words are in descending order of their counts.
  // `vectors` are needed for further methods, and may be null. Errors:
  // InvalidArgument, a word with a line end.
  static absl::StatusOr<std::shared_ptr<ServedMap>> Create(
      const WordMap& map, std::shared_ptr<const OpenedVectors> vectors);

  // A copy shares the layouts that were computed.
  ServedMap(const ServedMap& other);
  ServedMap& operator=(const ServedMap&) = delete;

  // Adds columns of facts about the words. Errors: InvalidArgument, two columns
  // have the same name.
  absl::Status AddColumns(std::vector<LabelColumn> columns);

  // Returns a checksum of the words, counts, positions, columns and vectors,
  // which is the same in all processes that serve the same files. Answers of
  // maps with the same version belong together.
  const std::string& version() const { return version_; }
  // Returns whether the counts of the words are known.
  bool has_counts() const { return has_counts_; }

  const std::vector<std::string>& words() const { return words_; }
  const std::vector<uint64_t>& counts() const { return counts_; }
  const std::vector<LabelColumn>& columns() const { return columns_; }
  SharedText words_text() const { return words_text_; }  // One per line.
  // Little-endian float64, one per word; 0 if not known.
  SharedText counts_bytes() const { return counts_bytes_; }

  // Returns the methods that Layout() accepts, and those that were computed.
  std::vector<std::string> methods() const;
  std::vector<std::string> ready() const;
  // Returns the layout by a method, or that of the map if `method` is empty.
  // Computes it at the first call, which may take minutes. Thread-safe. Errors:
  // NotFound, no such method; InvalidArgument, a word without a vector;
  // Cancelled.
  absl::StatusOr<std::shared_ptr<const ServedLayout>> Layout(
      const std::string& method, const Hooks& hooks = {}) const;

 private:
  ServedMap() = default;
  void SetVersion();
  absl::StatusOr<ServedLayout> Compute(const std::string& method,
                                       const Hooks& hooks) const;

  std::vector<std::string> words_;
  std::vector<uint64_t> counts_;
  bool has_counts_ = false;
  std::vector<LabelColumn> columns_;
  std::string version_;
  SharedText words_text_;
  SharedText counts_bytes_;
  std::shared_ptr<const OpenedVectors> vectors_;
  std::shared_ptr<const ServedLayout> first_;
  mutable std::mutex mutex_;  // Guards layouts_.
  mutable std::mutex computing_;
  mutable std::map<std::string, std::shared_ptr<const ServedLayout>> layouts_;
};

// Returns the names of the methods that can be computed.
absl::Span<const absl::string_view> LayoutMethods();

// Returns the bytes of numbers, which are little-endian.
std::string BytesOf(const std::vector<float>& values);

// Returns the indexes of the most frequent words in a rectangle, including its
// boundary, at most `limit`.
std::vector<size_t> WordsWithin(const ServedLayout& layout,
                                const std::array<double, 4>& bounds,
                                size_t limit);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_SERVED_MAP_H_
