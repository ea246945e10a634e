#include "lm/text_rows.h"

#include <algorithm>

#include "base/check.h"
#include "lm/language_model_options.h"

namespace firth {

TextRows::TextRows(const TokenStream& text, uint32_t first_word,
                   size_t most_rows, bool whole)
    : text_(text), first_word_(first_word), marks_(whole ? 2 : 1) {
  starts_.push_back(0);
  for (uint64_t at = 0; at < text.tokens().size(); ++at) {
    if (text.tokens()[at] == TokenStream::kSentenceEnd) {
      starts_.push_back(at + 1);
    }
  }
  const size_t sentences = starts_.size() - 1;
  FIRTH_CHECK(sentences > 0);
  // One step per word and one for the following mark, by which the text is cut.
  tokens_ = starts_.back();
  const size_t rows = std::min(most_rows, sentences);
  size_t begin = 0;
  for (size_t row = 0; row < rows; ++row) {
    const uint64_t border = tokens_ * (row + 1) / rows;
    const auto after = static_cast<size_t>(
        std::lower_bound(starts_.begin(), starts_.end(), border) -
        starts_.begin());
    const size_t end =
        std::clamp(after, begin + 1, sentences - (rows - 1 - row));
    cursors_.push_back({begin, end, begin, 0});
    begin = end;
  }
  tokens_ += (marks_ - 1) * sentences;
}

uint32_t TextRows::Token(size_t sentence, size_t i) const {
  if (i == 0) return kBeginSentenceId;
  if (i == Length(sentence) + 1) return kEndSentenceId;
  return text_.tokens()[starts_[sentence] + i - 1] + first_word_;
}

void TextRows::Fill(size_t steps, TextChunk* chunk) {
  for (TextChunk::Side* side : {&chunk->forward, &chunk->backward}) {
    side->inputs.resize(steps * rows());
    side->targets.resize(steps * rows());
  }
  for (size_t b = 0; b < rows(); ++b) {
    Cursor& cursor = cursors_[b];
    for (size_t t = 0; t < steps; ++t) {
      const size_t i = cursor.step;
      const size_t length = Length(cursor.sentence);
      const size_t row = t * rows() + b;
      chunk->forward.inputs[row] = Token(cursor.sentence, i);
      chunk->forward.targets[row] = Token(cursor.sentence, i + 1);
      const size_t mirrored = (steps - 1 - t) * rows() + b;
      chunk->backward.inputs[mirrored] = Token(cursor.sentence, length + 1 - i);
      chunk->backward.targets[mirrored] = Token(cursor.sentence, length - i);
      Advance(&cursor);
    }
  }
}

void TextRows::Advance(Cursor* cursor) const {
  if (++cursor->step < Steps(cursor->sentence)) return;
  cursor->step = 0;
  if (++cursor->sentence == cursor->end) cursor->sentence = cursor->begin;
}

void TextRows::FillWhole(size_t steps, std::vector<uint32_t>* ids) {
  FIRTH_CHECK(marks_ == 2);
  ids->clear();
  for (Cursor& cursor : cursors_) {
    for (size_t t = 0; t < steps; ++t) {
      ids->push_back(Token(cursor.sentence, cursor.step));
      Advance(&cursor);
    }
  }
}

std::vector<uint64_t> TextRows::Positions() const {
  std::vector<uint64_t> positions;
  for (const Cursor& cursor : cursors_) {
    positions.push_back(cursor.sentence);
    positions.push_back(cursor.step);
  }
  return positions;
}

bool TextRows::SetPositions(const std::vector<uint64_t>& positions) {
  if (positions.size() != 2 * rows()) return false;
  for (size_t b = 0; b < rows(); ++b) {
    Cursor& cursor = cursors_[b];
    const uint64_t sentence = positions[2 * b];
    const uint64_t step = positions[2 * b + 1];
    if (sentence < cursor.begin || sentence >= cursor.end ||
        step >= Steps(sentence)) {
      return false;
    }
    cursor.sentence = sentence;
    cursor.step = step;
  }
  return true;
}

}  // namespace firth
