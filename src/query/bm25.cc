#include "query/bm25.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "base/unicode.h"

namespace firth {
namespace {

bool IsPartOfWord(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         static_cast<unsigned char>(c) >= 0x80;
}

void ForEachWord(absl::string_view text,
                 absl::FunctionRef<void(absl::string_view word)> visit) {
  const std::string folded = Lowercase(text);
  const absl::string_view rest = folded;
  for (size_t at = 0; at < rest.size();) {
    while (at < rest.size() && !IsPartOfWord(rest[at])) ++at;
    const size_t begin = at;
    while (at < rest.size() && IsPartOfWord(rest[at])) ++at;
    if (at > begin) visit(rest.substr(begin, at - begin));
  }
}

}  // namespace

Bm25::Bm25(absl::Span<const std::string> documents, const Bm25Options& options)
    : documents_(documents.size()) {
  std::vector<uint64_t> lengths(documents.size());
  for (uint32_t i = 0; i < documents.size(); ++i) {
    ForEachWord(documents[i], [&](absl::string_view word) {
      ++lengths[i];
      std::vector<Posting>& postings = postings_[word];
      if (postings.empty() || postings.back().document != i) {
        postings.push_back({i, 0});
      }
      ++postings.back().weight;  // The number of occurrences, for now.
    });
  }
  const auto count = static_cast<double>(documents.size());
  const double mean_length = static_cast<double>(std::accumulate(
                                 lengths.begin(), lengths.end(), uint64_t{0})) /
                             count;
  for (auto& [word, postings] : postings_) {
    const auto n = static_cast<double>(postings.size());
    const double idf = std::log1p((count - n + 0.5) / (n + 0.5));
    for (Posting& posting : postings) {
      const double tf = posting.weight;
      const double length =
          static_cast<double>(lengths[posting.document]) / mean_length;
      posting.weight = static_cast<float>(
          idf * tf / (tf + options.k1 * (1 - options.b + options.b * length)));
    }
  }
}

std::vector<double> Bm25::Scores(absl::string_view query) const {
  std::vector<double> scores(documents_);
  ForEachWord(query, [&](absl::string_view word) {
    const auto found = postings_.find(word);
    if (found == postings_.end()) return;
    for (const Posting& posting : found->second) {
      scores[posting.document] += posting.weight;
    }
  });
  return scores;
}

}  // namespace firth
