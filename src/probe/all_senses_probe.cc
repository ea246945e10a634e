// Each sense has a centroid for each kind of features. The word in question is
// compared with the centroids of its own senses. Texts are embedded a few
// sentences at a time, and only one sum per sense is kept, so memory depends on
// the number of senses and not on the length of the texts.

#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "firth/fields.h"
#include "firth/probe.h"
#include "firth/status_macros.h"
#include "nn/elementwise.h"
#include "nn/matrix.h"
#include "probe/static_context.h"
#include "tag/token_features.h"

namespace firth {
namespace {

constexpr size_t kSentencesEmbedded = 32;

// The senses of the words in the known text.
class KnownSenses {
 public:
  explicit KnownSenses(absl::Span<const SensedSentence> text) {
    for (const SensedSentence& sentence : text) {
      for (const SensedWord& word : sentence.words) Add(word);
    }
  }

  size_t size() const { return counts_.size(); }
  uint64_t words() const { return words_; }
  // Returns the number of the first sense of a known word.
  size_t NumberOf(const SensedWord& word) const {
    return numbers_.at(word.senses.front());
  }
  const std::string& Name(size_t sense) const { return names_[sense]; }
  uint64_t Count(size_t sense) const { return counts_[sense]; }
  // Returns null for a word without senses.
  const std::vector<size_t>* Of(const std::string& word) const {
    const auto found = of_words_.find(word);
    return found == of_words_.end() ? nullptr : &found->second;
  }

 private:
  void Add(const SensedWord& word) {
    const auto [entry, is_new] =
        numbers_.emplace(word.senses.front(), counts_.size());
    if (is_new) {
      names_.push_back(word.senses.front());
      counts_.push_back(0);
      of_words_[word.word].push_back(entry->second);
    }
    ++counts_[entry->second];
    ++words_;
  }

  absl::flat_hash_map<std::string, size_t> numbers_;
  absl::flat_hash_map<std::string, std::vector<size_t>> of_words_;
  std::vector<std::string> names_;
  std::vector<uint64_t> counts_;
  uint64_t words_ = 0;
};

// The vectors of one word, one for each kind of features.
using Features = std::vector<std::vector<float>>;

class FeatureReader {
 public:
  FeatureReader(TokenFeatureSource source, const SenseProbeOptions& options)
      : source_(std::move(source)), reach_(options.reach) {}

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    if (has_static()) names.emplace_back("static context");
    for (size_t j = 0; j < layers(); ++j) {
      names.push_back(absl::StrCat("layer ", j));
    }
    if (layers() > 0) names.emplace_back("mean of layers");
    return names;
  }
  size_t Dim(size_t kind) const {
    return has_static() && kind == 0 ? source_.static_dim()
                                     : source_.contextual_dim();
  }

  // Calls visit(word, features) for every word with senses, in their order.
  template <class Visit>
  absl::Status ForEachWord(absl::Span<const SensedSentence> text,
                           const Hooks& hooks, const Visit& visit) {
    for (size_t first = 0; first < text.size(); first += kSentencesEmbedded) {
      if (hooks.StopRequested()) return absl::CancelledError("stopped");
      const auto some = text.subspan(first, kSentencesEmbedded);
      std::vector<TokenVectors> vectors(some.size());
      if (layers() > 0) {
        std::vector<const std::vector<std::string>*> sentences;
        for (const SensedSentence& sentence : some) {
          sentences.push_back(&sentence.tokens);
        }
        FIRTH_ASSIGN_OR_RETURN(vectors, source_.Embed(sentences));
      }
      for (size_t i = 0; i < some.size(); ++i) {
        for (const SensedWord& word : some[i].words) {
          visit(word, FeaturesOf(some[i], word, vectors[i]));
        }
      }
      hooks.ReportWork(first + some.size(), text.size());
    }
    return absl::OkStatus();
  }

 private:
  bool has_static() const { return source_.vectors() != nullptr; }
  size_t layers() const { return source_.num_layers(); }

