#include "lm/read/sentence_batch.h"

#include <algorithm>
#include <numeric>

namespace firth {
namespace {

// Maximum rows of a batch, which limits the memory for long sentences.
constexpr size_t kMostRows = 8192;

}  // namespace

std::vector<SentenceIds> IdsOf(
    absl::Span<const std::vector<absl::string_view>> sentences,
    TextWords* words) {
  std::vector<SentenceIds> ids(sentences.size());
  for (size_t i = 0; i < sentences.size(); ++i) {
    for (const absl::string_view token : sentences[i]) {
      ids[i].push_back(words->IdOf(token));
    }
  }
  return ids;
}

SentenceChunk LayOut(const LanguageModelOptions& options,
                     absl::Span<const SentenceIds> sentences,
                     absl::Span<const size_t> indices, ChunkWords* words) {
  const size_t first = FirstStep(options);
  SentenceChunk chunk;
  for (const size_t index : indices) {
    chunk.lengths.push_back(first + sentences[index].size() + 1);
  }
  const size_t size = indices.size();
  const size_t steps =
      *std::max_element(chunk.lengths.begin(), chunk.lengths.end());
  words->Clear();
  // Rows after the end of a sentence have no effect.
  chunk.word_of_row.assign(steps * size, words->Add(kEndSentenceId));
  for (size_t b = 0; b < size; ++b) {
    if (first > 0) chunk.word_of_row[b] = words->Add(kBeginSentenceId);
    size_t row = b + first * size;
    bool second = false;
    for (const uint32_t word : sentences[indices[b]]) {
      chunk.word_of_row[row] = words->Add(word);
      if (second) chunk.second_rows.push_back(static_cast<uint32_t>(row));
      second = second || word == kEndSentenceId;
      row += size;
    }
    if (second) chunk.second_rows.push_back(static_cast<uint32_t>(row));
  }
  return chunk;
}

void SentenceBatch::Set(absl::Span<const SentenceIds> sentences,
                        absl::Span<const size_t> indices) {
  indices_.assign(indices.begin(), indices.end());
  chunk_ = LayOut(model_.options(), sentences, indices, &words_);
  GatherRows(model_.encoder().Forward(words_.batch()), chunk_.word_of_row,
             &tokens_);
  if (model_.second_segment() == nullptr) return;
  const float* const segment = model_.second_segment()->value.Row(0);
  for (const uint32_t row : chunk_.second_rows) {
    nn::AddScaled(tokens_.cols(), 1.0f, segment, tokens_.Row(row));
  }
}

SentenceBatches::SentenceBatches(absl::Span<const SentenceIds> sentences,
                                 size_t most, bool keep_order)
    : sentences_(sentences), most_(most), order_(sentences.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  if (keep_order) return;
  std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
    return sentences[a].size() < sentences[b].size();
  });
}

bool SentenceBatches::Next(SentenceBatch* batch) {
  if (next_ == order_.size()) return false;
  size_t end = next_ + 1;
  size_t longest = sentences_[order_[next_]].size() + 2;
  for (; end < order_.size() && end - next_ < most_; ++end) {
    longest = std::max(longest, sentences_[order_[end]].size() + 2);
    if (longest * (end + 1 - next_) > kMostRows) break;
  }
  batch->Set(sentences_,
             absl::MakeConstSpan(order_).subspan(next_, end - next_));
  next_ = end;
  return true;
}

}  // namespace firth
