// Elementwise operations other than recurrent cells, with vectors for floats
// and plain loops for doubles (see simd/lanes-inl.h).

#ifndef FIRTH_NN_ELEMENTWISE_H_
#define FIRTH_NN_ELEMENTWISE_H_

#include <cstddef>

#include "firth/network_kinds.h"

namespace firth::nn {

using firth::Activation;

// Sets values = activation(values), and `slopes`, if not null, to its
// derivatives.
void Activate(Activation activation, size_t count, float* values,
              float* slopes);
void Activate(Activation activation, size_t count, double* values,
              double* slopes);

// For kRelu and kTanh, whose slope follows from their output: set values =
// activation(values), and multiply the gradient by the slope at that `output`.
void Activate(Activation activation, size_t count, float* values);
void Activate(Activation activation, size_t count, double* values);
void ActivateBackward(Activation activation, size_t count, const float* output,
                      float* gradient);
void ActivateBackward(Activation activation, size_t count, const double* output,
                      double* gradient);

// Process one row of a highway layer. `parts` [2 dim] has the products of gate
// and transform, which are replaced by their activations, and those by
// gradients. Sets d_input to the gradient that passes the layer unchanged.
void HighwayForward(size_t dim, const float* bias, const float* input,
                    float* parts, float* output);
void HighwayForward(size_t dim, const double* bias, const double* input,
                    double* parts, double* output);
void HighwayBackward(size_t dim, const float* input, const float* d_output,
                     float* parts, float* d_input);
void HighwayBackward(size_t dim, const double* input, const double* d_output,
                     double* parts, double* d_input);

// Replace scores by scale * softmax(scores + offsets). Return the logarithm of
// the normalizer, or NaN if a score is NaN. `offsets` may be null.
float Softmax(size_t count, float scale, const float* offsets, float* scores);
double Softmax(size_t count, double scale, const double* offsets,
               double* scores);

// Replace scores by scale * sigmoid(scores + offsets). Return the sum of ln(1 +
// exp(scores + offsets)), the loss if the correct label of all is false.
double Logistic(size_t count, float scale, const float* offsets, float* scores);
double Logistic(size_t count, double scale, const double* offsets,
                double* scores);

// Replace the gradient of the results of a softmax by that of its scores.
void SoftmaxBackward(size_t count, const float* shares, float* gradient);
void SoftmaxBackward(size_t count, const double* shares, double* gradient);

// Set output = (input - mean) / deviation, where deviation = sqrt(variance +
// epsilon). Return 1 / deviation.
float Normalize(size_t count, float epsilon, const float* input, float* output);
double Normalize(size_t count, double epsilon, const double* input,
                 double* output);
// Replace the gradient g of output y by that of the input, (g - mean(g) - y
// mean(g y)) / deviation.
void NormalizeBackward(size_t count, float inverse_deviation,
                       const float* output, float* gradient);
void NormalizeBackward(size_t count, double inverse_deviation,
                       const double* output, double* gradient);

// Elementwise products: to = a * b, and to += a * b.
void MultiplyEach(size_t count, const float* a, const float* b, float* to);
void MultiplyEach(size_t count, const double* a, const double* b, double* to);
void AddProducts(size_t count, const float* a, const float* b, float* to);
void AddProducts(size_t count, const double* a, const double* b, double* to);

// to += factor * from
void AddScaled(size_t count, float factor, const float* from, float* to);
void AddScaled(size_t count, double factor, const double* from, double* to);

// Return the sum of a[i] * b[i].
float DotProduct(size_t count, const float* a, const float* b);
double DotProduct(size_t count, const double* a, const double* b);

// Set best[i] = max(best[i], values[i]), and places[i] = place if this is new.
void KeepGreatest(size_t count, const float* values, int place, float* best,
                  int* places);
void KeepGreatest(size_t count, const double* values, int place, double* best,
                  int* places);

}  // namespace firth::nn

#endif  // FIRTH_NN_ELEMENTWISE_H_
