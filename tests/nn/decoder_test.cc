#include "nn/decoder.h"

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/team.h"
#include "gtest/gtest.h"
#include "nn/elementwise.h"
#include "nn/encoder.h"
#include "support/golden_data.h"
#include "support/gradient_check.h"

namespace firth::nn {
namespace {

// An encoder and a decoder of a kind, and the chunks that they read.
struct Variant {
  std::string name;
  AttentionKind attention = AttentionKind::kDot;
  bool feeding = true;
  size_t layers = 1;
  CellKind cell = CellKind::kLstm;
  bool transformer = false;
  double dropout = 0;
};

constexpr size_t kUnits = 6;
constexpr size_t kInputDim = 3;
constexpr size_t kSourceLengths[] = {4, 1, 2};
constexpr size_t kTargetLengths[] = {2, 3, 1};
constexpr size_t kBatch = std::size(kSourceLengths);

size_t TotalOf(absl::Span<const size_t> lengths) {
  size_t sum = 0;
  for (const size_t length : lengths) sum += length;
  return sum;
}

template <class T>
struct Pair {
  explicit Pair(const Variant& variant)
      : encoder(EncoderLayers(variant),
                variant.transformer ? Reading::kForward : Reading::kBoth,
                kInputDim, 1),
        decoder(MakeDecoder<T>(Options(variant), kInputDim, "decoder", 2)) {
    encoder.AppendParameters(&parameters);
    decoder->AppendParameters(&parameters);
  }

  static RecurrentLayers Recurrent(const Variant& variant, size_t units) {
    RecurrentLayers layers;
    layers.recurrent.cell = variant.cell;
    layers.recurrent.units = units;
    layers.layers = variant.layers;
    layers.dropout = variant.dropout;
    return layers;
  }
  static TransformerLayers Blocks(const Variant& variant, bool decodes) {
    return {.units = kUnits,
            .heads = 2,
            .feed_forward = 7,
            .layers = variant.layers,
            .context = 8,
            .positions = PositionKind::kSinusoidal,
            .causal = decodes,
            .decodes = decodes,
            .dropout = variant.dropout};
  }
  static LayersOptions EncoderLayers(const Variant& variant) {
    if (variant.transformer) return Blocks(variant, false);
    return Recurrent(variant, kUnits / 2);
  }
  static DecoderOptions Options(const Variant& variant) {
    DecoderOptions options;
    options.attention = variant.attention;
    options.input_feeding = variant.feeding;
    if (variant.transformer) {
      options.layers = Blocks(variant, true);
    } else {
      options.layers = Recurrent(variant, kUnits);
    }
    return options;
  }

  ConstView<T> Forward(ConstView<T> source, ConstView<T> target,
                       const ChunkShape& shape, DropoutKey key) {
    encoded = encoder.Forward(source, kSourceLengths, key, 1);
    return decoder->Forward(target, shape, encoded, key);
  }
  void Backward(ConstView<T> d_top, View<T> d_source, View<T> d_target) {
    Matrix<T> d_rows(encoded.rows.rows(), kUnits);
    LayerState<T> d_state;
    for (size_t i = 0;
         encoded.state != nullptr && i < encoded.state->num_parts(); ++i) {
      d_state.Add("", kBatch, kUnits);
    }
    decoder->Backward(d_top, d_target, d_rows.view(), &d_state);
    encoder.Backward(d_rows.view(), d_state.empty() ? nullptr : &d_state, 1,
                     d_source);
  }

