// The sense of a word is predicted by its nearest neighbor. An instance of the
// test set gets the sense of the known instance whose vector in context is most
// similar to its own. No parameter is trained, so the result measures the
// vectors.

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "firth/fields.h"
#include "firth/probe.h"
#include "firth/status_macros.h"
#include "lm/learn/drawn_batches.h"
#include "nn/elementwise.h"
#include "nn/matrix.h"
#include "probe/static_context.h"
#include "tag/token_features.h"

namespace firth {
namespace {

constexpr size_t kTestShare = 5;  // one instance in this many

// Instances as rows. The senses of the first `train` are known.
class NearestSense {
 public:
  NearestSense(std::vector<const SenseInstance*> instances, size_t train)
      : instances_(std::move(instances)), train_(train) {}

  size_t size() const { return instances_.size(); }
  const SenseInstance& operator[](size_t i) const { return *instances_[i]; }

  double MostFrequentAccuracy() const {
    std::map<std::string, size_t> counts;
    for (size_t i = 0; i < train_; ++i) ++counts[instances_[i]->sense];
    const auto best = std::max_element(
        counts.begin(), counts.end(),
        [](const auto& a, const auto& b) { return a.second < b.second; });
    return Share([&](size_t) { return best->first; });
  }

  double Accuracy(Matrix<float> rows) const {
    CenterAndNormalize(&rows);
    Matrix<float> cosines(size() - train_, train_);
    nn::Product<float>(rows.view().Rows(train_, size() - train_),
                       Transpose::kNo, rows.view().Rows(0, train_),
                       Transpose::kYes, nn::Into::kOverwrite, cosines.view());
    return Share([&](size_t i) {
      const float* const row = cosines.Row(i - train_);
      return instances_[std::max_element(row, row + train_) - row]->sense;
    });
  }

 private:
  // Returns the fraction of the test instances for which `predict` is correct.
  template <class Predict>
  double Share(const Predict& predict) const {
    size_t right = 0;
    for (size_t i = train_; i < size(); ++i) {
      right += predict(i) == instances_[i]->sense ? 1 : 0;
    }
    return static_cast<double>(right) / static_cast<double>(size() - train_);
  }

  // Centers by the mean of the known instances.
  void CenterAndNormalize(Matrix<float>* rows) const {
    std::vector<double> mean(rows->cols());
    for (size_t i = 0; i < train_; ++i) {
      for (size_t c = 0; c < mean.size(); ++c) {
        mean[c] += rows->Row(i)[c] / static_cast<double>(train_);
      }
    }
    for (size_t i = 0; i < rows->rows(); ++i) {
      float* const row = rows->Row(i);
      for (size_t c = 0; c < mean.size(); ++c) {
        row[c] -= static_cast<float>(mean[c]);
      }
      const float norm = std::sqrt(nn::DotProduct(mean.size(), row, row));
      if (norm == 0) continue;
      for (size_t c = 0; c < mean.size(); ++c) row[c] /= norm;
    }
  }

  std::vector<const SenseInstance*> instances_;
  size_t train_;
};

// Returns the mean of the vectors of the words around each instance.
Matrix<float> StaticContexts(const NearestSense& instances,
                             const WordVectors& vectors, size_t reach) {
  Matrix<float> rows(instances.size(), vectors.dim());
  for (size_t i = 0; i < instances.size(); ++i) {
    AddStaticContext(vectors, instances[i].tokens, instances[i].position, 1,
                     reach, rows.Row(i));
  }
  return rows;  // sums, which have the same cosines as the means
}

// Returns the vectors of the instances, [instances, dim], for each layer, and
// then for the mean of the layers.
absl::StatusOr<std::vector<Matrix<float>>> LayerVectors(
    const NearestSense& instances, TokenFeatureSource& source,
    const Hooks& hooks) {
  constexpr size_t kBatch = 32;
  const size_t layers = source.num_layers(), dim = source.contextual_dim();
  std::vector<Matrix<float>> rows;
  for (size_t j = 0; j <= layers; ++j) rows.emplace_back(instances.size(), dim);
  for (size_t first = 0; first < instances.size(); first += kBatch) {
    if (hooks.StopRequested()) return absl::CancelledError("stopped");
    std::vector<const std::vector<std::string>*> sentences;
    for (size_t i = first; i < std::min(first + kBatch, instances.size());
         ++i) {
      sentences.push_back(&instances[i].tokens);
    }
    FIRTH_ASSIGN_OR_RETURN(const std::vector<TokenVectors> vectors,
                           source.Embed(sentences));
    for (size_t k = 0; k < vectors.size(); ++k) {
      for (size_t j = 0; j < layers; ++j) {
        const float* const vector =
            vectors[k].Vector(j, instances[first + k].position).data();
        std::copy_n(vector, dim, rows[j].Row(first + k));
        nn::AddScaled(dim, 1 / static_cast<float>(layers), vector,
                      rows[layers].Row(first + k));
      }
    }
  }
  return rows;
}

}  // namespace

FieldTable SenseProbeOptions::Fields() {
  FieldsOf<SenseProbeOptions> fields;
  fields.Add(
      "most", &SenseProbeOptions::most,
      "maximum number of occurrences per word, drawn at random from FILE",
      Field().Range(kTestShare, Field::kUnlimited));
  fields.Add("reach", &SenseProbeOptions::reach,
             "number of words on each side whose static vectors are averaged",
             Field().Range(1, 1000000));
  fields.Add("seed", &SenseProbeOptions::seed, "set the random seed");
  fields.Add("threads", &SenseProbeOptions::threads,
             "number of threads; with 2, each direction has its own thread. 0 "
             "means all cores",
             Field().Range(0, kMostThreads).Work());
  return fields;
}

absl::StatusOr<SenseProbeReport> ProbeSenses(
    absl::Span<const SenseInstance> instances, const TaggerInputs& inputs,
    const SenseProbeOptions& options, const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(CheckFields(options));
  if (instances.size() < kTestShare) {
    return absl::InvalidArgumentError(
        absl::StrCat("a word needs at least ", kTestShare,
                     " occurrences, found ", instances.size()));
  }
  FIRTH_ASSIGN_OR_RETURN(TokenFeatureSource source,
                         TokenFeatureSource::Load(inputs, options.threads));
  std::vector<const SenseInstance*> drawn;
  for (const size_t i : DrawnOrder(instances.size(), options.seed)) {
    if (drawn.size() < options.most) {
      drawn.push_back(&instances[i]);
    }
  }
  SenseProbeReport report;
  report.test = drawn.size() / kTestShare;
  report.train = drawn.size() - report.test;
  std::map<std::string, size_t> senses;
  for (const SenseInstance* instance : drawn) ++senses[instance->sense];
  report.senses = senses.size();
  const NearestSense nearest(std::move(drawn), report.train);
  report.scores.push_back(
      {"most frequent sense", nearest.MostFrequentAccuracy(), {}});
  if (source.vectors() != nullptr) {
    report.scores.push_back({"static context",
                             nearest.Accuracy(StaticContexts(
                                 nearest, *source.vectors(), options.reach)),
                             {}});
  }
  if (source.num_layers() == 0) return report;
  FIRTH_ASSIGN_OR_RETURN(std::vector<Matrix<float>> layers,
                         LayerVectors(nearest, source, hooks));
  for (size_t j = 0; j < layers.size(); ++j) {
    report.scores.push_back(
        {j < source.num_layers() ? absl::StrCat("layer ", j) : "mean of layers",
         nearest.Accuracy(std::move(layers[j])),
         {}});
  }
  return report;
}

}  // namespace firth
