// Options and weights as they should not be.

#include "lm/import/elmo_import.h"

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_program.h"

namespace firth {
namespace {

using testing::HasSubstr;

constexpr char kOptions[] = R"({
  "lstm": {"dim": 64, "projection_dim": 16, "n_layers": 2, "cell_clip": 3,
           "proj_clip": 3, "use_skip_connections": true},
  "char_cnn": {"embedding": {"dim": 4}, "filters": [[1, 4], [2, 8]],
               "n_highway": 2, "max_characters_per_token": 50,
               "activation": "relu"}})";

struct OptionsCase {
  const char* name;
  const char* replace;  // in kOptions
  const char* by;
  const char* message;
};

constexpr OptionsCase kBadOptions[] = {
    {"not JSON", "{", "[", "expected a JSON object"},
    {"no lstm", "\"lstm\"", "\"rnn\"", "\"lstm\": expected an object"},
    {"no character CNN", "\"char_cnn\"", "\"x\"",
     "\"char_cnn\": expected an object, found nothing"},
    {"dim of 0", "\"dim\": 64", "\"dim\": 0",
     "\"lstm.dim\": expected a whole number from 1 to"},
    {"dim below 0", "\"dim\": 64", "\"dim\": -64", "found \"-64\""},
    {"huge dim", "\"dim\": 64", "\"dim\": 99999999999999", "lstm.dim"},
    {"dim of text", "\"dim\": 64", "\"dim\": \"64\"", "lstm.dim"},
    {"negative clip", "\"cell_clip\": 3", "\"cell_clip\": -3",
     "lstm.cell_clip"},
    {"filter of width 0", "[1, 4]", "[0, 4]", "char_cnn.filters"},
    {"filter wider than a word", "[1, 4]", "[51, 4]", "char_cnn.filters"},
    {"filter of one number", "[1, 4]", "[1]", "char_cnn.filters"},
    {"no filters", "[[1, 4], [2, 8]]", "[]", "char_cnn.filters"},
    {"words of 2 characters", "50", "2", "max_characters_per_token"},
    {"unknown activation", "relu", "sigmoid",
     "\"char_cnn.activation\": expected \"relu\" or \"tanh\""},
    {"no embedding", "\"embedding\"", "\"e\"", "char_cnn.embedding"},
};

TEST(ElmoOptionsTest, AreRead) {
  const std::string path = MakeTestFolder() + "/options.json";
  WriteWholeFile(path, kOptions);
  const auto options = ReadElmoOptions(path);
  ASSERT_EQ(options.status(), absl::OkStatus());
  EXPECT_EQ(options->stack.layers, 2u);
  EXPECT_TRUE(options->stack.residual);
  EXPECT_EQ(options->stack.recurrent.units, 64u);
  EXPECT_EQ(options->stack.recurrent.projection_dim, 16u);
  EXPECT_EQ(options->stack.recurrent.cell_clip, 3);
  EXPECT_EQ(options->encoder.highways, 2u);
  EXPECT_EQ(options->encoder.projection_dim, 16u);
  EXPECT_EQ(options->encoder.char_cnn.num_filters(), 12u);
}

TEST(ElmoOptionsTest, BadOnesAreNamed) {
  const std::string path = MakeTestFolder() + "/options.json";
  for (const OptionsCase& test : kBadOptions) {
    WriteWholeFile(path,
                   absl::StrReplaceAll(kOptions, {{test.replace, test.by}}));
    const absl::Status status = ReadElmoOptions(path).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << test.name;
    EXPECT_THAT(std::string(status.message()), HasSubstr(test.message))
        << test.name;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path));
  }
}

TEST(ElmoImportTest, WeightsThatAreNoHdf5FileAreRefused) {
  const std::string folder = MakeTestFolder();
  WriteWholeFile(folder + "/options.json", kOptions);
  WriteWholeFile(folder + "/empty", "");
  WriteWholeFile(folder + "/text", "these are no weights");
  for (const char* name : {"/empty", "/text"}) {
    const absl::Status status =
        ReadElmo(folder + "/options.json", folder + name).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << name;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("expected an HDF5 file"));
  }
  EXPECT_EQ(ReadElmo(folder + "/options.json", folder).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(
      ReadElmo(folder + "/options.json", folder + "/none").status().code(),
      absl::StatusCode::kNotFound);
  EXPECT_EQ(ReadElmo(folder + "/none", folder + "/text").status().code(),
            absl::StatusCode::kNotFound);
}

struct FixtureTest : testing::Test {
  void SetUp() override {
    const char* const data = std::getenv("FIRTH_DATA");
    if (data == nullptr) GTEST_SKIP() << "FIRTH_DATA is not set";
    model = absl::StrCat(data, "/elmo/model/");
  }
  std::string model;
};

TEST_F(FixtureTest, TruncatedWeightsAreRefused) {
  const std::string bytes = ReadWholeFile(model + "lm_weights.hdf5");
  const std::string path = MakeTestFolder() + "/weights.hdf5";
  for (size_t share = 0; share < 8; ++share) {
    WriteWholeFile(path, bytes.substr(0, bytes.size() * share / 8));
    const absl::Status status = ReadElmo(model + "options.json", path).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << share;
  }
}

TEST_F(FixtureTest, WeightsOfAnotherShapeAreNamed) {
  const std::string path = MakeTestFolder() + "/options.json";
  WriteWholeFile(path,
                 absl::StrReplaceAll(ReadWholeFile(model + "options.json"),
                                     {{"\"dim\": 64", "\"dim\": 65"}}));
  const absl::Status status =
      ReadElmo(path, model + "lm_weights.hdf5").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("LSTMCell/W_0\": expected the shape [32, 260], found "
                        "[32, 256]"));
}

}  // namespace
}  // namespace firth
