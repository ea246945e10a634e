// A beam keeps the most probable beginnings of each text. Each is extended by
// every word, the best extensions replace the beginnings, and the states of the
// model are reordered accordingly. Scores of finished sentences are normalized
// by length, as longer ones are less probable.
//
// A hypothesis that ends leaves its place in the beam empty, so the search of a
// text is over when all have ended. The greedy hypothesis, which is always
// extended by its most probable word, stays in the beam until it has ended. At
// the maximum length, hypotheses end there or remain as they are.

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "firth/status_macros.h"
#include "nn/decoding.h"

namespace firth {
namespace {

// A hypothesis that has not ended, or how it continues.
struct Beginning {
  Hypothesis hypothesis;
  std::vector<double> coverage;  // sum of the attention to each token
  size_t parent = 0;             // row of the hypothesis that it extends
  bool greedy = false;
};

// A word that may follow row `parent` of the hypotheses.
struct Extension {
  size_t parent = 0;
  uint32_t word = 0;
  double score = 0;
  double log_probability = 0;
  bool greedy = false;
};

bool IsBetter(const Extension& a, const Extension& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.parent != b.parent ? a.parent < b.parent : a.word < b.word;
}

// Keeps the best extensions that were added.
class BestExtensions {
 public:
  explicit BestExtensions(size_t most) : most_(most) {}

  // Returns whether an extension with this score can be among the best.
  bool Takes(double score) const {
    return best_.size() < most_ || score >= best_.front().score;
  }
  void Add(const Extension& extension) {
    if (std::isinf(extension.score)) return;
    if (best_.size() == most_) {
      if (!IsBetter(extension, best_.front())) return;
      std::pop_heap(best_.begin(), best_.end(), IsBetter);
      best_.pop_back();
    }
    best_.push_back(extension);
    std::push_heap(best_.begin(), best_.end(), IsBetter);
  }
  // Adds the greedy extension, if necessary in place of the worst one.
  void Keep(const Extension& greedy) {
    const auto same = [&](const Extension& other) {
      return other.parent == greedy.parent && other.word == greedy.word;
    };
    const auto found = std::find_if(best_.begin(), best_.end(), same);
    if (found != best_.end()) {
      found->greedy = true;
    } else {
      if (best_.size() == most_) best_.erase(best_.begin());
      best_.push_back(greedy);
    }
  }
  std::vector<Extension> Sorted() && {
    std::sort(best_.begin(), best_.end(), IsBetter);
    return std::move(best_);
  }

 private:
  size_t most_;
  std::vector<Extension> best_;  // a heap; the worst is in front
};

// The search of one text.
class Beam {
 public:
  Beam(const SearchedText& text, const BeamOptions& options)
      : text_(text), options_(options), open_(1) {
    open_[0].greedy = true;
    if (options.coverage_normalization > 0) {
      open_[0].coverage.resize(text.attended);
    }
  }

  size_t num_open() const { return open_.size(); }

  // Extends the hypotheses, which are the rows of log_probabilities from
  // `first` on.
  void Extend(ConstView<float> log_probabilities, uint32_t end,
              const Matrix<float>* attention, size_t first) {
    if (open_.empty()) return;
    const bool is_full = open_[0].hypothesis.words.size() >= text_.max_tokens;
    std::vector<Beginning> longer;
    for (const Extension& extension : Best(log_probabilities, end, first)) {
      if (is_full && extension.word != end) continue;
      Beginning next = Continue(extension, attention, first);
      if (extension.word == end) {
        next.hypothesis.ended = true;
        ended_.push_back(std::move(next));
      } else {
        next.hypothesis.words.push_back(extension.word);
        longer.push_back(std::move(next));
      }
    }
    if (is_full) cut_ = std::move(open_);
    open_ = std::move(longer);
    Close();
  }
  // Appends the rows from which the open hypotheses come, and their last words.
  void AppendOpen(std::vector<size_t>* parents,
                  std::vector<uint32_t>* words) const {
    for (const Beginning& beginning : open_) {
      parents->push_back(beginning.parent);
      words->push_back(beginning.hypothesis.words.back());
    }
  }

  std::vector<Hypothesis> Result() && {
    std::vector<Beginning>& best = ended_.empty() ? cut_ : ended_;
    std::stable_sort(best.begin(), best.end(),
                     [&](const Beginning& a, const Beginning& b) {
                       return Rank(a) > Rank(b);
                     });
    std::vector<Hypothesis> result;
    for (Beginning& beginning : best) {
      if (result.size() == options_.beam) break;
      result.push_back(std::move(beginning.hypothesis));
    }
    return result;
  }

