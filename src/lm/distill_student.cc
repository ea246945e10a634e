// MeanStudent computes means. CbowStudent trains only the output side of CBOW,
// since the teacher provides the other side. For a token w of a sentence C,
// with the context
//
//   h = the normalized mean of the teacher's vectors of the tokens of C but w
//
// it follows the gradient of
//
//   L = -ln s(u_w . h) - sum over noise words n of ln s(-u_n . h)
//
// with s(x) = 1 / (1 + exp(-x)). As h is fixed, L is convex in every u, and all
// u start at 0. A sentence of one token has no context.

#include "lm/distill_student.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/rng.h"
#include "firth/status_macros.h"
#include "nn/elementwise.h"
#include "vectors/allocate_table.h"
#include "vocab/noise_distribution.h"

namespace firth {
namespace {

constexpr double kNoiseExponent = 0.75;  // as in word2vec

class MeanStudent : public DistillStudent {
 public:
  explicit MeanStudent(PaddedMatrix means) : means_(std::move(means)) {
    counts_.resize(means_.rows());
  }

  // Updates running means, because a sum would lose the digits of values that
  // are added late.
  void Learn(absl::Span<const uint32_t> rows, const TokenVectors& vectors,
             double /*done*/) override {
    for (size_t token = 0; token < rows.size(); ++token) {
      if (rows[token] >= means_.rows()) continue;
      const float share = 1 / static_cast<float>(++counts_[rows[token]]);
      float* const mean = means_.Row(rows[token]);
      const float* const vector = vectors.Vector(0, token).data();
      for (size_t d = 0; d < vectors.dim; ++d) {
        mean[d] += share * (vector[d] - mean[d]);
      }
    }
  }
  absl::StatusOr<FloatTable> TakeRows() override {
    return FloatTable(std::move(means_));
  }

 private:
  PaddedMatrix means_;
  std::vector<uint64_t> counts_;
};

class CbowStudent : public DistillStudent {
 public:
  CbowStudent(const DistillOptions& options, absl::Span<const uint64_t> counts,
              PaddedMatrix rows)
      : options_(options),
        noise_(counts, kNoiseExponent),
        rng_(options.seed),
        rows_(std::move(rows)),
        sum_(rows_.cols()),
        context_(rows_.cols()) {}

  void Learn(absl::Span<const uint32_t> rows, const TokenVectors& vectors,
             double done) override {
    if (rows.size() < 2) return;
    std::fill(sum_.begin(), sum_.end(), 0.0f);
    for (size_t token = 0; token < rows.size(); ++token) {
      nn::AddScaled(sum_.size(), 1.0f, vectors.Vector(0, token).data(),
                    sum_.data());
    }
    const auto rate = static_cast<float>(options_.learning_rate * (1 - done));
    for (size_t token = 0; token < rows.size(); ++token) {
      if (rows[token] >= rows_.rows()) continue;
      if (!SetContext(vectors.Vector(0, token))) continue;
      Step(rows[token], 1, rate);
      for (int n = 0; n < options_.negatives; ++n) {
        const auto noise = static_cast<uint32_t>(noise_.Sample(rng_));
        if (noise != rows[token]) Step(noise, 0, rate);
      }
    }
  }
  absl::StatusOr<FloatTable> TakeRows() override {
    return FloatTable(std::move(rows_));
  }

 private:
  // Sets context_. Returns false if it is zero and therefore has no direction.
  bool SetContext(absl::Span<const float> own) {
    std::copy(sum_.begin(), sum_.end(), context_.begin());
    nn::AddScaled(context_.size(), -1.0f, own.data(), context_.data());
    const float squares =
        nn::DotProduct(context_.size(), context_.data(), context_.data());
    if (!(squares > 0)) return false;
    const float scale = 1 / std::sqrt(squares);
    for (float& value : context_) value *= scale;
    return true;
  }
  void Step(uint32_t row, float label, float rate) {
    float* const u = rows_.Row(row);
    const float score = nn::DotProduct(context_.size(), u, context_.data());
    nn::AddScaled(context_.size(), rate * (label - 1 / (1 + std::exp(-score))),
                  context_.data(), u);
  }

  DistillOptions options_;
  NoiseDistribution noise_;
  Rng rng_;
  PaddedMatrix rows_;           // u
  std::vector<float> sum_;      // sum of the sentence
  std::vector<float> context_;  // h
};

}  // namespace

absl::StatusOr<std::unique_ptr<DistillStudent>> MakeStudent(
    const DistillOptions& options, absl::Span<const uint64_t> counts,
    size_t dim) {
  FIRTH_ASSIGN_OR_RETURN(PaddedMatrix rows, AllocateTable("distilled vectors",
                                                          counts.size(), dim));
  std::unique_ptr<DistillStudent> student;
  if (options.method == DistillMethod::kMean) {
    student = std::make_unique<MeanStudent>(std::move(rows));
  } else {
    student = std::make_unique<CbowStudent>(options, counts, std::move(rows));
  }
  return student;
}

}  // namespace firth
