// Builds an index from texts. Words are counted and numbered by frequency. Then
// word n-grams are added, one length after another, because those of one length
// extend the kept ones of the length before. Last come the character n-grams of
// the words that are kept.

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/parallel_exceptions.h"
#include "base/threads.h"
#include "classify/features/feature_index.h"
#include "classify/features/feature_index_body.h"
#include "firth/status_macros.h"

namespace firth {

class FeatureIndexBuilder {
 public:
  FeatureIndexBuilder(absl::Span<const LabelledText> texts,
                      const ClassifierOptions& options, const Hooks& hooks,
                      absl::Span<const absl::string_view> more_words)
      : texts_(texts),
        more_words_(more_words),
        min_count_(options.min_count),
        threads_(NumThreads(options.threads)),
        hooks_(hooks),
        body_(std::make_shared<FeatureIndex::Body>()) {
    body_->parts.options = FeaturesOf(options);
  }

  absl::StatusOr<FeatureIndex> Build(FeatureBags* bags) {
    FIRTH_RETURN_IF_ERROR(ReadTokens());
    FIRTH_RETURN_IF_ERROR(NumberWords());
    if (!options().hashing) {
      nodes_ = tokens_;
      for (uint64_t n = 2; n <= options().word_ngrams; ++n) {
        FIRTH_RETURN_IF_ERROR(AddWordNgrams(n));
      }
      nodes_ = {};
      FIRTH_RETURN_IF_ERROR(AddCharacterNgrams());
    }
    body_->SetWordCharacters();
    FIRTH_RETURN_IF_ERROR(CheckRows(options().hashing ? options().buckets : 0));
    FIRTH_RETURN_IF_ERROR(ReadBags(bags));
    return FeatureIndex(std::move(body_));
  }

 private:
  const FeatureOptions& options() const { return body_->parts.options; }
  FeatureParts& parts() { return body_->parts; }

  absl::Status CheckStop() const {
    if (!hooks_.StopRequested()) return absl::OkStatus();
    return absl::CancelledError("reading the texts was stopped");
  }

  absl::Status CheckRows(uint64_t more) const {
    const FeatureParts& parts = body_->parts;
    const uint64_t rows = parts.words.size() + parts.word_ngrams.size() +
                          parts.character_ngrams.size() + more;
    if (rows < kNoFeature) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        absl::StrCat("the texts have ", rows,
                     " words and n-grams, but fewer than 2^32 - 1 are allowed; "
                     "use a higher min-count"));
  }

  // Reads all tokens. Words are numbered by first appearance here.
  absl::Status ReadTokens() {
    TokenRoom room;
    ends_.reserve(texts_.size());
    for (const LabelledText& text : texts_) {
      FIRTH_RETURN_IF_ERROR(CheckStop());
      ForEachToken(options(), text.text, &room, [&](absl::string_view token) {
        const auto [found, is_new] = first_ids_.try_emplace(
            token, static_cast<uint32_t>(counts_.size()));
        if (is_new) counts_.push_back(0);
        ++counts_[found->second];
        tokens_.push_back(found->second);
      });
      ends_.push_back(tokens_.size());
    }
    const uint64_t line_ends = options().hashing ? texts_.size() : 0;
    if (tokens_.size() > line_ends) return absl::OkStatus();
    return absl::InvalidArgumentError("the texts contain no words");
  }

