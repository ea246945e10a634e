// BM25, which ranks documents by the words that they share with a query
// (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
// Beyond", 2009).
//
// The score of a document is the sum over the words of the query, each as often
// as it occurs there, of
//
//   idf * tf / (tf + k1 (1 - b + b length / mean length))   (equation 3.15)
//   idf = ln(1 + (N - n + 0.5) / (n + 0.5))
//
// with N documents, of which n contain the word tf times. The 1 in idf, as in
// Lucene, keeps words of more than half of the documents above 0.

#ifndef FIRTH_QUERY_BM25_H_
#define FIRTH_QUERY_BM25_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace firth {

struct Bm25Options {
  double k1 = 1.2;  // The higher, the more repetitions of a word count.
  double b = 0.75;  // Effect of the length of a document, 0 to 1.
};

class Bm25 {
 public:
  // Words are runs of letters and digits, in lower case. Characters beyond
  // ASCII count as letters. Words are not stemmed.
  explicit Bm25(absl::Span<const std::string> documents,
                const Bm25Options& options = {});

  size_t size() const { return documents_; }
  // Returns the scores of all documents [size()]. They are above 0 for
  // documents that have a word of the query, and 0 for all others. Thread-safe.
  std::vector<double> Scores(absl::string_view query) const;

 private:
  // An occurrence of a word in a document, with its share of the score.
  struct Posting {
    uint32_t document;
    float weight;
  };

  size_t documents_;
  absl::flat_hash_map<std::string, std::vector<Posting>> postings_;
};

}  // namespace firth

#endif  // FIRTH_QUERY_BM25_H_