  // Returns sums instead of means, because only directions matter: of the
  // surrounding words, and of the tokens of the word.
  Features FeaturesOf(const SensedSentence& sentence, const SensedWord& word,
                      const TokenVectors& vectors) const {
    Features features;
    if (has_static()) {
      AddStaticContext(*source_.vectors(), sentence.tokens, word.position,
                       word.tokens, reach_,
                       features.emplace_back(source_.static_dim()).data());
    }
    if (layers() == 0) return features;
    const size_t dim = source_.contextual_dim();
    std::vector<float> mean(dim);
    for (size_t j = 0; j < layers(); ++j) {
      std::vector<float>& sum = features.emplace_back(dim);
      for (size_t t = 0; t < word.tokens; ++t) {
        nn::AddScaled(dim, 1 / static_cast<float>(word.tokens),
                      vectors.Vector(j, word.position + t).data(), sum.data());
      }
      nn::AddScaled(dim, 1.0f, sum.data(), mean.data());
    }
    features.push_back(std::move(mean));
    return features;
  }

  TokenFeatureSource source_;
  size_t reach_;
};

// The centroids of all senses for one kind of features.
class Centroids {
 public:
  Centroids(const KnownSenses& senses, size_t dim)
      : senses_(senses), sums_(senses.size(), dim), mean_(dim) {}

  void Add(size_t sense, const std::vector<float>& vector) {
    nn::AddScaled(vector.size(), 1.0f, vector.data(), sums_.Row(sense));
    for (size_t d = 0; d < mean_.size(); ++d) mean_[d] += vector[d];
  }
  // Converts the sums to centroids minus the mean of all vectors, scaled to
  // length 1. Must be called once, after all vectors have been added.
  void Finish() {
    for (double& value : mean_) value /= static_cast<double>(senses_.words());
    for (size_t sense = 0; sense < sums_.rows(); ++sense) {
      float* const row = sums_.Row(sense);
      const auto count = static_cast<float>(senses_.Count(sense));
      for (size_t d = 0; d < mean_.size(); ++d) {
        row[d] = row[d] / count - static_cast<float>(mean_[d]);
      }
      const float norm = std::sqrt(nn::DotProduct(mean_.size(), row, row));
      for (size_t d = 0; norm > 0 && d < mean_.size(); ++d) row[d] /= norm;
    }
  }
  // Returns the nearest of the senses.
  size_t Nearest(const std::vector<size_t>& senses,
                 std::vector<float> vector) const {
    for (size_t d = 0; d < mean_.size(); ++d) {
      vector[d] -= static_cast<float>(mean_[d]);
    }
    return *absl::c_max_element(senses, [&](size_t a, size_t b) {
      return nn::DotProduct(vector.size(), vector.data(), sums_.Row(a)) <
             nn::DotProduct(vector.size(), vector.data(), sums_.Row(b));
    });
  }

 private:
  const KnownSenses& senses_;
  Matrix<float> sums_;
  std::vector<double> mean_;
};

// Counts correct answers.
class SenseMeter {
 public:
  // `predicted` is empty if there is no prediction.
  void Add(const SensedWord& word, const std::string& predicted) {
    ++asked_;
    answered_ += predicted.empty() ? 0 : 1;
    right_ += absl::c_linear_search(word.senses, predicted) ? 1 : 0;
  }
  uint64_t asked() const { return asked_; }
  SenseScore Score(std::string features) const {
    const auto share = [this](uint64_t of) {
      return of == 0 ? 0
                     : static_cast<double>(right_) / static_cast<double>(of);
    };
    const double precision = share(answered_), recall = share(asked_);
    const double sum = precision + recall;
    return {std::move(features), precision, recall,
            sum > 0 ? 2 * precision * recall / sum : 0};
  }

