// Training as the library offers it.

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "firth/checkpoint.h"
#include "firth/contextualizer.h"
#include "firth/language_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/small_training.h"
#include "support/temp_files.h"
#include "support/tiny_vectors.h"
#include "support/trainings.h"

namespace firth {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct OverfitCase {
  const char* name;
  void (*change)(LanguageModelTraining*);
};

// bilm-tf's own tests ask for this, of texts and layers of this size.
TEST(TrainLanguageModelTest, ASmallTextIsLearntByHeart) {
  const OverfitCase kCases[] = {
      {"words, sampled softmax", [](LanguageModelTraining*) {}},
      {"full softmax",
       [](LanguageModelTraining* t) { t->head = HeadKind::kSoftmax; }},
      {"NCE", [](LanguageModelTraining* t) { t->head = HeadKind::kNce; }},
      {"CNN-softmax, sampled",
       [](LanguageModelTraining* t) { t->character_output = true; }},
      {"CNN-softmax over all words",
       [](LanguageModelTraining* t) {
         t->character_output = true;
         t->head = HeadKind::kSoftmax;
         t->correction_dim = 4;
       }},
      {"characters",
       [](LanguageModelTraining* t) { t->use_characters = true; }},
      {"words and characters, clipped",
       [](LanguageModelTraining* t) {
         t->use_characters = true;
         t->dim = 8;
         t->cell_clip = 3;
         t->projection_clip = 3;
       }},
      {"GRU, Adagrad, no projection, no residual",
       [](LanguageModelTraining* t) {
         t->cell = CellKind::kGruResetBefore;
         t->projection = 0;
         t->residual = false;
         t->optimizer = OptimizerKind::kAdagrad;
         t->learning_rate = 0.3;
         t->decay = Decay::kConstant;
         t->clip_norm = 10;
       }},
      {"a window instead of recurrent layers",
       [](LanguageModelTraining* t) { t->network = NetworkKind::kWindow; }},
      {"a Transformer",
       [](LanguageModelTraining* t) {
         t->network = NetworkKind::kTransformer;
         t->learning_rate = 0.01;
       }},
      {"a Transformer with norms behind, learned positions, ReLU, smoothing",
       [](LanguageModelTraining* t) {
         t->network = NetworkKind::kTransformer;
         t->learning_rate = 0.01;
         t->norm = NormPlace::kAfter;
         t->positions = PositionKind::kLearned;
         t->activation = Activation::kRelu;
         t->context = 10;
         t->heads = 2;
         t->feed_forward = 20;
         t->head = HeadKind::kSoftmax;
         t->label_smoothing = 0.05;
       }},
      {"orthogonal first weights",
       [](LanguageModelTraining* t) { t->orthogonal = true; }},
  };
  const Corpus text = ReadText(kText);
  for (const OverfitCase& test : kCases) {
    SCOPED_TRACE(test.name);
    LanguageModelTraining training = TinyTraining();
    test.change(&training);
    auto trained = TrainLanguageModel(text, training);
    ASSERT_EQ(trained.status(), absl::OkStatus());
    EXPECT_LT(PerplexityOf(trained->model, text), 20);
    EXPECT_EQ(trained->report.losses.size(), 50u);
    EXPECT_LT(trained->report.losses.back(), trained->report.losses.front());
  }
}

// Of any layers; what is hidden is told by both sides.
TEST(TrainLanguageModelTest, HiddenWordsAreLearntByHeart) {
  const Corpus text = ReadText(kText);
  for (const NetworkKind network :
       {NetworkKind::kTransformer, NetworkKind::kRecurrent,
        NetworkKind::kWindow}) {
    SCOPED_TRACE(kNetworkNames[static_cast<size_t>(network)]);
    LanguageModelTraining training = TinyTraining();
    training.network = network;
    training.predict = Prediction::kMasked;
    training.unroll = 15;
    training.epochs = 1000;
    training.learning_rate = 0.01;
    auto trained = TrainLanguageModel(text, training);
    ASSERT_EQ(trained.status(), absl::OkStatus());
    const auto measured = trained->model.Measure(text, {.threads = 1});
    ASSERT_EQ(measured.status(), absl::OkStatus());
    EXPECT_TRUE(measured->masked);
    EXPECT_GT(measured->forward.tokens, 10u);
    EXPECT_LT(measured->forward.tokens, 35u);
    EXPECT_EQ(measured->backward.tokens, 0u);
    EXPECT_LT(std::exp(measured->loss()), 20);
    const auto filled =
        trained->model.Fill({"the", "dog", "<MASK>", "called", "sam", "and",
                             "the", "<MASK>", "was", "called", "john"},
                            3);
    ASSERT_EQ(filled.status(), absl::OkStatus());
    ASSERT_EQ(filled->size(), 2u);
    const std::vector<WordProbability>& first = (*filled)[0].words;
    ASSERT_EQ(first.size(), 3u);
    EXPECT_EQ(first[0].word, "was");
    EXPECT_EQ((*filled)[1].words[0].word, "man");
    EXPECT_GT(first[0].probability, first[1].probability);
    EXPECT_GT((*filled)[0].unknown, 0);
    // The last word of a sentence, with all words: a distribution.
    const auto next = trained->model.NextWords({"the", "cat"}, 1000);
    ASSERT_EQ(next.status(), absl::OkStatus());
    double sum = next->unknown;
    for (const WordProbability& word : next->words) sum += word.probability;
    EXPECT_GT(sum, 0.9);  // the rest is that of the other marks
    EXPECT_LE(sum, 1 + 1e-6);
    const auto given =
        trained->model.NextWords({"the", "cat"}, 0, {"unheard", "dog"});
    ASSERT_EQ(given.status(), absl::OkStatus());
    EXPECT_EQ(given->words[0].word, "unheard");
    EXPECT_TRUE(given->words[0].unknown);
    EXPECT_EQ(given->words[0].probability, given->unknown);
    EXPECT_FALSE(given->words[1].unknown);
    // There is no probability of a sentence, and no next word.
    EXPECT_THAT(trained->model.Score({{"the"}}).status().message(),
                HasSubstr("this model predicts masked words"));
    EXPECT_FALSE(trained->model.Generate({}).ok());
    EXPECT_THAT(trained->model.Fill({"the", "dog"}, 3).status().message(),
                HasSubstr("the sentence contains no <MASK>"));
  }
}

TEST(TrainLanguageModelTest, OneDirectionIsReadAlone) {
  const Corpus text = ReadText(kText);
  for (const bool forward : {true, false}) {
    LanguageModelTraining training = TinyTraining();
    training.reads = forward ? Reading::kForward : Reading::kBackward;
    auto trained = TrainLanguageModel(text, training);
    ASSERT_EQ(trained.status(), absl::OkStatus());
    const auto measured = trained->model.Measure(text, {.threads = 2});
    ASSERT_EQ(measured.status(), absl::OkStatus());
    const DirectionPerplexity& read =
        forward ? measured->forward : measured->backward;
    EXPECT_EQ(read.tokens, 130u + 11);
    EXPECT_EQ(measured->forward.tokens + measured->backward.tokens, 130u + 11);
    EXPECT_EQ(measured->loss(), read.loss);
    EXPECT_LT(std::exp(read.loss), 20);
    EXPECT_EQ(trained->model.Generate({}).ok(), forward);
    const std::string path = MakeTestFolder() + "/model";
    ASSERT_EQ(trained->model.Save(path), absl::OkStatus());
    auto contextualizer = Contextualizer::Load(path);
    ASSERT_EQ(contextualizer.status(), absl::OkStatus());
    EXPECT_EQ(contextualizer->dim(), 8u);
    const auto vectors = contextualizer->Embed({{"the", "dog"}, {"a", "dog"}});
    ASSERT_EQ(vectors.status(), absl::OkStatus());
    // What the second word is preceded by is known forward, not backward.
    double differences[2] = {};
    for (size_t token = 0; token < 2; ++token) {
      const size_t first = (size_t{4} + token) * 8;
      for (size_t i = first; i < first + 8; ++i) {
        differences[token] +=
            std::abs((*vectors)[0].values[i] - (*vectors)[1].values[i]);
      }
    }
    EXPECT_GT(differences[0], 1e-2);
    if (forward) {
      EXPECT_GT(differences[1], 1e-2);
    } else {
      EXPECT_LT(differences[1], 1e-4);
    }
  }
}

// An untrained model knows nothing; what it does not know counts.
TEST(TrainLanguageModelTest, PerplexityOfNothingLearntIsTheVocabulary) {
  const Corpus text = ReadText(kText);
  LanguageModelTraining training = TinyTraining();
  training.vocabulary.min_count = 3;
  training.learning_rate = 1e-12;
  training.epochs = 1e-6;
  auto trained = TrainLanguageModel(text, training);
  ASSERT_EQ(trained.status(), absl::OkStatus());
  EXPECT_EQ(trained->report.steps, 1u);
  const auto words = static_cast<double>(trained->report.vocab_size);
  EXPECT_NEAR(PerplexityOf(trained->model, text) / words, 1, 0.1);
  const auto measured = trained->model.Measure(text);
  EXPECT_EQ(measured->forward.unknown, trained->report.unknown_tokens);
  EXPECT_EQ(measured->backward.unknown, trained->report.unknown_tokens);
}

TEST(TrainLanguageModelTest, ThreadsAndTheSeedDecideAsTheyShould) {
  const Corpus text = ReadText(kText);
  LanguageModelTraining training = TinyTraining();
  training.epochs = 3;
  training.dropout = 0.2;
  const auto train = [&] {
    auto trained = TrainLanguageModel(text, training);
    EXPECT_EQ(trained.status(), absl::OkStatus());
    return ModelBytes(trained->model);
  };
  const std::string one = train();
  EXPECT_TRUE(train() == one);
  training.threads = 2;
  EXPECT_TRUE(train() == one);
  training.seed = 2;
  EXPECT_FALSE(train() == one);
}

TEST(TrainLanguageModelTest, ALossThatIsNotFiniteGoesBackOnceAndThenStops) {
  const Corpus text = ReadText(kText);
  LanguageModelTraining training = TinyTraining();
  training.optimizer = OptimizerKind::kSgd;
  training.learning_rate = 1e9;
  training.clip_norm = 0;
  const TempFolder folder;
  class : public ProgressSink {
   public:
    void OnWarning(absl::string_view message) override {
      all.emplace_back(message);
    }
    std::vector<std::string> all;
  } warnings;
  const absl::Status status =
      TrainLanguageModel(text, training, {&warnings, nullptr},
                         Often(folder.path()))
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(status.message()),
              testing::ContainsRegex("^step [0-9]+: the .* is -?(nan|inf)"));
  ASSERT_FALSE(warnings.all.empty());
  EXPECT_THAT(warnings.all.back(), HasSubstr("with half the learning rate"));
  training.epochs = 5;
  training.learning_rate = 1;
  while (TrainLanguageModel(text, training).ok()) {
    training.learning_rate *= 1.1;
    ASSERT_LT(training.learning_rate, 1e30);
  }
  const TempFolder saved;
  Checkpointing from_the_start = Often(saved.path());
  from_the_start.every_share = 0.99;
  EXPECT_EQ(TrainLanguageModel(text, training, {}, from_the_start).status(),
            absl::OkStatus());
}

