// Learning rates by step.

#ifndef FIRTH_NN_SCHEDULE_H_
#define FIRTH_NN_SCHEDULE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "firth/network_kinds.h"

namespace firth::nn {

using firth::Decay;

// A learning rate that rises linearly to `start` over `warmup` steps. It then
// stays constant, or falls to `end` at step `total`: linearly, by a constant
// factor per step, or along half a period of a cosine (Loshchilov and Hutter,
// "SGDR", 2017). Or it falls with 1 / sqrt(step), counted from 1 (Vaswani et
// al. 2017). From `total` on it is constant.
struct Schedule {
  Decay decay = Decay::kConstant;
  double start = 0.1;
  double end = 0;       // above 0 if exponential
  uint64_t warmup = 0;  // steps
  uint64_t total = 1;   // steps, more than warmup

  // Returns the rate of a step, counted from 0.
  double At(uint64_t step) const {
    if (step < warmup) {
      return start * static_cast<double>(step + 1) /
             static_cast<double>(warmup);
    }
    const auto past = static_cast<double>(std::min(step, total) - warmup);
    const double share = past / static_cast<double>(total - warmup);
    switch (decay) {
      case Decay::kConstant:
        return start;
      case Decay::kLinear:
        return start + (end - start) * share;
      case Decay::kExponential:
        return start * std::pow(end / start, share);
      case Decay::kCosine:
        return end +
               (start - end) * (1 + std::cos(std::numbers::pi * share)) / 2;
      case Decay::kInverseRoot: {
        const auto base = static_cast<double>(std::max<uint64_t>(warmup, 1));
        const auto done = static_cast<double>(std::min(step, total) + 1);
        return start * std::sqrt(base / done);
      }
    }
    return start;
  }
};

}  // namespace firth::nn

#endif  // FIRTH_NN_SCHEDULE_H_
