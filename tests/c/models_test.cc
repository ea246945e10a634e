// Evaluation, sentences, language models, taggers and the description of
// options, of the C interface, against the C++ one.

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "c/c_test_support.h"
#include "firth/contextualizer.h"
#include "firth/firth.h"
#include "firth/language_model.h"
#include "firth/sentence_vectors.h"
#include "firth/tagger.h"
#include "firth/vector_io.h"
#include "firth/vector_training.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/model/language_model_file.h"
#include "lm/tiny_language_model.h"
#include "nlohmann/json.hpp"
#include "support/temp_files.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::ElementsAre;
using ParsedJson = nlohmann::json;

ParsedJson ParsedOf(FirthBuffer* buffer) {
  return ParsedJson::parse(TextOf(buffer));
}

TEST(CSentenceEncoderTest, VectorsAreThoseOfTheLibrary) {
  FirthVectors* const vectors = VectorsOf({"a", "b"}, {1, 2, 3, 6});
  FirthSentenceEncoder* encoder = nullptr;
  ASSERT_TRUE(
      Fine(firth_sentence_encoder_create(vectors, nullptr, 0, &encoder)));
  firth_vectors_free(vectors);
  const CTexts texts(std::vector<std::string>{"a b", "none", "b"});
  float rows[6];
  int64_t known[3];
  ASSERT_TRUE(Fine(firth_sentence_encoder_encode(
      encoder, texts.bytes.data(), texts.offsets.data(), 3, nullptr, nullptr,
      rows, known)));
  EXPECT_THAT(rows, ElementsAre(2, 4, 0, 0, 3, 6));
  EXPECT_THAT(known, ElementsAre(2, 0, 1));
  firth_sentence_encoder_free(encoder);
}

class CLanguageModelTest : public testing::Test {
 protected:
  CLanguageModelTest() {
    EXPECT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kBoth), path),
              absl::OkStatus());
    EXPECT_TRUE(
        Fine(firth_language_model_load(path.data(), SizeOf(path), &model)));
  }
  ~CLanguageModelTest() override { firth_language_model_free(model); }

  std::vector<float> Embed(const std::string& options) {
    FirthBuffer* values = nullptr;
    EXPECT_TRUE(Fine(firth_language_model_embed(
        model, texts.bytes.data(), texts.offsets.data(), texts.sentences.data(),
        3, options.data(), SizeOf(options), nullptr, nullptr, &values)));
    const auto* const floats =
        static_cast<const float*>(firth_buffer_data(values));
    const auto size =
        static_cast<size_t>(firth_buffer_size(values)) / sizeof(float);
    std::vector<float> all(floats, floats + size);
    firth_buffer_free(values);
    return all;
  }

  std::vector<float> Expected(const EmbedOptions& options) {
    std::vector<float> all;
    const auto vectors = Contextualizer::Load(path)->Embed(sentences, options);
    for (const TokenVectors& one : *vectors) {
      all.insert(all.end(), one.values.begin(), one.values.end());
    }
    return all;
  }

  TempFolder folder;
  std::string path = folder.File("lm.safetensors");
  FirthLanguageModel* model = nullptr;
  CTexts texts{std::vector<std::vector<std::string>>{
      {"the", "cat"}, {}, {"on", "the", "unheard"}}};
  std::vector<Contextualizer::Sentence> sentences = {
      {"the", "cat"}, {}, {"on", "the", "unheard"}};
};

TEST_F(CLanguageModelTest, EmbedsScoresAndGeneratesAsTheLibraryDoes) {
  EXPECT_EQ(Embed(""), Expected({}));
  // Each call begins anew.
  for (int call = 0; call < 2; ++call) {
    EXPECT_EQ(Embed(R"({"stateful": true})"), Expected({.stateful = true}));
  }
  double scores[3];
  int64_t tokens[3], unknown[3];
  ASSERT_TRUE(Fine(firth_language_model_score(
      model, texts.bytes.data(), texts.offsets.data(), texts.sentences.data(),
      3, nullptr, nullptr, scores, tokens, unknown)));
  absl::StatusOr<LanguageModel> expected = LanguageModel::Load(path);
  const auto expected_scores = expected->Score(sentences);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(scores[i], (*expected_scores)[i].log_probability, 1e-6);
  }
  EXPECT_THAT(tokens, ElementsAre(3, 1, 4));
  EXPECT_THAT(unknown, ElementsAre(0, 0, 1));
  const std::string options =
      R"({"temperature": 1, "count": 2, "seed": 3, "prompt": ["the"]})";
  FirthBuffer* json = nullptr;
  ASSERT_TRUE(Fine(firth_language_model_generate(
      model, options.data(), SizeOf(options), nullptr, nullptr, &json)));
  const auto generated = expected->Generate(
      {.prompt = {"the"}, .temperature = 1, .count = 2, .seed = 3});
  const ParsedJson report = ParsedOf(json);
  ASSERT_EQ(report.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(report[i]["words"], ParsedJson((*generated)[i].words));
    EXPECT_EQ(report[i]["ended"], (*generated)[i].ended);
  }
  // What was asked in between changes nothing.
  EXPECT_EQ(Embed(""), Expected({}));
}