// Words all alike have a loss of ln 54 = 3.989 nats: 51 words of the text and
// three marks.
TEST(TrainLanguageModelTest, ALossWithoutMeaningIsADivergence) {
  LanguageModelTraining training = TinyTraining();
  training.head = HeadKind::kSoftmax;
  training.learning_rate = 1e6;
  training.epochs = 2;
  const absl::Status status =
      TrainLanguageModel(ReadText(kText), training).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(status.message()),
              testing::ContainsRegex(
                  "^step [0-9]+: the loss is [0-9.e+]+ nats, but only 3\\.989 "
                  "nats if all words are equally likely"));
}

// 141 tokens with the ends of sentences, in 11 of 32 rows: a step takes 220.
TEST(TrainLanguageModelTest, ATextShorterThanAStepIsAWarning) {
  LanguageModelTraining training = TinyTraining();
  training.batch = 32;
  training.unroll = 20;
  training.epochs = 3;
  class : public ProgressSink {
   public:
    void OnWarning(absl::string_view message) override {
      all.emplace_back(message);
    }
    std::vector<std::string> all;
  } warnings;
  const auto trained =
      TrainLanguageModel(ReadText(kText), training, {&warnings, nullptr});
  ASSERT_TRUE(trained.ok()) << trained.status();
  EXPECT_EQ(trained->report.steps, 2u);
  EXPECT_THAT(warnings.all,
              testing::ElementsAre(AllOf(
                  HasSubstr("the text has 141 tokens and a step reads 220"),
                  HasSubstr("have only 2 steps"))));
  training.batch = 3;
  training.unroll = 5;
  warnings.all.clear();
  EXPECT_TRUE(
      TrainLanguageModel(ReadText(kText), training, {&warnings, nullptr}).ok());
  EXPECT_THAT(warnings.all, testing::IsEmpty());
}