 private:
  double EndPenalty(size_t words) const {
    return options_.end_normalization * text_.length /
           static_cast<double>(words + 1);
  }
  std::vector<Extension> Best(ConstView<float> log_probabilities, uint32_t end,
                              size_t first) const;
  Beginning Continue(const Extension& extension, const Matrix<float>* attention,
                     size_t first) const;
  // Decides which hypotheses stay open.
  void Close();
  double Rank(const Beginning& beginning) const;

  const SearchedText& text_;
  const BeamOptions& options_;
  std::vector<Beginning> open_;
  std::vector<Beginning> ended_;
  std::vector<Beginning> cut_;  // at the maximum length
};

std::vector<Extension> Beam::Best(ConstView<float> log_probabilities,
                                  uint32_t end, size_t first) const {
  BestExtensions best(options_.beam);
  Extension greedy;
  for (size_t h = 0; h < open_.size(); ++h) {
    const float* const row = log_probabilities.Row(first + h);
    const Hypothesis& parent = open_[h].hypothesis;
    const double penalty = EndPenalty(parent.words.size());
    BestExtensions follows(1);
    for (uint32_t word = 0; word < log_probabilities.cols(); ++word) {
      const double score =
          parent.score + (row[word] - (word == end ? penalty : 0));
      const bool takes = best.Takes(score);
      if (!takes && !(open_[h].greedy && follows.Takes(score))) continue;
      const Extension extension{first + h, word, score,
                                parent.log_probability + row[word], false};
      if (takes) best.Add(extension);
      if (open_[h].greedy) follows.Add(extension);
    }
    if (!open_[h].greedy) continue;
    for (const Extension& extension : std::move(follows).Sorted()) {
      greedy = extension;
      greedy.greedy = true;
    }
  }
  if (greedy.greedy) best.Keep(greedy);
  return std::move(best).Sorted();
}

Beginning Beam::Continue(const Extension& extension,
                         const Matrix<float>* attention, size_t first) const {
  Beginning next = open_[extension.parent - first];
  next.parent = extension.parent;
  next.greedy = extension.greedy;
  next.hypothesis.score = extension.score;
  next.hypothesis.log_probability = extension.log_probability;
  if (attention == nullptr) return next;
  const float* const row = attention->Row(extension.parent);
  for (size_t i = 0; i < next.coverage.size(); ++i) next.coverage[i] += row[i];
  if (options_.attends) {
    next.hypothesis.attention.push_back(
        std::make_shared<const std::vector<float>>(row, row + text_.attended));
  }
  return next;
}

void Beam::Close() {
  if (ended_.size() < options_.beam) return;
  // If the greedy hypothesis is open, it continues alone.
  open_.erase(std::remove_if(
                  open_.begin(), open_.end(),
                  [](const Beginning& beginning) { return !beginning.greedy; }),
              open_.end());
}

double Beam::Rank(const Beginning& beginning) const {
  const Hypothesis& hypothesis = beginning.hypothesis;
  return RankOf(options_, hypothesis.score,
                hypothesis.words.size() + hypothesis.ended, beginning.coverage);
}

}  // namespace

double RankOf(const BeamOptions& options, double score, size_t length,
              absl::Span<const double> coverage) {
  double covered = 0;
  for (const double sum : coverage) covered += std::log(std::min(sum, 1.0));
  return score / std::pow((5 + static_cast<double>(length)) / 6,
                          options.length_normalization) +
         (coverage.empty() ? 0 : options.coverage_normalization * covered);
}

absl::StatusOr<std::vector<std::vector<Hypothesis>>> SearchTexts(
    NextWords& next, absl::Span<const SearchedText> texts,
    const BeamOptions& options, const Hooks& hooks) {
  FIRTH_CHECK(options.beam > 0);
  std::vector<Beam> beams;
  size_t most = 0;
  for (const SearchedText& text : texts) {
    beams.emplace_back(text, options);
    most = std::max(most, text.max_tokens);
  }
  FIRTH_ASSIGN_OR_RETURN(ConstView<float> log_probabilities, next.Start());
  for (size_t i = 0; i <= most; ++i) {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    hooks.ReportWork(i, most + 1);
    std::vector<size_t> parents;
    std::vector<uint32_t> words;
    size_t first = 0;
    for (Beam& beam : beams) {
      const size_t rows = beam.num_open();
      beam.Extend(log_probabilities, next.end(), next.attention(), first);
      beam.AppendOpen(&parents, &words);
      first += rows;
    }
    if (words.empty()) break;
    FIRTH_ASSIGN_OR_RETURN(log_probabilities, next.Read(parents, words));
  }
  std::vector<std::vector<Hypothesis>> results;
  results.reserve(beams.size());
  for (Beam& beam : beams) results.push_back(std::move(beam).Result());
  return results;
}

}  // namespace firth