TEST_F(CLanguageModelTest, DescribesAndSavesItself) {
  FirthBuffer* json = nullptr;
  ASSERT_TRUE(Fine(firth_language_model_describe(model, &json)));
  const ParsedJson told = ParsedOf(json);
  EXPECT_EQ(told["layers"], 3);
  EXPECT_EQ(told["dim"], 12);
  EXPECT_EQ(told["token_dim"], 6);
  const std::string copy = folder.File("copy.safetensors");
  ASSERT_TRUE(
      Fine(firth_language_model_save(model, copy.data(), SizeOf(copy))));
  EXPECT_EQ(ReadWholeFile(copy), ReadWholeFile(path));
}

TEST_F(CLanguageModelTest, TwoThreadsTakeTurns) {
  const std::vector<float> expected = Expected({});
  const auto ask = [&] {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(Embed(""), expected);
  };
  std::thread other(ask);
  ask();
  other.join();
}

TEST_F(CLanguageModelTest, TrainsAndMeasures) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "the cat sat on the cat\n";
  const std::string file = folder.Write("t.txt", text);
  const std::string read = R"({"min-count": 1, "input": [")" + file + "\"]}";
  FirthCorpus* corpus = nullptr;
  ASSERT_TRUE(Fine(firth_corpus_read(read.data(), SizeOf(read), nullptr,
                                     nullptr, nullptr, &corpus)));
  const std::string options =
      R"({"min-count": 1, "units": 16, "projection": 8, "layers": 1,
          "head": "softmax", "batch": 4, "epochs": 4, "dropout": 0,
          "learning-rate": 0.02,
          "valid": [")" +
      file + "\"]}";
  FirthLanguageModel* trained = nullptr;
  FirthBuffer* json = nullptr;
  ASSERT_TRUE(Fine(firth_language_model_train(corpus, options.data(),
                                              SizeOf(options), nullptr, nullptr,
                                              nullptr, &trained, &json)));
  const ParsedJson report = ParsedOf(json);
  EXPECT_EQ(report["options"]["units"], 16);
  EXPECT_EQ(report["vocabulary"], 7);
  EXPECT_EQ(report["validations"].size(), 4u);
  ASSERT_TRUE(Fine(firth_language_model_perplexity(trained, corpus, nullptr, 0,
                                                   nullptr, nullptr, &json)));
  // The text is known by heart; five words at random would be 5.
  const ParsedJson measured = ParsedOf(json);
  EXPECT_EQ(measured["forward"]["tokens"], 1400);
  EXPECT_LT(measured["forward"]["perplexity"].get<double>(), 1.5);
  EXPECT_LT(measured["backward"]["perplexity"].get<double>(), 1.5);
  firth_language_model_free(trained);
  firth_corpus_free(corpus);
}