  Encoder<T> encoder;
  std::unique_ptr<Decoder<T>> decoder;
  ParameterList<T> parameters;
  EncodedTexts<T> encoded;
};

class DecoderTest : public testing::TestWithParam<Variant> {};

TEST_P(DecoderTest, GradientsAreThoseOfDifferences) {
  Pair<double> pair(GetParam());
  Parameter<double> source("source", TotalOf(kSourceLengths), kInputDim);
  const ChunkShape shape{3, kBatch, kTargetLengths};
  Parameter<double> target("target", shape.rows(), kInputDim);
  ParameterList<double> parameters = pair.parameters;
  parameters.insert(parameters.end(), {&source, &target});
  Randomize(parameters, 7);
  Matrix<double> weights = RandomMatrix<double>(shape.rows(), kUnits, 9);
  for (size_t row = 0; row < shape.rows(); ++row) {
    if (row / kBatch < kTargetLengths[row % kBatch]) continue;
    SetZero(weights.view().Rows(row, 1));
  }
  const auto loss = [&] {
    return WeightedSum(pair.Forward(source.value.view(), target.value.view(),
                                    shape, DropoutKey(3)),
                       weights.view());
  };
  loss();
  pair.Backward(weights.view(), source.gradient.view(), target.gradient.view());
  ExpectGradients(parameters, loss);
}

// Generating with known words gives what reading them does. Text 1 has two
// hypotheses, which change their order.
TEST_P(DecoderTest, StepsAreThoseOfWholeTexts) {
  Pair<float> pair(GetParam());
  Randomize(pair.parameters, 5);
  const auto source =
      RandomMatrix<float>(TotalOf(kSourceLengths), kInputDim, 6);
  const auto target = RandomMatrix<float>(3 * kBatch, kInputDim, 8);
  const Matrix<float> whole = [&] {
    const ConstView<float> top =
        pair.Forward(source.view(), target.view(), {3, kBatch}, {});
    Matrix<float> copy(top.rows(), top.cols());
    Copy(top, copy.view());
    return copy;
  }();
  const EncodedTexts<float> encoded =
      pair.encoder.Forward(source.view(), kSourceLengths, {}, 1);
  LayerState<float> state = pair.decoder->Start(encoded);
  std::vector<size_t> texts = {0, 1, 2};
  for (size_t t = 0; t < 3; ++t) {
    if (t == 1) texts = {2, 1, 0, 1};
    if (t == 1) state.KeepRows({2, 1, 0, 1});
    Matrix<float> input(texts.size(), kInputDim);
    for (size_t h = 0; h < texts.size(); ++h) {
      std::copy_n(target.Row(t * kBatch + texts[h]), kInputDim, input.Row(h));
    }
    const ConstView<float> top =
        pair.decoder->Step(input.view(), texts, &state);
    for (size_t h = 0; h < texts.size(); ++h) {
      ExpectClose<float>(top.Rows(h, 1),
                         whole.view().Rows(t * kBatch + texts[h], 1), 2e-6,
                         absl::StrCat("step ", t, " hypothesis ", h));
    }
    if (!pair.decoder->has_attention()) continue;
    Matrix<float> attention;
    pair.decoder->CopyAttention(&attention);
    ASSERT_EQ(attention.rows(), texts.size());
    ASSERT_EQ(attention.cols(), 4u);
    for (size_t h = 0; h < texts.size(); ++h) {
      float sum = 0;
      for (size_t j = 0; j < 4; ++j) {
        sum += attention.Row(h)[j];
        EXPECT_EQ(attention.Row(h)[j] > 0, j < kSourceLengths[texts[h]]);
      }
      EXPECT_NEAR(sum, 1, 1e-6);
    }
  }
}

TEST_P(DecoderTest, ATeamComputesTheSame) {
  constexpr size_t kMany = 40;
  std::vector<size_t> lengths;
  for (size_t b = 0; b < kMany; ++b) lengths.push_back(1 + b % 7);
  const auto source = RandomMatrix<float>(TotalOf(lengths), kInputDim, 6);
  const auto target = RandomMatrix<float>(5 * kMany, kInputDim, 8);
  const auto d_top = RandomMatrix<float>(5 * kMany, kUnits, 9);
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 3}) {
    Pair<float> pair(GetParam());
    Randomize(pair.parameters, 5);
    std::vector<float> result;
    RunTeam(threads, [&] {
      const auto encoded =
          pair.encoder.Forward(source.view(), lengths, {}, threads);
      const ConstView<float> top = pair.decoder->Forward(
          target.view(), {5, kMany}, encoded, DropoutKey(1));
      result.assign(top.data(), top.data() + top.rows() * top.cols());
      Matrix<float> d_input(target.rows(), kInputDim);
      Matrix<float> d_rows(source.rows(), kUnits);
      pair.decoder->Backward(d_top.view(), d_input.view(), d_rows.view(),
                             nullptr);
      result.insert(result.end(), d_rows.data(), d_rows.data() + d_rows.size());
      result.insert(result.end(), d_input.data(),
                    d_input.data() + d_input.size());
    });
    ParameterList<float> own;
    pair.decoder->AppendParameters(&own);
    for (const auto* parameter : own) {
      for (size_t r = 0; r < parameter->value.rows(); ++r) {
        const float* const row = parameter->gradient.Stored(r);
        result.insert(result.end(), row, row + parameter->value.cols());
      }
    }
    results.push_back(std::move(result));
  }
  EXPECT_EQ(results[0], results[1]);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, DecoderTest,
    testing::Values(
        Variant{"Dot"},
        Variant{.name = "DotWithoutFeeding", .feeding = false, .dropout = .3},
        Variant{.name = "General",
                .attention = AttentionKind::kGeneral,
                .dropout = .3},
        Variant{.name = "AdditiveOfTwoLayers",
                .attention = AttentionKind::kAdditive,
                .layers = 2},
        Variant{.name = "AdditiveWithoutFeedingGru",
                .attention = AttentionKind::kAdditive,
                .feeding = false,
                .layers = 2,
                .cell = CellKind::kGruResetAfter},
        Variant{.name = "DotGru", .cell = CellKind::kGruResetBefore},
        Variant{.name = "WithoutAttention",
                .attention = AttentionKind::kNone,
                .layers = 2,
                .dropout = .2},
        Variant{.name = "Transformer",
                .layers = 2,
                .transformer = true,
                .dropout = .2}),
    [](const auto& info) { return info.param.name; });