TEST(TrainLanguageModelTest, TheBestModelIsKeptAndPatienceEnds) {
  const Corpus text = ReadText(kText);
  const Corpus validation = ReadText(ManyTimes("the cat had a house\n"));
  LanguageModelTraining training = TinyTraining();
  training.validation = &validation;
  training.patience = 2;
  auto trained = TrainLanguageModel(text, training);
  ASSERT_EQ(trained.status(), absl::OkStatus());
  const auto& points = trained->report.validations;
  EXPECT_TRUE(trained->report.stopped_early);
  ASSERT_GE(points.size(), 3u);
  const ValidationPoint& best = points[points.size() - 3];
  EXPECT_TRUE(best.best);
  EXPECT_FALSE(points.back().best);
  const auto measured = trained->model.Measure(validation);
  EXPECT_DOUBLE_EQ(measured->forward.loss, best.forward_loss);
  EXPECT_DOUBLE_EQ(measured->backward.loss, best.backward_loss);
}

// Layer 0 of a word, after training with given vectors.
std::vector<float> TokenVector(LanguageModel& model, absl::string_view word) {
  const std::string path = MakeTestFolder() + "/m.safetensors";
  EXPECT_EQ(model.Save(path), absl::OkStatus());
  auto contextualizer = Contextualizer::Load(path);
  EXPECT_EQ(contextualizer.status(), absl::OkStatus());
  const auto vectors = *contextualizer->Embed({{word}});
  const auto token = vectors[0].Vector(0, 0).first(8);
  return {token.begin(), token.end()};
}

