// Elementwise work outside of the recurrent cells: vectors in floats, plain
// loops in doubles (see simd/lanes-inl.h).

#ifndef FIRTH_NN_ELEMENTWISE_H_
#define FIRTH_NN_ELEMENTWISE_H_

#include <cstddef>

#include "firth/network_kinds.h"

namespace firth::nn {

using firth::Activation;

// values = activation(values). `slopes`, if not null, gets its derivatives
// there.
void Activate(Activation activation, size_t count, float* values,
              float* slopes);
void Activate(Activation activation, size_t count, double* values,
              double* slopes);

// For kRelu and kTanh, whose slope their output tells: values =
// activation(values), and gradient *= its slope where the activation had that
// `output`.
void Activate(Activation activation, size_t count, float* values);
void Activate(Activation activation, size_t count, double* values);
void ActivateBackward(Activation activation, size_t count, const float* output,
                      float* gradient);
void ActivateBackward(Activation activation, size_t count, const double* output,
                      double* gradient);

// One row of a highway layer. parts: [2 dim], products of gate and transform;
// becomes their activations, then their gradients. d_input is overwritten by
// what passes the layer unchanged.
void HighwayForward(size_t dim, const float* bias, const float* input,
                    float* parts, float* output);
void HighwayForward(size_t dim, const double* bias, const double* input,
                    double* parts, double* output);
void HighwayBackward(size_t dim, const float* input, const float* d_output,
                     float* parts, float* d_input);
void HighwayBackward(size_t dim, const double* input, const double* d_output,
                     double* parts, double* d_input);

// scores + offsets become scale * softmax(scores + offsets). Returns the
// logarithm of the normaliser, NaN if a score is NaN. offsets may be null.
float Softmax(size_t count, float scale, const float* offsets, float* scores);
double Softmax(size_t count, double scale, const double* offsets,
               double* scores);

// scores + offsets become scale * sigmoid(scores + offsets). Returns the sum of
// ln(1 + exp(scores + offsets)): the loss of telling all of them from true.
double Logistic(size_t count, float scale, const float* offsets, float* scores);
double Logistic(size_t count, double scale, const double* offsets,
                double* scores);

// From the gradient by the results of a softmax to that by its scores, in
// place.
void SoftmaxBackward(size_t count, const float* shares, float* gradient);
void SoftmaxBackward(size_t count, const double* shares, double* gradient);

// output = (input - mean) / deviation, with deviation = sqrt(variance +
// epsilon). Returns 1 / deviation.
float Normalize(size_t count, float epsilon, const float* input, float* output);
double Normalize(size_t count, double epsilon, const double* input,
                 double* output);
// From the gradient by `output` to that by the input, in place: (g - mean(g) -
// y mean(g y)) / deviation.
void NormalizeBackward(size_t count, float inverse_deviation,
                       const float* output, float* gradient);
void NormalizeBackward(size_t count, double inverse_deviation,
                       const double* output, double* gradient);

// to = a * b; to += a * b; numbers of one place each.
void MultiplyEach(size_t count, const float* a, const float* b, float* to);
void MultiplyEach(size_t count, const double* a, const double* b, double* to);
void AddProducts(size_t count, const float* a, const float* b, float* to);
void AddProducts(size_t count, const double* a, const double* b, double* to);

// to += factor * from
void AddScaled(size_t count, float factor, const float* from, float* to);
void AddScaled(size_t count, double factor, const double* from, double* to);

// The sum of a[i] * b[i].
float DotProduct(size_t count, const float* a, const float* b);
double DotProduct(size_t count, const double* a, const double* b);

// best[i] = max(best[i], values[i]), and where that is new, places[i] = place.
void KeepGreatest(size_t count, const float* values, int place, float* best,
                  int* places);
void KeepGreatest(size_t count, const double* values, int place, double* best,
                  int* places);

}  // namespace firth::nn

#endif  // FIRTH_NN_ELEMENTWISE_H_