TEST(CTaggerTest, TagsAsTheLibraryDoes) {
  const TempFolder folder;
  const std::string vectors = folder.File("v.safetensors");
  VectorFile file;
  file.vectors = RandomVectors(8, 4, 3);
  ASSERT_EQ(SaveVectorFile(file, vectors, "safetensors"), absl::OkStatus());
  const std::vector<TaggedSentence> train = {
      SentenceOf({"w1", "w2"}, {"A", "B"}), SentenceOf({"w3"}, {"A"})};
  TaggerOptions small;
  small.units = 4;
  small.epochs = 5;
  TaggerReport report;
  absl::StatusOr<Tagger> expected =
      Tagger::Train(train, {}, {vectors, ""}, small, {}, &report);
  const std::string path = folder.File("t.safetensors");
  ASSERT_EQ(expected->Save(path), absl::OkStatus());
  const std::string options = R"({"vectors": ")" + vectors + "\"}";
  FirthTagger* tagger = nullptr;
  ASSERT_TRUE(Fine(firth_tagger_load(path.data(), SizeOf(path), options.data(),
                                     SizeOf(options), &tagger)));
  FirthBuffer* json = nullptr;
  ASSERT_TRUE(Fine(firth_tagger_tags(tagger, &json)));
  const ParsedJson tags = ParsedOf(json);
  EXPECT_EQ(tags, ParsedJson(expected->tags()));
  const CTexts texts(
      std::vector<std::vector<std::string>>{{"w2", "w1", "w3"}, {}, {"w1"}});
  int32_t found[4];
  double probabilities[4];
  ASSERT_TRUE(Fine(firth_tagger_tag(
      tagger, texts.bytes.data(), texts.offsets.data(), texts.sentences.data(),
      3, nullptr, nullptr, found, probabilities)));
  std::vector<TaggedSentence> asked = {SentenceOf({"w2", "w1", "w3"}),
                                       SentenceOf({}), SentenceOf({"w1"})};
  ASSERT_EQ(expected->Tag(absl::MakeSpan(asked), {.probabilities = true}),
            absl::OkStatus());
  std::vector<std::string> names;
  std::vector<double> expected_probabilities;
  for (const TaggedSentence& sentence : asked) {
    for (size_t i = 0; i < sentence.tokens.size(); ++i) {
      names.push_back(sentence.predicted[i]);
      expected_probabilities.push_back(sentence.probabilities[i]);
    }
  }
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(tags[static_cast<size_t>(found[i])], names[i]);
    EXPECT_EQ(probabilities[i], expected_probabilities[i]);
  }
  firth_tagger_free(tagger);
}

TEST(CDescribeOptionsTest, EveryDescriptionIsThatOfTheTable) {
  for (const std::string call :
       {"train", "query", "lm-train", "embed", "generate", "sentence-vectors",
        "hnsw", "phrases"}) {
    FirthBuffer* json = nullptr;
    ASSERT_TRUE(Fine(firth_describe_options(call.data(), SizeOf(call), &json)))
        << call;
    const ParsedJson options = ParsedOf(json);
    EXPECT_FALSE(options.empty()) << call;
    for (const ParsedJson& option : options) {
      EXPECT_TRUE(option["name"].is_string());
      EXPECT_FALSE(option["help"].get<std::string>().empty());
      const std::string type = option["type"];
      const ParsedJson& initial = option["default"];
      EXPECT_TRUE(type == "boolean"                       ? initial.is_boolean()
                  : type == "integer" || type == "number" ? initial.is_number()
                  : type == "text"                        ? initial.is_string()
                                                          : initial.is_array())
          << call << option;
    }
  }
  FirthBuffer* json = nullptr;
  EXPECT_EQ(FailureOf(firth_describe_options("nothing", 7, &json)).code,
            FIRTH_NOT_FOUND);
}

TEST(CDescribeOptionsTest, DefaultsAndRangesAreThoseOfTheStruct) {
  FirthBuffer* json = nullptr;
  ASSERT_TRUE(Fine(firth_describe_options("train", 5, &json)));
  ParsedJson by_name;
  for (const ParsedJson& option : ParsedOf(json)) {
    by_name[option["name"].get<std::string>()] = option;
  }
  const VectorTraining defaults;
  EXPECT_EQ(by_name["dim"]["default"], defaults.training.dim);
  EXPECT_EQ(by_name["dim"]["min"], 1);
  EXPECT_EQ(by_name["dim"]["max"], 65536);
  EXPECT_EQ(by_name["sample"]["type"], "number");
  EXPECT_EQ(by_name["sample"]["default"], defaults.training.sample);
  EXPECT_EQ(by_name["loss"]["choices"],
            ParsedJson({"ns", "nce", "hs", "softmax"}));
  EXPECT_EQ(by_name["loss"]["default"], "ns");
  EXPECT_EQ(by_name["views"]["type"], "integers");
  EXPECT_EQ(by_name["input"]["type"], "texts");
  EXPECT_EQ(by_name["lowercase"]["type"], "boolean");
}

}  // namespace
}  // namespace firth
