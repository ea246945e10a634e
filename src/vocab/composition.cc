#include "vocab/composition.h"

#include <algorithm>
#include <numeric>

namespace firth {

Composition::Composition(const Vocabulary& vocabulary,
                         const SubwordIndex& index) {
  begins_.reserve(vocabulary.size() + 1);
  begins_.push_back(0);
  own_rows_ = WordsHaveRows(index.options()) ? 1 : 0;
  const auto before = static_cast<uint32_t>(own_rows_ * vocabulary.size());
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    if (own_rows_ == 1) rows_.push_back(static_cast<uint32_t>(i));
    const size_t first = rows_.size();
    index.AppendRows(vocabulary.Word(ToWordId(i)), &rows_);
    for (size_t at = first; at < rows_.size(); ++at) rows_[at] += before;
    most_rows_ = std::max(most_rows_, rows_.size() - begins_.back());
    begins_.push_back(rows_.size());
  }
}

Composition::Composition(size_t num_words)
    : rows_(num_words), begins_(num_words + 1), most_rows_(1) {
  std::iota(rows_.begin(), rows_.end(), 0);
  std::iota(begins_.begin(), begins_.end(), 0);
}

}  // namespace firth