 private:
  uint64_t asked_ = 0;
  uint64_t answered_ = 0;
  uint64_t right_ = 0;
};

// Computes the centroids for each kind of features.
absl::StatusOr<std::vector<Centroids>> LearnCentroids(
    const KnownSenses& senses, absl::Span<const SensedSentence> known,
    FeatureReader& reader, const Hooks& hooks) {
  std::vector<Centroids> centroids;
  for (size_t kind = 0; kind < reader.Names().size(); ++kind) {
    centroids.emplace_back(senses, reader.Dim(kind));
  }
  FIRTH_RETURN_IF_ERROR(reader.ForEachWord(
      known, hooks, [&](const SensedWord& word, const Features& features) {
        for (size_t kind = 0; kind < features.size(); ++kind) {
          centroids[kind].Add(senses.NumberOf(word), features[kind]);
        }
      }));
  for (Centroids& of_kind : centroids) of_kind.Finish();
  return centroids;
}

// Measures how often centroids and frequency predict the senses of a text
// correctly.
class TextMeter {
 public:
  using FirstSenses = std::map<std::string, std::string>;

  TextMeter(const KnownSenses& senses, const std::vector<Centroids>& centroids,
            const FirstSenses& first)
      : senses_(senses),
        centroids_(centroids),
        first_(first),
        meters_(centroids.size()) {}

  void Ask(const SensedWord& word, const Features& features) {
    const std::vector<size_t>* const own = senses_.Of(word.word);
    if (own == nullptr) {
      const auto found = first_.find(word.word);
      const std::string sense = found == first_.end() ? "" : found->second;
      most_frequent_.Add(word, sense);
      for (SenseMeter& meter : meters_) meter.Add(word, sense);
      return;
    }
    most_frequent_.Add(
        word, senses_.Name(*absl::c_max_element(*own, [&](size_t a, size_t b) {
          return senses_.Count(a) < senses_.Count(b);
        })));
    for (size_t kind = 0; kind < meters_.size(); ++kind) {
      meters_[kind].Add(
          word, senses_.Name(centroids_[kind].Nearest(*own, features[kind])));
    }
  }

  SenseScores Scores(const std::vector<std::string>& names) const {
    SenseScores scores;
    scores.asked = most_frequent_.asked();
    scores.scores.push_back(most_frequent_.Score("most frequent sense"));
    for (size_t kind = 0; kind < names.size(); ++kind) {
      scores.scores.push_back(meters_[kind].Score(names[kind]));
    }
    return scores;
  }

 private:
  const KnownSenses& senses_;
  const std::vector<Centroids>& centroids_;
  const FirstSenses& first_;
  SenseMeter most_frequent_;
  std::vector<SenseMeter> meters_;
};

}  // namespace

absl::StatusOr<AllSensesReport> ProbeAllSenses(
    absl::Span<const SensedSentence> known,
    absl::Span<const std::vector<SensedSentence>> asked,
    const std::map<std::string, std::string>& first_senses,
    const TaggerInputs& inputs, const SenseProbeOptions& options,
    const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(CheckFields(options));
  const KnownSenses senses(known);
  if (senses.words() == 0) {
    return absl::InvalidArgumentError(
        "the texts to learn from contain no words with senses");
  }
  FIRTH_ASSIGN_OR_RETURN(TokenFeatureSource source,
                         TokenFeatureSource::Load(inputs, options.threads));
  FeatureReader reader(std::move(source), options);
  FIRTH_ASSIGN_OR_RETURN(const std::vector<Centroids> centroids,
                         LearnCentroids(senses, known, reader, hooks));
  AllSensesReport report;
  report.known = senses.words();
  report.senses = senses.size();
  for (const std::vector<SensedSentence>& text : asked) {
    TextMeter meter(senses, centroids, first_senses);
    FIRTH_RETURN_IF_ERROR(reader.ForEachWord(
        text, hooks, [&](const SensedWord& word, const Features& features) {
          meter.Ask(word, features);
        }));
    report.texts.push_back(meter.Scores(reader.Names()));
  }
  return report;
}

}  // namespace firth
