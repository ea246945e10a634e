#include "train/rounds/slice_log.h"

#include <algorithm>

namespace firth {

void RowLog::Sort() {
  ends_.fill(0);
  const auto entries = absl::MakeConstSpan(entries_).first(size_);
  for (const Entry& entry : entries) ++ends_[entry.row % kPartitions + 1];
  for (size_t p = 0; p < kPartitions; ++p) ends_[p + 1] += ends_[p];
  std::array<uint32_t, kPartitions> next;
  std::copy_n(ends_.begin(), kPartitions, next.begin());
  sorted_.resize(size_);
  for (const Entry& entry : entries) {
    sorted_[next[entry.row % kPartitions]++] = entry;
  }
}

void SliceLog::Clear() {
  input.Clear();
  output.Clear();
  positions.Clear();
  Sort();
  biases.clear();
  words = examples = 0;
  loss = 0;
  for (Spread* spread : {&inputs, &outputs}) {
    spread->count = 0;
    std::fill_n(spread->sum.Row(0), spread->sum.stride(), 0.0f);
  }
}

void SliceLog::Sort() {
  for (RowLog* log : {&input, &output, &positions}) log->Sort();
}

}  // namespace firth
