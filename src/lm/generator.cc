#include "lm/generator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/rng.h"
#include "lm/character_ids.h"
#include "lm/sentence_batch.h"

namespace firth {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// Scores become ln p.
void LogSoftmax(View<float> scores) {
  for (size_t r = 0; r < scores.rows(); ++r) {
    float* const row = scores.Row(r);
    const double greatest = *std::max_element(row, row + scores.cols());
    double sum = 0;
    for (size_t w = 0; w < scores.cols(); ++w) {
      sum += std::exp(row[w] - greatest);
    }
    const double log_sum = greatest + std::log(sum);
    for (size_t w = 0; w < scores.cols(); ++w) {
      row[w] = static_cast<float>(row[w] - log_sum);
    }
  }
}

}  // namespace

Generator::Generator(BiLanguageModel& model, const GenerateOptions& options)
    : model_(model), options_(options), words_(model) {
  model.head()->PrepareAll();
}

void Generator::ReadWords(absl::Span<const absl::string_view> words) {
  words_.Clear();
  std::vector<uint32_t> word_of_row;
  for (const absl::string_view word : words) {
    word_of_row.push_back(words_.Add(word));
  }
  GatherRows(model_.encoder().Forward(words_.batch()), word_of_row, &tokens_);
  const ConstView<float> top = model_.layers()[Direction::kForward].Forward(
      tokens_.view(), {1, words.size(), {}}, &state_);
  log_probabilities_.Resize(words.size(), model_.head()->vocab_size());
  model_.head()->Scores(top, log_probabilities_.view());
  LogSoftmax(log_probabilities_.view());
  for (size_t row = 0; row < words.size(); ++row) {
    log_probabilities_.Row(row)[kBeginSentenceId] = kNever;
    if (!options_.unknown) log_probabilities_.Row(row)[kUnknownId] = kNever;
  }
}

void Generator::Start() {
  state_ = model_.layers()[Direction::kForward].MakeState(1);
  ReadWords({kBeginSentence});
  for (const std::string& word : options_.prompt) ReadWords({word});
}

void Generator::Read(const std::vector<Hypothesis>& hypotheses) {
  std::vector<absl::string_view> words;
  words.reserve(hypotheses.size());
  for (const Hypothesis& hypothesis : hypotheses) {
    words.push_back(
        model_.data().words.Word(ToWordId(hypothesis.words.back())));
  }
  ReadWords(words);
}

double Generator::EndPenalty(size_t words) const {
  return options_.end_normalization * options_.expected_length /
         static_cast<double>(words + 1);
}

double Generator::Normalized(const Hypothesis& hypothesis) const {
  const auto length =
      static_cast<double>(hypothesis.words.size() + hypothesis.ended);
  return hypothesis.score /
         std::pow((5 + length) / 6, options_.length_normalization);
}

uint32_t Generator::DrawWord(size_t words, uint64_t key) {
  const float* const row = log_probabilities_.Row(0);
  const auto score = [&](uint32_t word) {
    return row[word] - (word == kEndSentenceId ? EndPenalty(words) : 0);
  };
  std::vector<uint32_t> order(log_probabilities_.cols());
  std::iota(order.begin(), order.end(), 0);
  const size_t most =
      options_.temperature == 0 ? 1
      : options_.top_k == 0
          ? order.size()
          : std::min(order.size(), static_cast<size_t>(options_.top_k));
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(most),
                    order.end(), [&](uint32_t a, uint32_t b) {
                      return score(a) != score(b) ? score(a) > score(b) : a < b;
                    });
  if (most == 1) return order[0];
  std::vector<double> sums;
  for (size_t k = 0; k < most; ++k) {
    sums.push_back(
        (k == 0 ? 0 : sums.back()) +
        std::exp((score(order[k]) - score(order[0])) / options_.temperature));
  }
  const double drawn = Rng(key).NextFloat() * sums.back();
  const auto found = std::upper_bound(sums.begin(), sums.end(), drawn);
  return order[std::min<size_t>(found - sums.begin(), most - 1)];
}

GeneratedSentence Generator::Draw(uint64_t key) {
  Start();
  Hypothesis sentence;
  for (int i = 0; i < options_.max_tokens && !sentence.ended; ++i) {
    const uint32_t word = DrawWord(sentence.words.size(), CombineKeys(key, i));
    sentence.log_probability += log_probabilities_.Row(0)[word];
    sentence.ended = word == kEndSentenceId;
    if (sentence.ended) break;
    sentence.words.push_back(word);
    Read({sentence});
  }
  return Finish(sentence);
}

std::vector<Generator::Extension> Generator::BestExtensions(
    const std::vector<Hypothesis>& hypotheses) const {
  std::vector<Extension> all;
  for (size_t h = 0; h < hypotheses.size(); ++h) {
    const float* const row = log_probabilities_.Row(h);
    const Hypothesis& parent = hypotheses[h];
    for (uint32_t word = 0; word < log_probabilities_.cols(); ++word) {
      const double penalty =
          word == kEndSentenceId ? EndPenalty(parent.words.size()) : 0;
      all.push_back({h, word, parent.score + (row[word] - penalty),
                     parent.log_probability + row[word]});
    }
  }
  const size_t most = std::min(all.size(), static_cast<size_t>(options_.beam));
  std::partial_sort(all.begin(), all.begin() + static_cast<ptrdiff_t>(most),
                    all.end(), [](const Extension& a, const Extension& b) {
                      if (a.score != b.score) return a.score > b.score;
                      return a.parent != b.parent ? a.parent < b.parent
                                                  : a.word < b.word;
                    });
  all.resize(most);
  return all;
}

// A hypothesis that ends gives its place in the beam up, so the search is over
// when all have ended.
std::vector<GeneratedSentence> Generator::Search() {
  Start();
  std::vector<Hypothesis> ended;
  std::vector<Hypothesis> open = {Hypothesis()};
  const auto beam = static_cast<size_t>(options_.beam);
  for (int i = 0; i < options_.max_tokens; ++i) {
    std::vector<Hypothesis> next;
    std::vector<size_t> parents;
    for (const Extension& extension : BestExtensions(open)) {
      if (std::isinf(extension.score)) continue;
      Hypothesis hypothesis = open[extension.parent];
      hypothesis.score = extension.score;
      hypothesis.log_probability = extension.log_probability;
      if (extension.word == kEndSentenceId) {
        hypothesis.ended = true;
        ended.push_back(std::move(hypothesis));
      } else {
        hypothesis.words.push_back(extension.word);
        next.push_back(std::move(hypothesis));
        parents.push_back(extension.parent);
      }
    }
    open = std::move(next);
    if (open.empty() || ended.size() >= beam) break;
    state_.KeepRows(parents);
    Read(open);
  }
  std::vector<Hypothesis>& best = ended.empty() ? open : ended;
  std::stable_sort(best.begin(), best.end(),
                   [this](const Hypothesis& a, const Hypothesis& b) {
                     return Normalized(a) > Normalized(b);
                   });
  std::vector<GeneratedSentence> sentences;
  sentences.reserve(best.size());
  for (const Hypothesis& hypothesis : best) {
    sentences.push_back(Finish(hypothesis));
  }
  return sentences;
}

GeneratedSentence Generator::Finish(const Hypothesis& hypothesis) const {
  GeneratedSentence sentence;
  sentence.words = options_.prompt;
  for (const uint32_t word : hypothesis.words) {
    sentence.words.emplace_back(model_.data().words.Word(ToWordId(word)));
  }
  sentence.log_probability = hypothesis.log_probability;
  sentence.ended = hypothesis.ended;
  return sentence;
}

}  // namespace firth