  absl::Status NumberWords() {
    std::vector<const std::string*> words(counts_.size());
    for (const auto& [word, id] : first_ids_) words[id] = &word;
    std::vector<uint32_t> order(counts_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return counts_[a] > counts_[b];
    });
    while (!order.empty() && counts_[order.back()] < min_count_) {
      order.pop_back();
    }
    if (order.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("no word occurs ", min_count_,
                       " times (min-count); use a smaller min-count"));
    }
    std::vector<uint32_t> new_ids(counts_.size(), kNoFeature);
    std::vector<uint64_t> counts;
    for (const uint32_t old : order) {
      new_ids[old] = static_cast<uint32_t>(parts().words.size());
      parts().words.push_back(*words[old]);
      counts.push_back(counts_[old]);
    }
    counts_ = std::move(counts);
    for (const absl::string_view word : more_words_) {
      const auto found = first_ids_.find(word);
      if (found == first_ids_.end()) {
        parts().words.emplace_back(word);
      } else if (new_ids[found->second] == kNoFeature) {
        new_ids[found->second] = static_cast<uint32_t>(parts().words.size());
        parts().words.emplace_back(word);
      }
    }
    first_ids_ = {};
    for (uint32_t& id : tokens_) id = new_ids[id];
    return body_->SetRows();
  }

  // For each token, nodes_ contains the row of the n-gram of length - 1 that
  // starts there, or kNoFeature if there is none.
  absl::Status AddWordNgrams(uint64_t length) {
    FIRTH_RETURN_IF_ERROR(CheckStop());
    absl::flat_hash_map<uint64_t, uint32_t> numbers;
    std::vector<FeatureParts::WordNgram> found;
    std::vector<uint64_t> counts;
    ForEachNgram(length, [&](size_t at, uint32_t last) {
      const auto [place, is_new] = numbers.try_emplace(
          WordNgramKey(nodes_[at], last), static_cast<uint32_t>(counts.size()));
      if (is_new) {
        found.push_back({nodes_[at], last});
        counts.push_back(0);
      }
      ++counts[place->second];
      nodes_[at] = place->second;
    });
    const auto first = static_cast<uint32_t>(parts().words.size() +
                                             parts().word_ngrams.size());
    std::vector<uint32_t> rows(counts.size(), kNoFeature);
    uint32_t row = first;
    for (size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] < min_count_) continue;
      rows[i] = row++;
      parts().word_ngrams.push_back(found[i]);
      body_->word_ngrams.emplace(WordNgramKey(found[i].prefix, found[i].last),
                                 rows[i]);
    }
    for (uint32_t& node : nodes_) {
      if (node != kNoFeature) node = rows[node];
    }
    return CheckRows(0);
  }

  // Calls visit(start, last word) for the n-grams of this length whose prefixes
  // are known. Sets nodes_ of the others to kNoFeature.
  template <class Visit>
  void ForEachNgram(uint64_t length, Visit visit) {
    size_t begin = 0;
    for (const size_t end : ends_) {
      for (size_t at = begin; at < end; ++at) {
        if (nodes_[at] == kNoFeature) continue;
        const size_t last = at + length - 1;
        if (last < end && tokens_[last] != kNoFeature) {
          visit(at, tokens_[last]);
        } else {
          nodes_[at] = kNoFeature;
        }
      }
      begin = end;
    }
  }

  absl::Status AddCharacterNgrams() {
    FIRTH_RETURN_IF_ERROR(CheckStop());
    if (options().max_n == 0) return absl::OkStatus();
    absl::flat_hash_map<std::string, uint32_t> numbers;
    std::vector<uint64_t> counts;
    std::string marked;
    for (size_t word = 0; word < counts_.size(); ++word) {
      marked = absl::StrCat("<", parts().words[word], ">");
      ForEachNGramOfMarked(marked, static_cast<int>(options().min_n),
                           static_cast<int>(options().max_n),
                           /*marks_alone=*/false,
                           [&](absl::string_view n_gram) {
                             const auto [found, is_new] = numbers.try_emplace(
                                 n_gram, static_cast<uint32_t>(counts.size()));
                             if (is_new) counts.push_back(0);
                             counts[found->second] += counts_[word];
                           });
    }
    std::vector<const std::string*> texts(counts.size());
    for (const auto& [text, number] : numbers) texts[number] = &text;
    for (size_t i = 0; i < texts.size(); ++i) {
      if (counts[i] < min_count_) continue;
      parts().character_ngrams.push_back(*texts[i]);
    }
    auto row = static_cast<uint32_t>(parts().words.size() +
                                     parts().word_ngrams.size());
    body_->characters.Reserve(parts().character_ngrams.size());
    for (const std::string& text : parts().character_ngrams) {
      body_->characters.Add(TextKey(text), row++);
    }
    return CheckRows(0);
  }

  // Reads blocks of texts with all threads, and joins them in order.
  absl::Status ReadBags(FeatureBags* bags) const {
    std::vector<FeatureBags> blocks((texts_.size() + kBlockTexts - 1) /
                                    kBlockTexts);
    ParallelExceptions exceptions;
#pragma omp parallel num_threads(threads_)
    exceptions.Catch([&] {
      FeatureIndex::Reader::Body reader(*body_, Repeats::kCounted);
#pragma omp for schedule(dynamic, 1) nowait
      for (size_t i = 0; i < blocks.size(); ++i) {
        if (!hooks_.StopRequested()) ReadBlock(i, &reader, &blocks[i]);
      }
    });
    exceptions.Rethrow();
    FIRTH_RETURN_IF_ERROR(CheckStop());
    *bags = {};
    uint64_t features = 0;
    for (const FeatureBags& block : blocks) features += block.features.size();
    bags->features.reserve(features);
    bags->begins.reserve(texts_.size() + 1);
    bags->tokens.reserve(texts_.size());
    for (FeatureBags& block : blocks) {
      bags->Append(block);
      block = {};
    }
    return absl::OkStatus();
  }

  void ReadBlock(size_t block, FeatureIndex::Reader::Body* reader,
                 FeatureBags* bags) const {
    const size_t end = std::min(texts_.size(), (block + 1) * kBlockTexts);
    for (size_t i = block * kBlockTexts; i < end; ++i) {
      const size_t begin = i == 0 ? 0 : ends_[i - 1];
      const auto ids =
          absl::MakeConstSpan(tokens_).subspan(begin, ends_[i] - begin);
      // With hashing, n-grams may contain words without a row.
      bags->Add(options().hashing ? reader->Read(texts_[i].text)
                                  : reader->ReadIds(ids),
                ids.size());
    }
  }

  static constexpr size_t kBlockTexts = 256;

  const absl::Span<const LabelledText> texts_;
  const absl::Span<const absl::string_view> more_words_;
  const uint64_t min_count_;
  const int threads_;
  const Hooks& hooks_;
  std::shared_ptr<FeatureIndex::Body> body_;
  absl::flat_hash_map<std::string, uint32_t> first_ids_;
  std::vector<uint64_t> counts_;  // of the words in the texts
  std::vector<uint32_t> tokens_;  // of all texts, in order
  std::vector<size_t> ends_;      // of each text, in tokens_
  std::vector<uint32_t> nodes_;
};

absl::StatusOr<FeatureIndex> FeatureIndex::Build(
    absl::Span<const LabelledText> texts, const ClassifierOptions& options,
    const Hooks& hooks, FeatureBags* bags,
    absl::Span<const absl::string_view> more_words) {
  if (options.split_punctuation) FIRTH_RETURN_IF_ERROR(LoadWordBoundaries());
  return FeatureIndexBuilder(texts, options, hooks, more_words).Build(bags);
}

}  // namespace firth
