// The common parts of the heads that use OutputRows.

#ifndef FIRTH_NN_CANDIDATES_H_
#define FIRTH_NN_CANDIDATES_H_

#include <memory>
#include <utility>
#include <vector>

#include "nn/head.h"

namespace firth::nn {

template <class T>
class RowsHead : public Head<T> {
 public:
  explicit RowsHead(std::unique_ptr<OutputRows<T>> rows)
      : rows_(std::move(rows)) {}

  size_t dim() const override { return rows_->dim(); }
  size_t vocab_size() const override { return rows_->vocab_size(); }
  void AppendParameters(ParameterList<T>* list) override {
    rows_->AppendParameters(list);
  }
  void GatherGradients(absl::Span<HeadWork<T>> works) override;
  void PrepareAll() override { rows_->SelectAll(); }
  void Scores(ConstView<T> hidden, View<T> scores) const override;

 protected:
  OutputRows<T>& rows() { return *rows_; }
  const OutputRows<T>& rows() const { return *rows_; }
  // Sizes the gradients; clears them at the first step after GatherGradients().
  void StartStep(ConstView<T> hidden, HeadWork<T>* work) const;

 private:
  std::unique_ptr<OutputRows<T>> rows_;
};

// Words drawn for a chunk, followed by the targets that are not among them: the
// rows that a sampling head selects.
class Candidates {
 public:
  // `drawn` may hold a word more than once.
  void Set(std::vector<uint32_t> drawn, absl::Span<const uint32_t> targets,
           size_t vocab_size);

  const std::vector<uint32_t>& words() const { return words_; }
  size_t num_drawn() const { return num_drawn_; }
  // Returns the first position of a drawn word or a target.
  size_t Place(uint32_t word) const { return places_[word] - 1; }

 private:
  std::vector<uint32_t> words_;
  size_t num_drawn_ = 0;
  std::vector<uint32_t> places_;  // [vocab_size] 1 + position; 0 means none
};

}  // namespace firth::nn

#endif  // FIRTH_NN_CANDIDATES_H_
