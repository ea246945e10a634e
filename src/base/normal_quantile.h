// A quantile of the normal distribution, for confidence intervals.

#ifndef FIRTH_BASE_NORMAL_QUANTILE_H_
#define FIRTH_BASE_NORMAL_QUANTILE_H_

namespace firth {

constexpr double kZ95 = 1.959963984540054;  // The quantile of 0.975.

}  // namespace firth

#endif  // FIRTH_BASE_NORMAL_QUANTILE_H_