TEST(TrainLanguageModelTest, GivenVectorsStayUnlessTheyAreTuned) {
  const Corpus text = ReadText(kText);
  const WordVectors vectors =
      MakeVectors({"the", "dog", "cow"}, RandomFloats(24, 5), 8, 8);
  const auto given = vectors.CopyVector(ToWordId(1));
  LanguageModelTraining training = TinyTraining();
  training.vectors = &vectors;
  training.epochs = 2;
  auto frozen = TrainLanguageModel(text, training);
  ASSERT_EQ(frozen.status(), absl::OkStatus());
  EXPECT_EQ(TokenVector(frozen->model, "dog"), given);
  // A word that no text of the training has.
  EXPECT_EQ(TokenVector(frozen->model, "cow"), vectors.CopyVector(ToWordId(2)));
  EXPECT_EQ(TokenVector(frozen->model, "house"),
            TokenVector(frozen->model, "<UNK>"));
  training.tune_vectors = true;
  auto tuned = TrainLanguageModel(text, training);
  ASSERT_EQ(tuned.status(), absl::OkStatus());
  EXPECT_NE(TokenVector(tuned->model, "dog"), given);
}

TEST(TrainLanguageModelTest, WordsWithoutAVectorAreReadByTheirNGrams) {
  const Corpus text = ReadText(kText);
  const std::vector<float> rows = RandomFloats(16, 6);
  SubwordTables subwords;
  subwords.index =
      *SubwordIndex::OfNGrams(ExplicitSubwords{3, 3, 1}, {"<ho", "oat"});
  subwords.n_grams = FloatTable(rows, 8);
  const WordVectors plain =
      MakeVectors({"the", "dog"}, RandomFloats(16, 5), 8, 8);
  const WordVectors vectors =
      *WordVectors::Create(plain.vocabulary(), plain.rows(), subwords);
  for (const bool tune : {false, true}) {
    LanguageModelTraining training = TinyTraining();
    training.vectors = &vectors;
    training.tune_vectors = tune;
    training.epochs = 2;
    auto trained = TrainLanguageModel(text, training);
    ASSERT_EQ(trained.status(), absl::OkStatus());
    // What the training saw, and what it did not.
    for (const char* word : {"house", "horse"}) {
      EXPECT_EQ(TokenVector(trained->model, word), vectors.FromNGrams(word));
    }
    EXPECT_NE(TokenVector(trained->model, "boat"),
              TokenVector(trained->model, "house"));
  }
}

