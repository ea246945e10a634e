// The same weights and input in PyTorch: outputs, and gradients by every
// parameter and by the input. Skipped where Python with torch is not installed
// (Debian: python3-torch).

#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "nn/recurrent.h"
#include "support/gradient_check.h"
#include "support/run_program.h"

namespace firth::nn {
namespace {

constexpr int kNoTorch = 77;
constexpr size_t kSteps = 6;
constexpr size_t kBatch = 5;
constexpr size_t kInputDim = 7;
constexpr size_t kUnits = 19;

// Arguments: folder, cell, projection. Reads x, w (the weights of the loss) and
// the parameters in our layout; writes "torch.<name>" for the output, for the
// gradients by the input and by the parameters.
constexpr char kScript[] = R"(
import sys
try:
    import torch
    import numpy
except ImportError:
    sys.exit(77)
folder, cell, proj = sys.argv[1], sys.argv[2], int(sys.argv[3])
T, B, D, H = 6, 5, 7, 19
P = proj or H
def load(name, *shape):
    return torch.from_numpy(
        numpy.fromfile(folder + '/' + name, numpy.float32).reshape(shape))
def save(name, tensor):
    tensor.detach().numpy().astype(numpy.float32).tofile(
        folder + '/torch.' + name)
# Our planes in the order of torch's gates: of the input weights, of the
# recurrent ones, and of the two biases (-1: none).
planes = {
    'rnn': ([0], [0], [0], [-1]),
    'lstm': ([0, 2, 1, 3], [0, 2, 1, 3], [0, 2, 1, 3], [-1] * 4),
    'gru-reset-after': ([1, 0, 2], [2, 1, 0], [2, 1, 3], [-1, -1, 0]),
}[cell]
G = len(planes[0])
bias_planes = 4 if cell == 'gru-reset-after' else G
kinds = {'rnn': torch.nn.RNN, 'lstm': torch.nn.LSTM,
         'gru-reset-after': torch.nn.GRU}
net = kinds[cell](D, H, **({'proj_size': proj} if proj else {}))
def to_torch(ours, order):
    rows = ours.reshape(ours.shape[0], -1, H)
    return torch.cat([rows[:, p] for p in order], 1).T
def from_torch(theirs, order, count):
    rows = torch.zeros(theirs.shape[1], count, H)
    for gate, plane in enumerate(order):
        if plane >= 0:
            rows[:, plane] += theirs.T[:, gate * H:(gate + 1) * H]
    return rows
bias = load('layer.bias', bias_planes, H)
zero = torch.zeros(H)
with torch.no_grad():
    net.weight_ih_l0.copy_(to_torch(load('layer.input', D, G * H), planes[0]))
    net.weight_hh_l0.copy_(
        to_torch(load('layer.recurrent', P, G * H), planes[1]))
    for theirs, order in ((net.bias_ih_l0, planes[2]),
                          (net.bias_hh_l0, planes[3])):
        theirs.copy_(torch.cat([bias[p] if p >= 0 else zero for p in order]))
    if proj:
        net.weight_hr_l0.copy_(load('layer.projection', H, P).T)
x = load('x', T, B, D).requires_grad_()
output, _ = net(x)
(output * load('w', T, B, P)).sum().backward()
save('output', output)
save('x', x.grad)
save('layer.input', from_torch(net.weight_ih_l0.grad, planes[0], G))
save('layer.recurrent', from_torch(net.weight_hh_l0.grad, planes[1], G))
save('layer.bias',
     from_torch(net.bias_ih_l0.grad[:, None], planes[2], bias_planes) +
     from_torch(net.bias_hh_l0.grad[:, None], planes[3], bias_planes))
if proj:
    save('layer.projection', net.weight_hr_l0.grad.T)
)";

int RunPython(const std::string& arguments) {
  for (const char* python : {"/usr/bin/python3", "python3"}) {
    const int result =
        std::system(absl::StrCat(python, " ", arguments).c_str());
    const int code = WIFEXITED(result) ? WEXITSTATUS(result) : -1;
    if (code != kNoTorch && code != 127) return code;
  }
  return kNoTorch;
}

void WriteFloats(const std::string& path, const float* values, size_t count) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values),
             static_cast<std::streamsize>(count * sizeof(float)));
}

