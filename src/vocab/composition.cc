#include "vocab/composition.h"

#include <algorithm>

namespace firth {

Composition::Composition(const Vocabulary& vocabulary,
                         const SubwordIndex& index) {
  begins_.reserve(vocabulary.size() + 1);
  begins_.push_back(0);
  const bool own = WordsHaveRows(index.options());
  const auto before =
      static_cast<uint32_t>(own ? vocabulary.size() : size_t{0});
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    if (own) rows_.push_back(static_cast<uint32_t>(i));
    const size_t first = rows_.size();
    index.AppendRows(vocabulary.Word(ToWordId(i)), &rows_);
    for (size_t at = first; at < rows_.size(); ++at) rows_[at] += before;
    most_rows_ = std::max(most_rows_, rows_.size() - begins_.back());
    begins_.push_back(rows_.size());
  }
}

}  // namespace firth
