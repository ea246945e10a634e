// Counting models as their formulas are written in the papers: maps of n-grams
// as texts, recursion, and no trie.

#ifndef FIRTH_TESTS_LM_NGRAM_PLAIN_NGRAM_MODEL_H_
#define FIRTH_TESTS_LM_NGRAM_PLAIN_NGRAM_MODEL_H_

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "firth/counting_model.h"

namespace firth {

class PlainNgramModel {
 public:
  using Words = std::vector<std::string>;

  // `text` has one sentence per line. Words are those of `vocabulary`, which
  // has </s> and <unk>, but not <s>.
  PlainNgramModel(const std::string& text, const std::set<std::string>& words,
                  const CountingTraining& training)
      : vocabulary_(words), training_(training) {
    for (const auto& line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
      Words sentence = {"<s>"};
      for (const auto& word : absl::StrSplit(line, ' ')) {
        sentence.push_back(Known(std::string(word)));
      }
      sentence.push_back("</s>");
      for (size_t end = 1; end < sentence.size(); ++end) {
        for (int n = 1; n <= training.order && n <= int(end) + 1; ++n) {
          const auto last = sentence.begin() + long(end) + 1;
          const Words gram(last - n, last);
          ++occurrences_[gram];
          if (int(end) + 1 > n) {
            left_[gram].insert(sentence[end - size_t(n)]);
          }
        }
      }
    }
    for (const auto& [gram, occurred] : occurrences_) {
      const int count = Count(gram);
      if (count <= 4) ++of_count_[gram.size()][size_t(count)];
    }
  }

  std::string Known(const std::string& word) const {
    return vocabulary_.count(word) > 0 ? word : "<unk>";
  }
  const std::set<std::string>& vocabulary() const { return vocabulary_; }

  // The score of a word after a context, which begins with <s> or has N - 1
  // words or more.
  double Probability(const std::string& word, Words context) const {
    const auto most = static_cast<size_t>(training_.order - 1);
    if (context.size() > most) {
      context.erase(context.begin(), context.end() - long(most));
    }
    switch (training_.smoothing) {
      case CountSmoothing::kKneserNey:
        return KneserNey(word, context);
      case CountSmoothing::kAddK:
        return AddK(word, context);
      case CountSmoothing::kStupidBackoff:
        return Stupid(word, context);
    }
    return 0;
  }

 private:
  static Words With(const Words& context, const std::string& word) {
    Words gram = context;
    gram.push_back(word);
    return gram;
  }
  static Words Shorter(const Words& context) {
    return {context.begin() + 1, context.end()};
  }
  int Occurrences(const Words& gram) const {
    const auto found = occurrences_.find(gram);
    return found == occurrences_.end() ? 0 : found->second;
  }
  // Of Kneser and Ney: different words on the left.
  int Count(const Words& gram) const {
    if (int(gram.size()) == training_.order || gram[0] == "<s>") {
      return Occurrences(gram);
    }
    const auto found = left_.find(gram);
    return found == left_.end() ? 0 : int(found->second.size());
  }
  bool IsPruned(const Words& gram) const {
    if (training_.prune.empty()) return false;
    const size_t n = std::min(gram.size(), training_.prune.size());
    return Occurrences(gram) <= training_.prune[n - 1];
  }
  double Discount(const Words& gram) const {
    const int count = Count(gram);
    if (count == 0) return 0;
    const auto& n = of_count_.at(gram.size());
    const double y = n[1] / (n[1] + 2 * n[2]);
    std::array<double, 4> discounts = {};
    bool usable = true;
    for (size_t i = 1; i <= 3; ++i) {
      discounts[i] = double(i) - double(i + 1) * y * n[i + 1] / n[i];
      usable =
          usable && n[i] > 0 && discounts[i] >= 0 && discounts[i] <= double(i);
    }
    if (!usable) discounts = {0, 0.5, 1, 1.5};
    return discounts[size_t(std::min(count, 3))];
  }

  double KneserNey(const std::string& word, const Words& context) const {
    double total = 0;
    double taken = 0;
    for (const std::string& other : vocabulary_) {
      const Words gram = With(context, other);
      total += Count(gram);
      taken +=
          IsPruned(gram) && !context.empty() ? Count(gram) : Discount(gram);
    }
    const double lower = context.empty() ? 1 / double(vocabulary_.size())
                                         : KneserNey(word, Shorter(context));
    if (total == 0) return lower;
    const Words gram = With(context, word);
    const double own =
        IsPruned(gram) && !context.empty() ? 0 : Count(gram) - Discount(gram);
    return own / total + taken / total * lower;
  }

  double AddK(const std::string& word, const Words& context) const {
    double total = 0;
    for (const std::string& other : vocabulary_) {
      total += Occurrences(With(context, other));
    }
    if (total == 0) return AddK(word, Shorter(context));
    return (Occurrences(With(context, word)) + training_.add_k) /
           (total + training_.add_k * double(vocabulary_.size()));
  }

  double Stupid(const std::string& word, const Words& context) const {
    double total = 0;
    for (const std::string& other : vocabulary_) {
      total += Occurrences(With(context, other));
    }
    const double own = Occurrences(With(context, word));
    if (own > 0) return own / total;
    if (context.empty()) return 0.4 / double(vocabulary_.size());
    return (total == 0 ? 1 : 0.4) * Stupid(word, Shorter(context));
  }

  std::set<std::string> vocabulary_;
  CountingTraining training_;
  std::map<Words, int> occurrences_;
  std::map<Words, std::set<std::string>> left_;
  std::map<size_t, std::array<double, 5>> of_count_;
};

}  // namespace firth

#endif  // FIRTH_TESTS_LM_NGRAM_PLAIN_NGRAM_MODEL_H_