// Torch's gates are i f g o, ours i g f o.
template <class T>
Matrix<T> OurGates(const Matrix<T>& torch) {
  const size_t units = torch.cols() / 4;
  Matrix<T> ours(torch.rows(), torch.cols());
  for (size_t plane = 0; plane < 4; ++plane) {
    constexpr size_t kTheirs[] = {0, 2, 1, 3};
    Copy<T>(torch.view().Cols(kTheirs[plane] * units, units),
            ours.view().Cols(plane * units, units));
  }
  return ours;
}

// A whole model of the golden data, whose arrays have the prefix "param." or
// "<kind>.grad.".
template <class T>
class GoldenModel {
 public:
  static constexpr size_t kUnits = 8, kBatch = 3, kSteps = 5;

  GoldenModel(const GoldenFile& golden, AttentionKind kind)
      : golden_(golden),
        kind_(kind),
        source_(Read("param.source_table")),
        target_(Read("param.target_table")),
        output_(Read("param.output.weight")),
        encoder_(EncoderLayers(), Reading::kBoth, source_.cols(), 1),
        decoder_(MakeDecoder<T>(Options(), target_.cols(), "decoder", 2)) {
    encoder_.AppendParameters(&parameters_);
    decoder_->AppendParameters(&parameters_);
    names_ = {"encoder.forward", "", "", "encoder.backward", "", "",
              "decoder",         "", ""};
    for (size_t i = 0; i < 9; i += 3) {
      names_[i + 2] = names_[i] + ".bias";
      names_[i + 1] = names_[i] + ".weight_hh";
      names_[i] += ".weight_ih";
    }
    if (kind == AttentionKind::kGeneral) names_.push_back("general.weight");
    names_.insert(names_.end(), {"combine.weight", "combine.bias"});
    EXPECT_EQ(names_.size(), parameters_.size());
    for (size_t p = 0; p < names_.size(); ++p) {
      parameters_[p]->value = ReadOurs("param.", names_[p]);
    }
  }

