#include "firth/vocabulary.h"

#include <limits>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace firth {

// All words stand one after another in one block of bytes; the index refers to
// it, so a body never moves.
struct Vocabulary::Body {
  std::string bytes;
  std::vector<uint64_t> begins;  // [size + 1], offsets in bytes
  std::vector<uint64_t> counts;  // [size]
  uint64_t total_count = 0;
  absl::flat_hash_map<absl::string_view, WordId> index;
};

Vocabulary::Vocabulary() : Vocabulary(std::make_shared<Body>()) {}

Vocabulary::Vocabulary(std::shared_ptr<const Body> body)
    : body_(std::move(body)) {}

absl::StatusOr<Vocabulary> Vocabulary::Create(
    absl::Span<const absl::string_view> words, std::vector<uint64_t> counts) {
  if (words.size() >= std::numeric_limits<uint32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected fewer than 2^32 - 1 words, found ", words.size()));
  }
  if (counts.empty()) counts.resize(words.size(), 0);
  if (counts.size() != words.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected ", words.size(), " counts, found ", counts.size()));
  }
  auto body = std::make_shared<Body>();
  body->begins.reserve(words.size() + 1);
  body->begins.push_back(0);
  for (const absl::string_view word : words) {
    body->begins.push_back(body->begins.back() + word.size());
  }
  body->bytes.reserve(body->begins.back());
  for (const absl::string_view word : words) {
    body->bytes.append(word.data(), word.size());
  }
  body->index.reserve(words.size());
  for (size_t i = 0; i < words.size(); ++i) {
    const absl::string_view word(body->bytes.data() + body->begins[i],
                                 words[i].size());
    const auto [position, inserted] = body->index.emplace(word, ToWordId(i));
    if (!inserted) {
      return absl::InvalidArgumentError(
          absl::StrCat("entry ", i, ": duplicate word \"", word,
                       "\", first at entry ", Index(position->second)));
    }
  }
  body->total_count =
      std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  body->counts = std::move(counts);
  return Vocabulary(std::move(body));
}

size_t Vocabulary::size() const { return body_->counts.size(); }

absl::string_view Vocabulary::Word(WordId word) const {
  const uint64_t begin = body_->begins[Index(word)];
  const uint64_t end = body_->begins[Index(word) + 1];
  return {body_->bytes.data() + begin, end - begin};
}

std::optional<WordId> Vocabulary::Find(absl::string_view word) const {
  const auto position = body_->index.find(word);
  if (position == body_->index.end()) return std::nullopt;
  return position->second;
}

uint64_t Vocabulary::Count(WordId word) const {
  return body_->counts[Index(word)];
}

absl::Span<const uint64_t> Vocabulary::counts() const { return body_->counts; }

uint64_t Vocabulary::total_count() const { return body_->total_count; }

}  // namespace firth