// |ours - theirs| / |theirs| over all values.
double RelativeDifference(const std::string& path, const float* ours,
                          size_t count) {
  std::vector<float> theirs(count);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(theirs.data()),
            static_cast<std::streamsize>(count * sizeof(float)));
  EXPECT_EQ(file.gcount(), static_cast<std::streamsize>(count * sizeof(float)))
      << path;
  double difference = 0, norm = 0;
  for (size_t i = 0; i < count; ++i) {
    difference += std::pow(double{ours[i]} - theirs[i], 2);
    norm += std::pow(double{theirs[i]}, 2);
  }
  return std::sqrt(difference / norm);
}

struct ParityCase {
  CellKind cell;
  size_t projection_dim;
};

class TorchParityTest : public testing::TestWithParam<ParityCase> {};

TEST_P(TorchParityTest, OutputsAndGradientsAgree) {
  RecurrentOptions options;
  options.cell = GetParam().cell;
  options.input_dim = kInputDim;
  options.units = kUnits;
  options.projection_dim = GetParam().projection_dim;
  Recurrent<float> layer(options, "layer", 1);
  ParameterList<float> parameters;
  layer.AppendParameters(&parameters);
  Randomize(parameters, 5, 0.4);
  const ChunkShape shape{kSteps, kBatch, {}};
  const Matrix<float> x = RandomMatrix<float>(shape.rows(), kInputDim, 6);
  const Matrix<float> w =
      RandomMatrix<float>(shape.rows(), options.output_dim(), 7);
  const std::string folder = MakeTestFolder();
  WriteFloats(folder + "/x", x.data(), x.size());
  WriteFloats(folder + "/w", w.data(), w.size());
  for (const Parameter<float>* parameter : parameters) {
    WriteFloats(absl::StrCat(folder, "/", parameter->name),
                parameter->value.data(), parameter->value.size());
  }
  WriteWholeFile(folder + "/check.py", kScript);
  const int code =
      RunPython(absl::StrCat("'", folder, "/check.py' '", folder, "' ",
                             kCellNames[static_cast<size_t>(options.cell)], " ",
                             options.projection_dim));
  if (code == kNoTorch) GTEST_SKIP() << "no Python with torch here";
  ASSERT_EQ(code, 0);

  LayerState<float> state;
  layer.AppendState("", kBatch, &state);
  const ConstView<float> output = layer.Forward(x.view(), shape, state.parts());
  EXPECT_LT(RelativeDifference(folder + "/torch.output", output.data(),
                               output.rows() * output.cols()),
            1e-5);
  Matrix<float> d_x(shape.rows(), kInputDim);
  layer.Backward(x.view(), w.view(), d_x.view());
  EXPECT_LT(RelativeDifference(folder + "/torch.x", d_x.data(), d_x.size()),
            1e-4);
  for (Parameter<float>* parameter : parameters) {
    EXPECT_LT(
        RelativeDifference(absl::StrCat(folder, "/torch.", parameter->name),
                           parameter->gradient.Row(0), parameter->value.size()),
        1e-4)
        << parameter->name;
  }
}

INSTANTIATE_TEST_SUITE_P(Cells, TorchParityTest,
                         testing::Values(ParityCase{CellKind::kTanh, 0},
                                         ParityCase{CellKind::kLstm, 0},
                                         ParityCase{CellKind::kLstm, 8},
                                         ParityCase{CellKind::kGruResetAfter,
                                                    0}));

}  // namespace
}  // namespace firth::nn