  // Compares everything that a training step computes.
  void ExpectStep(const std::string& name) {
    const auto source = golden_.ReadSizes("source");
    const auto target = golden_.ReadSizes("target");
    const auto lengths = golden_.ReadSizes("source_lengths");
    const auto target_lengths = golden_.ReadSizes("target_lengths");
    const Matrix<T> packed = Packed(source, lengths);
    const EncodedTexts<T> encoded =
        encoder_.Forward(packed.view(), lengths, {}, 1);
    const ChunkShape shape{kSteps, kBatch, target_lengths};
    Matrix<T> input(shape.rows(), target_.cols());
    for (size_t row = 0; row < shape.rows(); ++row) {
      const size_t t = row / kBatch, b = row % kBatch;
      const size_t word = t == 0 ? 0 : target[b * kSteps + t - 1];
      std::copy_n(target_.Row(word), target_.cols(), input.Row(row));
    }
    const ConstView<T> top =
        decoder_->Forward(input.view(), shape, encoded, {});
    Matrix<T> logits = Logits(top);
    const auto expected = golden_.ReadTimeMajor<T>(name + ".logits", kBatch);
    Matrix<T> d_top(top.rows(), kUnits);
    T loss = 0;
    for (size_t row = 0; row < shape.rows(); ++row) {
      const size_t t = row / kBatch, b = row % kBatch;
      if (t >= target_lengths[b]) continue;
      ExpectClose<T>(logits.view().Rows(row, 1), expected.view().Rows(row, 1),
                     2e-6, name);
      const size_t word = target[b * kSteps + t];
      const T score = logits.Row(row)[word];
      loss += Softmax(logits.cols(), T{1}, static_cast<const T*>(nullptr),
                      logits.Row(row)) -
              score;
      logits.Row(row)[word] -= 1;
      Multiply(ConstView<T>(logits.view()).Rows(row, 1), output_.view(),
               Into::kOverwrite, d_top.view().Rows(row, 1));
    }
    EXPECT_NEAR(loss, golden_.Read<T>(name + ".loss").data()[0], 2e-5);
    Matrix<T> d_input(input.rows(), input.cols());
    Matrix<T> d_rows(packed.rows(), kUnits);
    Matrix<T> d_packed(packed.rows(), packed.cols());
    LayerState<T> d_state;
    for (const char* part : {"output", "state"}) {
      d_state.Add(part, kBatch, kUnits);
    }
    decoder_->Backward(d_top.view(), d_input.view(), d_rows.view(), &d_state);
    encoder_.Backward(d_rows.view(), &d_state, 1, d_packed.view());
    for (size_t p = 0; p < names_.size(); ++p) {
      ExpectRelativelyClose<T>(parameters_[p]->gradient.view(),
                               ReadOurs(name + ".grad.", names_[p]).view(),
                               2e-5, names_[p]);
    }
    Matrix<T> d_source(source_.rows(), source_.cols());
    size_t token = 0;
    for (size_t b = 0; b < kBatch; ++b) {
      for (size_t t = 0; t < lengths[b]; ++t, ++token) {
        AddScaled(source_.cols(), T{1}, d_packed.Row(token),
                  d_source.Row(source[b * source.size() / kBatch + t]));
      }
    }
    ExpectRelativelyClose<T>(d_source.view(),
                             Read(name + ".grad.source_table").view(), 2e-5,
                             "source table");
  }

  void ExpectGreedyWords(const std::string& name) {
    const auto lengths = golden_.ReadSizes("source_lengths");
    const auto expected = golden_.ReadSizes(name + ".greedy10");
    const auto attention =
        golden_.ReadTimeMajor<T>(name + ".attention", kBatch);
    const Matrix<T> packed = Packed(golden_.ReadSizes("source"), lengths);
    const EncodedTexts<T> encoded =
        encoder_.Forward(packed.view(), lengths, {}, 1);
    LayerState<T> state = decoder_->Start(encoded);
    std::vector<size_t> words(kBatch, 0);
    for (size_t t = 0; t < 10; ++t) {
      Matrix<T> input(kBatch, target_.cols());
      for (size_t b = 0; b < kBatch; ++b) {
        std::copy_n(target_.Row(words[b]), target_.cols(), input.Row(b));
      }
      const Matrix<T> logits =
          Logits(decoder_->Step(input.view(), {0, 1, 2}, &state));
      if (t == 0) {
        Matrix<T> weights;
        decoder_->CopyAttention(&weights);
        ExpectClose<T>(weights.view(), attention.view().Rows(0, kBatch), 2e-6,
                       name);
      }
      for (size_t b = 0; b < kBatch; ++b) {
        const T* const row = logits.Row(b);
        words[b] = std::max_element(row, row + logits.cols()) - row;
        EXPECT_EQ(words[b], expected[b * 10 + t]) << name << " step " << t;
      }
    }
  }

