#include "train/sentence_reader.h"

namespace firth {
namespace {

// Maximum number of centers in a run: enough to make the cost of starting one
// negligible, few enough that the learning rate of a run is current.
constexpr size_t kMostCenters = 1000;

}  // namespace

SentenceReader::SentenceReader(const TokenStream& stream,
                               const Subsampler& subsampler, StreamPiece piece,
                               uint64_t epoch_key, size_t window,
                               const SentenceRows* rows)
    : tokens_(stream.tokens()),
      subsampler_(subsampler),
      first_position_(stream.place().first_position),
      epoch_key_(epoch_key),
      window_(window),
      rows_(rows) {
  Start(piece);
}

bool SentenceReader::Next(WordRun* run) {
  do {
    if (position_ >= end_) return false;
    run->words.clear();
    run->keys.clear();
    AddContextBefore(position_, run);
    if (rows_ != nullptr) run->rows = rows_->RowsOf(sentence_);
    AddCenters(run);
  } while (run->first_center == run->end_center);
  AddContextAfter(run);
  return true;
}

void SentenceReader::AddContextBefore(uint64_t position, WordRun* run) const {
  while (position > 0 && run->words.size() < window_) {
    --position;
    const uint32_t token = tokens_[position];
    if (token == TokenStream::kSentenceEnd) break;
    const uint64_t key = KeyAt(position);
    if (!Keeps(token, key)) continue;
    run->words.push_back(ToWordId(token));
    run->keys.push_back(key);
  }
  std::reverse(run->words.begin(), run->words.end());
  std::reverse(run->keys.begin(), run->keys.end());
  run->first_center = run->words.size();
}

// Every word is written, and the next one replaces it if it is dropped: a
// branch would be mispredicted for many frequent words.
void SentenceReader::AddCenters(WordRun* run) {
  words_.resize(kMostCenters);
  keys_.resize(kMostCenters);
  WordId* const words = words_.data();
  uint64_t* const keys = keys_.data();
  size_t count = 0;
  uint64_t position = position_;
  bool at_end = false;
  while (position < end_ && count < kMostCenters) {
    const uint32_t token = tokens_[position];
    at_end = token == TokenStream::kSentenceEnd;
    if (at_end) break;
    const uint64_t key = KeyAt(position);
    words[count] = ToWordId(token);
    keys[count] = key;
    count += Keeps(token, key) ? 1 : 0;
    ++position;
  }
  words_read_ += position - position_;
  position_ = position + (at_end ? 1 : 0);
  sentence_ += at_end ? 1 : 0;
  run->words.insert(run->words.end(), words, words + count);
  run->keys.insert(run->keys.end(), keys, keys + count);
  run->end_center = run->words.size();
}

void SentenceReader::AddContextAfter(WordRun* run) const {
  if (tokens_[position_ - 1] == TokenStream::kSentenceEnd) return;
  const size_t most = run->end_center + window_;
  for (uint64_t position = position_;
       position < tokens_.size() && run->words.size() < most; ++position) {
    const uint32_t token = tokens_[position];
    if (token == TokenStream::kSentenceEnd) break;
    const uint64_t key = KeyAt(position);
    if (!Keeps(token, key)) continue;
    run->words.push_back(ToWordId(token));
    run->keys.push_back(key);
  }
}

}  // namespace firth
