// A quantile of the normal distribution, which intervals are computed from.

#ifndef FIRTH_BASE_NORMAL_QUANTILE_H_
#define FIRTH_BASE_NORMAL_QUANTILE_H_

namespace firth {

constexpr double kZ95 = 1.959963984540054;  // quantile of 0.975

}  // namespace firth

#endif  // FIRTH_BASE_NORMAL_QUANTILE_H_