 private:
  static LayersOptions EncoderLayers() {
    RecurrentLayers layers;
    layers.recurrent.units = kUnits / 2;
    return layers;
  }
  DecoderOptions Options() const {
    RecurrentLayers layers;
    layers.recurrent.units = kUnits;
    return {layers, kind_, true};
  }
  Matrix<T> Read(const std::string& name) { return golden_.Read<T>(name); }
  Matrix<T> ReadOurs(const std::string& prefix, const std::string& name) {
    if (name == "general.weight" || name == "combine.bias") {
      return Read(prefix + name);
    }
    if (name == "combine.weight") {
      return golden_.ReadTransposed<T>(prefix + name);
    }
    return OurGates(name.find("weight") != name.npos
                        ? golden_.ReadTransposed<T>(prefix + name)
                        : Read(prefix + name));
  }
  Matrix<T> Packed(const std::vector<size_t>& words,
                   const std::vector<size_t>& lengths) {
    Matrix<T> packed(TotalOf(lengths), source_.cols());
    size_t token = 0;
    for (size_t b = 0; b < kBatch; ++b) {
      for (size_t t = 0; t < lengths[b]; ++t) {
        std::copy_n(source_.Row(words[b * words.size() / kBatch + t]),
                    source_.cols(), packed.Row(token++));
      }
    }
    return packed;
  }
  Matrix<T> Logits(ConstView<T> top) {
    Matrix<T> logits(top.rows(), output_.rows());
    Product<T>(top, Transpose::kNo, output_.view(), Transpose::kYes,
               Into::kOverwrite, logits.view());
    AddToRows(Read("param.output.bias").data(), logits.view());
    return logits;
  }

  const GoldenFile& golden_;
  AttentionKind kind_;
  Matrix<T> source_, target_;
  Matrix<T> output_;  // [words, units]
  Encoder<T> encoder_;
  std::unique_ptr<Decoder<T>> decoder_;
  ParameterList<T> parameters_;
  std::vector<std::string> names_;
};

TEST(DecoderGoldenTest, AttentionAndInputFeedingAreThoseOfTheReference) {
  const GoldenFile golden("seq2seq_lstm_attention");
  if (!golden.here()) GTEST_SKIP() << "FIRTH_DATA is not set";
  for (const AttentionKind kind :
       {AttentionKind::kDot, AttentionKind::kGeneral}) {
    const std::string name(kAttentionNames[static_cast<size_t>(kind)]);
    GoldenModel<float>(golden, kind).ExpectStep(name);
    GoldenModel<double>(golden, kind).ExpectStep(name);
    GoldenModel<float>(golden, kind).ExpectGreedyWords(name);
  }
}

// The formulas of additive attention, in plain loops.
TEST(AttentionalOutputTest, AdditiveAttentionIsThatOfThePlainFormulas) {
  Variant variant{.name = "", .attention = AttentionKind::kAdditive};
  variant.feeding = false;
  Pair<double> pair(variant);
  Randomize(pair.parameters, 5);
  const auto source =
      RandomMatrix<double>(TotalOf(kSourceLengths), kInputDim, 6);
  const EncodedTexts<double> encoded =
      pair.encoder.Forward(source.view(), kSourceLengths, {}, 1);
  LayerState<double> state = pair.decoder->Start(encoded);
  const auto input = RandomMatrix<double>(kBatch, kInputDim, 8);
  const ConstView<double> top =
      pair.decoder->Step(input.view(), {0, 1, 2}, &state);
  ParameterList<double> own;
  pair.decoder->AppendParameters(&own);
  ASSERT_EQ(own.size(), 8u);
  const Matrix<double>&query = own[3]->value, &key = own[4]->value,
        &score = own[5]->value, &combine = own[6]->value, &bias = own[7]->value;
  size_t offset = 0;
  for (size_t b = 0; b < kBatch; offset += kSourceLengths[b++]) {
    const double* const h = state[0].Row(b);
    std::vector<double> weights;
    double sum = 0;
    for (size_t j = 0; j < kSourceLengths[b]; ++j) {
      const double* const m = encoded.rows.Row(offset + j);
      double s = 0;
      for (size_t c = 0; c < kUnits; ++c) {
        double in = 0;
        for (size_t k = 0; k < kUnits; ++k) {
          in += h[k] * query.Row(k)[c] + m[k] * key.Row(k)[c];
        }
        s += score.Row(0)[c] * std::tanh(in);
      }
      weights.push_back(std::exp(s));
      sum += weights.back();
    }
    for (size_t c = 0; c < kUnits; ++c) {
      double in = bias.Row(0)[c];
      for (size_t k = 0; k < kUnits; ++k) {
        double context = 0;
        for (size_t j = 0; j < weights.size(); ++j) {
          context += weights[j] / sum * encoded.rows.Row(offset + j)[k];
        }
        in += h[k] * combine.Row(k)[c] + context * combine.Row(kUnits + k)[c];
      }
      EXPECT_NEAR(top.Row(b)[c], std::tanh(in), 1e-12);
    }
  }
}

}  // namespace
}  // namespace firth::nn