TEST(TrainLanguageModelTest, AContinuousHeadPredictsTheGivenVectors) {
  const Corpus text = ReadText(kText);
  std::vector<std::string> words;
  for (size_t i = 0; i < text.vocabulary.size(); ++i) {
    words.emplace_back(text.vocabulary.Word(ToWordId(i)));
  }
  const WordVectors vectors =
      MakeVectors(words, RandomFloats(words.size() * 8, 5), 8, 8);
  LanguageModelTraining training = TinyTraining();
  training.head = HeadKind::kContinuous;
  EXPECT_EQ(TrainLanguageModel(text, training).status().code(),
            absl::StatusCode::kInvalidArgument);
  training.vectors = &vectors;
  auto trained = TrainLanguageModel(text, training);
  ASSERT_EQ(trained.status(), absl::OkStatus());
  const auto measured = trained->model.Measure(text);
  ASSERT_EQ(measured.status(), absl::OkStatus());
  EXPECT_TRUE(measured->continuous);
  EXPECT_LT(measured->loss(), 0.3);
  // The file holds what it predicts.
  const std::string path = MakeTestFolder() + "/m.safetensors";
  ASSERT_EQ(trained->model.Save(path), absl::OkStatus());
  auto loaded = LanguageModel::Load(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_EQ(loaded->Measure(text)->loss(), measured->loss());
  EXPECT_EQ(loaded->Generate({}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

// One table is input and output, in memory and in the file.
TEST(TrainLanguageModelTest, TiedModelsHaveOneTable) {
  const Corpus text = ReadText(kText);
  struct Case {
    const char* name;
    int dim;  // the size that predicts words
    void (*change)(LanguageModelTraining*);
  };
  const Case cases[] = {
      {"recurrent", 8, [](LanguageModelTraining*) {}},
      {"full softmax", 8,
       [](LanguageModelTraining* t) { t->head = HeadKind::kSoftmax; }},
      {"masked, with the outputs of both directions side by side", 16,
       [](LanguageModelTraining* t) { t->predict = Prediction::kMasked; }},
      {"with characters", 8,
       [](LanguageModelTraining* t) { t->use_characters = true; }},
      {"transformer", 16,
       [](LanguageModelTraining* t) {
         t->network = NetworkKind::kTransformer;
         t->learning_rate = 0.01;
         t->context = 8;
       }},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    LanguageModelTraining training = TinyTraining();
    each.change(&training);
    training.dim = each.dim;
    const auto apart = TrainLanguageModel(text, training);
    training.dim = 0;
    training.tied = true;
    auto tied = TrainLanguageModel(text, training);
    ASSERT_EQ(tied.status(), absl::OkStatus());
    EXPECT_LT(tied->report.parameters, apart->report.parameters);
    const auto measured = tied->model.Measure(text, {.threads = 1});
    ASSERT_EQ(measured.status(), absl::OkStatus());
    EXPECT_LT(std::exp(measured->loss()), 30);
    const std::string path = MakeTestFolder() + "/m.safetensors";
    ASSERT_EQ(tied->model.Save(path), absl::OkStatus());
    auto loaded = LanguageModel::Load(path);
    ASSERT_EQ(loaded.status(), absl::OkStatus());
    EXPECT_EQ(loaded->Measure(text, {.threads = 1})->loss(), measured->loss());
  }
}

TEST(TrainLanguageModelTest, EachOptimizerLearnsAtItsDefaultRate) {
  const Corpus text = ReadText(kText);
  for (const OptimizerKind optimizer :
       {OptimizerKind::kSgd, OptimizerKind::kAdagrad, OptimizerKind::kAdam}) {
    LanguageModelTraining training = TinyTraining();
    training.optimizer = optimizer;
    training.learning_rate = 0;
    training.epochs = 200;
    auto trained = TrainLanguageModel(text, training);
    ASSERT_EQ(trained.status(), absl::OkStatus());
    EXPECT_LT(PerplexityOf(trained->model, text), 30)
        << static_cast<int>(optimizer);
  }
}

TEST(TrainLanguageModelTest, GivenOptionsAreNotChosen) {
  const Corpus text = ReadText(kText);
  LanguageModelTraining training = TinyTraining();
  training.warmup = 0;
  LanguageModelTraining same = training;
  EXPECT_THAT(ChooseOptions(text, &same), IsEmpty());
  EXPECT_EQ(same.batch, training.batch);
  EXPECT_EQ(same.dropout, 0);
  LanguageModelTraining chosen;
  EXPECT_THAT(
      ChooseOptions(text, &chosen),
      ElementsAre("batch", "unroll", "dropout", "learning-rate", "warmup"));
  EXPECT_GT(chosen.batch, 0);
  EXPECT_GT(chosen.unroll, 0);
  EXPECT_GE(chosen.dropout, 0);
  EXPECT_GT(chosen.learning_rate, 0);
  EXPECT_GE(chosen.warmup, 0);
  EXPECT_EQ(chosen.Validate(), absl::OkStatus());
  EXPECT_THAT(ChooseOptions(text, &chosen), IsEmpty());
}

// Returns the options for a number of epochs of a text of a few words.
LanguageModelTraining ChosenFor(const LanguageModelTraining& training) {
  LanguageModelTraining chosen = training;
  ChooseOptions(ReadText(kText), &chosen);
  return chosen;
}

TEST(TrainLanguageModelTest, ChosenStepsAreSmallForFewTokens) {
  LanguageModelTraining training;
  training.epochs = 1;
  const LanguageModelTraining few = ChosenFor(training);
  EXPECT_EQ(few.batch * few.unroll, 256);
  EXPECT_EQ(few.dropout, 0);
  EXPECT_EQ(few.warmup, 0);  // at most a tenth of the steps
  training.epochs = 1e6;
  const LanguageModelTraining many = ChosenFor(training);
  EXPECT_EQ(many.warmup, 200);
  EXPECT_EQ(many.batch * many.unroll, 1024);
  EXPECT_GT(many.dropout, 0);
}

TEST(TrainLanguageModelTest, AGivenLengthKeepsTheSizeOfTheSteps) {
  LanguageModelTraining training;
  training.epochs = 1;
  training.unroll = 64;
  EXPECT_EQ(ChosenFor(training).batch, 4);
  training.unroll = 1000;
  EXPECT_EQ(ChosenFor(training).batch, 1);
}

TEST(TrainLanguageModelTest, ATransformerReadsItsContextInAStep) {
  LanguageModelTraining training;
  training.network = NetworkKind::kTransformer;
  training.epochs = 1;
  training.context = 64;
  const LanguageModelTraining chosen = ChosenFor(training);
  EXPECT_EQ(chosen.unroll, 64);
  EXPECT_EQ(chosen.batch, 4);
  training.network = NetworkKind::kRecurrent;
  EXPECT_LT(chosen.learning_rate, ChosenFor(training).learning_rate);
}

TEST(TrainLanguageModelTest, MaskedModelsHaveLargeSteps) {
  LanguageModelTraining training;
  training.predict = Prediction::kMasked;
  training.epochs = 1;
  EXPECT_EQ(ChosenFor(training).batch, 32);
}

struct BadOptionCase {
  const char* message;
  void (*change)(LanguageModelTraining*);
};

TEST(TrainLanguageModelTest, OptionsOutOfRangeAreNamed) {
  const BadOptionCase kCases[] = {
      {"units: expected 1", [](LanguageModelTraining* t) { t->units = 0; }},
      {"cell: expected rnn, lstm",
       [](LanguageModelTraining* t) { t->cell = CellKind{7}; }},
      {"head: expected softmax, sampled",
       [](LanguageModelTraining* t) { t->head = HeadKind::kNone; }},
      {"heads: must divide the number of units (16), found 3",
       [](LanguageModelTraining* t) {
         t->network = NetworkKind::kTransformer;
         t->heads = 3;
       }},
      {"reads: a Transformer that predicts masked words requires both",
       [](LanguageModelTraining* t) {
         t->network = NetworkKind::kTransformer;
         t->predict = Prediction::kMasked;
         t->reads = Reading::kForward;
       }},
      {"epochs: expected", [](LanguageModelTraining* t) { t->epochs = NAN; }},
      {"min-learning-rate: expected 0 to 0.02",
       [](LanguageModelTraining* t) { t->min_learning_rate = 1; }},
      {"exponential decay requires a value above 0",
       [](LanguageModelTraining* t) { t->decay = Decay::kExponential; }},
      {"dim: with tied vectors, expected 8, the size that predicts words, "
       "found 9",
       [](LanguageModelTraining* t) {
         t->tied = true;
         t->dim = 9;
       }},
      {"tied: requires an output table, which char-output replaces",
       [](LanguageModelTraining* t) {
         t->tied = true;
         t->character_output = true;
       }},
      {"char-filters: width: expected 1 to 50",
       [](LanguageModelTraining* t) {
         t->characters.filters = {{51, 1}};
       }},
  };
  const Corpus text = ReadText(kText);
  for (const BadOptionCase& test : kCases) {
    LanguageModelTraining training = TinyTraining();
    test.change(&training);
    const absl::Status status = TrainLanguageModel(text, training).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(test.message));
  }
}

}  // namespace
}  // namespace firth
