// Models on a made-up task: learning, files, and what goes wrong.

#include "firth/seq2seq.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "firth/checkpoint.h"
#include "firth/file_info.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "seq2seq/seq2seq_learner.h"
#include "support/temp_files.h"
#include "support/tiny_vectors.h"
#include "support/trainings.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Sources of up to five letters, and the same in reverse.
std::vector<TextPair> Reversals(size_t count, uint64_t seed) {
  std::vector<TextPair> pairs(count);
  Rng rng(seed);
  for (TextPair& pair : pairs) {
    for (uint32_t left = 1 + rng.Below(5); left > 0; --left) {
      pair.source.push_back(
          std::string(1, static_cast<char>('a' + rng.Below(5))));
    }
    pair.target.assign(pair.source.rbegin(), pair.source.rend());
  }
  return pairs;
}

Seq2SeqOptions Small() {
  Seq2SeqOptions options;
  options.shape.units = 24;
  options.dropout = 0;
  options.label_smoothing = 0;
  options.epochs = 20;
  options.batch = 16;
  options.learning_rate = 0.01;
  options.threads = 1;
  return options;
}

Seq2SeqOptions Tiny() {
  Seq2SeqOptions options = Small();
  options.shape.units = 4;
  options.epochs = 2;
  options.dropout = 0.2;
  return options;
}

absl::StatusOr<Seq2Seq> Train(const Seq2SeqOptions& options,
                              absl::Span<const TextPair> train,
                              Seq2SeqReport* report = nullptr,
                              absl::Span<const TextPair> dev = {}) {
  Seq2SeqReport ignored;
  return Seq2Seq::Train(train, dev, options, {},
                        report == nullptr ? &ignored : report);
}

double ExactShare(Seq2Seq& model, const std::vector<TextPair>& pairs) {
  std::vector<std::vector<std::string>> sources;
  for (const TextPair& pair : pairs) sources.push_back(pair.source);
  const auto results = model.Translate(sources, {.beam = 2, .threads = 1});
  EXPECT_EQ(results.status(), absl::OkStatus());
  double correct = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    correct += (*results)[i][0].tokens == pairs[i].target ? 1 : 0;
  }
  return correct / static_cast<double>(pairs.size());
}

struct Kind {
  std::string name;
  NetworkKind encoder = NetworkKind::kRecurrent;
  DecoderKind decoder = DecoderKind::kRecurrent;
  AttentionKind attention = AttentionKind::kDot;
  bool tied = false;
};

class Seq2SeqKindTest : public testing::TestWithParam<Kind> {
 protected:
  static void Apply(Seq2SeqShape* shape) {
    shape->encoder = GetParam().encoder;
    shape->decoder = GetParam().decoder;
    shape->attention = GetParam().attention;
    shape->tied = GetParam().tied;
  }
};

TEST_P(Seq2SeqKindTest, LearnsToReverse) {
  Seq2SeqOptions options = Small();
  Apply(&options.shape);
  Seq2SeqReport report;
  auto model = Train(options, Reversals(600, 1), &report);
  ASSERT_EQ(model.status(), absl::OkStatus());
  ASSERT_THAT(report.epochs, SizeIs(20));
  EXPECT_LT(report.epochs.back().loss, report.epochs[0].loss / 2);
  EXPECT_EQ(report.source_words, 8u);
  EXPECT_GT(ExactShare(*model, Reversals(100, 2)), 0.6);
}

TEST_P(Seq2SeqKindTest, AFileGivesTheSameResults) {
  Seq2SeqOptions options = Tiny();
  Apply(&options.shape);
  const std::vector<TextPair> pairs = Reversals(50, 1);
  const TempFolder folder;
  auto model = Train(options, pairs);
  ASSERT_EQ(model.status(), absl::OkStatus());
  model->metadata()["note"] = "x";
  const std::string path = folder.File("m.safetensors");
  ASSERT_EQ(model->Save(path), absl::OkStatus());
  auto loaded = Seq2Seq::Load(path);
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_EQ(loaded->metadata()["note"], "x");
  EXPECT_EQ(*loaded->Score(pairs), *model->Score(pairs));
  const auto a = *model->Translate({pairs[0].source, pairs[1].source},
                                   {.beam = 3, .best = 3});
  const auto b = *loaded->Translate({pairs[0].source, pairs[1].source},
                                    {.beam = 3, .best = 3});
  ASSERT_EQ(a[1].size(), b[1].size());
  for (size_t i = 0; i < a[1].size(); ++i) {
    EXPECT_EQ(a[1][i].tokens, b[1][i].tokens);
    EXPECT_EQ(a[1][i].log_probability, b[1][i].log_probability);
  }
  EXPECT_EQ(loaded->Encode(pairs[0].source)->rows(), pairs[0].source.size());
  EXPECT_EQ(loaded->Encode(pairs[0].source)->cols(), 4u);
  EXPECT_EQ(loaded->Save(folder.File("n.safetensors")), absl::OkStatus());
  EXPECT_EQ(ReadWholeFile(folder.File("n.safetensors")), ReadWholeFile(path));
  EXPECT_EQ(DescribeFile(path)->kind, "sequence-to-sequence model");
}

// Score() of a result that the model wrote returns its log probability.
TEST_P(Seq2SeqKindTest, TheScoreOfAResultIsItsLogProbability) {
  Seq2SeqOptions options = Small();
  Apply(&options.shape);
  options.epochs = 8;
  auto model = Train(options, Reversals(200, 1));
  ASSERT_EQ(model.status(), absl::OkStatus());
  const std::vector<std::string> source = {"a", "b", "c"};
  int compared = 0;
  const auto results = *model->Translate(
      {source}, {.beam = 4, .best = 4, .copy_unknown = false});
  for (const auto& result : results[0]) {
    if (!result.ended) continue;
    ++compared;
    EXPECT_NEAR(model->Score({{source, result.tokens}})->at(0),
                result.log_probability, 1e-4);
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Seq2SeqKindTest,
    testing::Values(
        Kind{"Dot"}, Kind{.name = "Tied", .tied = true},
        Kind{.name = "Additive", .attention = AttentionKind::kAdditive},
        Kind{.name = "FixedVector", .attention = AttentionKind::kNone},
        Kind{.name = "WindowAndGeneral",
             .encoder = NetworkKind::kWindow,
             .attention = AttentionKind::kGeneral},
        Kind{.name = "Transformers",
             .encoder = NetworkKind::kTransformer,
             .decoder = DecoderKind::kTransformer},
        Kind{.name = "LstmToTransformer", .decoder = DecoderKind::kTransformer},
        Kind{.name = "TransformerToLstm",
             .encoder = NetworkKind::kTransformer}),
    [](const auto& info) { return info.param.name; });

TEST(Seq2SeqTest, ThreadsDoNotChangeTheResult) {
  const TempFolder folder;
  for (const int threads : {1, 3}) {
    Seq2SeqOptions options = Tiny();
    options.shape.units = 40;
    options.batch = 40;
    options.threads = threads;
    auto model = Train(options, Reversals(120, 1));
    ASSERT_EQ(model.status(), absl::OkStatus());
    ASSERT_EQ(model->Save(folder.File(absl::StrCat(threads))),
              absl::OkStatus());
  }
  EXPECT_EQ(ReadWholeFile(folder.File("1")), ReadWholeFile(folder.File("3")));
}

TEST(Seq2SeqTest, AResumedTrainingEndsAsAnUninterruptedOne) {
  const std::vector<TextPair> train = Reversals(200, 1), dev = Reversals(20, 2);
  for (const bool denoise : {false, true}) {
    const TempFolder folder;
    Seq2SeqOptions options = Tiny();
    options.denoise = denoise;
    options.epochs = 3;
    std::vector<TextPair> texts = train, dev_texts = dev;
    for (auto* pairs : {&texts, &dev_texts}) {
      for (TextPair& pair : *pairs) {
        if (denoise) pair.target.clear();
      }
    }
    auto whole = Train(options, texts, nullptr, dev_texts);
    ASSERT_EQ(whole.status(), absl::OkStatus());
    Seq2SeqReport report;
    const TempFolder saved;
    const auto train_on = [&](bool resume) {
      return Seq2Seq::Train(texts, dev_texts, options, {}, &report,
                            Often(saved.path(), resume));
    };
    ASSERT_EQ(train_on(false).status(), absl::OkStatus());
    RemoveNewest(saved);
    auto resumed = train_on(true);
    ASSERT_EQ(resumed.status(), absl::OkStatus());
    EXPECT_THAT(report.epochs, SizeIs(3));
    ASSERT_EQ(whole->Save(folder.File("a")), absl::OkStatus());
    ASSERT_EQ(resumed->Save(folder.File("b")), absl::OkStatus());
    EXPECT_EQ(ReadWholeFile(folder.File("a")), ReadWholeFile(folder.File("b")));
    options.learning_rate = 0.02;
    EXPECT_THAT(train_on(true).status().message(),
                HasSubstr("learning-rate was 0.01 and is now 0.02"));
  }
}

TEST(Seq2SeqTest, AStoppedTrainingReturnsWhatItLearned) {
  StoppingSink sink;
  Seq2SeqReport report;
  Seq2SeqOptions options = Tiny();
  options.epochs = 10000;
  auto model = Seq2Seq::Train(Reversals(200, 1), {}, options,
                              {{&sink, &sink.stop}, {}}, &report);
  ASSERT_EQ(model.status(), absl::OkStatus());
  EXPECT_TRUE(report.interrupted);
  EXPECT_THAT(*model->Translate({{"a"}}, {}), SizeIs(1));
}

TEST(Seq2SeqTest, KeepsTheBestEpochByTheMetric) {
  for (const Seq2SeqMetric metric :
       {Seq2SeqMetric::kLoss, Seq2SeqMetric::kBleu, Seq2SeqMetric::kChrf,
        Seq2SeqMetric::kExact}) {
    Seq2SeqOptions options = Small();
    options.epochs = 6;
    options.metric = metric;
    Seq2SeqReport report;
    auto model = Train(options, Reversals(200, 1), &report, Reversals(30, 2));
    ASSERT_EQ(model.status(), absl::OkStatus());
    size_t best = 0;
    for (size_t e = 0; e < report.epochs.size(); ++e) {
      const auto value = [&](size_t i) {
        return metric == Seq2SeqMetric::kLoss ? -report.epochs[i].dev_loss
                                              : report.epochs[i].score;
      };
      EXPECT_GT(report.epochs[e].dev_loss, 0);
      EXPECT_EQ(report.epochs[e].has_scores, metric != Seq2SeqMetric::kLoss);
      if (value(e) > value(best)) best = e;
    }
    EXPECT_EQ(report.best_epoch, best + 1);
  }
}

TEST(Seq2SeqTest, StartsWithGivenVectors) {
  const WordVectors vectors = RandomVectors(12, 6, 3);  // w0, w1, ...
  Seq2SeqOptions options = Tiny();
  options.source_vectors = options.target_vectors = &vectors;
  options.epochs = 1;
  options.learning_rate = 1e-12;
  const std::vector<TextPair> pairs = {{{"w1", "new"}, {"w2"}}};
  const TempFolder folder;
  Seq2SeqReport report;
  auto model = Train(options, pairs, &report);
  ASSERT_EQ(model.status(), absl::OkStatus());
  EXPECT_EQ(report.source_vectors, 1u);
  EXPECT_EQ(report.target_vectors, 1u);
  ASSERT_EQ(model->Save(folder.File("m")), absl::OkStatus());
  const std::string bytes = ReadWholeFile(folder.File("m"));
  for (const char* word : {"w1", "w2"}) {
    const auto vector = vectors.CopyVector(*vectors.vocabulary().Find(word));
    const std::string row(reinterpret_cast<const char*>(vector.data()), 4);
    EXPECT_THAT(bytes, HasSubstr(row)) << word;
  }
  options.shape.tied = true;
  EXPECT_THAT(Train(options, pairs).status().message(),
              HasSubstr("tied: the target's vectors must have as many "
                        "dimensions as there are units, found 6 and 4"));
}

TEST(Seq2SeqTest, AnUnknownWordIsCopiedFromWhereAttentionPoints) {
  // The target is the source. Every name is seen once, so all are unknown.
  std::vector<TextPair> pairs = Reversals(500, 1);
  for (size_t i = 0; i < pairs.size(); ++i) {
    pairs[i].source[i % pairs[i].source.size()] = absl::StrCat("name", i);
    pairs[i].target = pairs[i].source;
  }
  Seq2SeqOptions options = Small();
  options.min_count = 2;
  auto model = Train(options, pairs);
  ASSERT_EQ(model.status(), absl::OkStatus());
  const std::vector<std::string> source = {"a", "Zoe", "b"};
  const auto result =
      (*model->Translate({source}, {.beam = 2, .attention = true}))[0][0];
  EXPECT_THAT(result.tokens, ElementsAre("a", "Zoe", "b"));
  EXPECT_EQ(result.text, "a Zoe b");
  ASSERT_THAT(result.attention, SizeIs(4));  // with the end
  for (const auto& row : result.attention) {
    ASSERT_THAT(row, SizeIs(4));
    float sum = 0;
    for (const float weight : row) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  EXPECT_GT(result.attention[1][1], 0.5f);
  const auto without =
      (*model->Translate({source}, {.beam = 2, .copy_unknown = false}))[0][0];
  EXPECT_THAT(without.tokens, testing::Not(testing::Contains("Zoe")));
  EXPECT_THAT(without.tokens, testing::Not(testing::Contains("<UNK>")));
}

TEST(Seq2SeqTest, DenoisingLearnsTheMissingWords) {
  std::vector<TextPair> texts;
  for (int i = 0; i < 200; ++i) {
    texts.push_back({{"one", "two", "three", "four", "five", "six"}, {}});
  }
  Seq2SeqOptions options = Small();
  options.denoise = true;
  options.span_share = 0.34;  // two spans, the second of which ends the text
  options.span_length = 1;
  options.epochs = 40;
  auto model = Train(options, texts);
  ASSERT_EQ(model.status(), absl::OkStatus());
  const auto result = (*model->Translate(
      {{"one", "two", "<extra_id_0>", "four", "five", "<extra_id_1>"}},
      {}))[0][0];
  EXPECT_EQ(result.text, "<extra_id_0> three <extra_id_1> six <extra_id_2>");
  const TextPair denoised = Denoised(texts[0], options, 5);
  EXPECT_THAT(denoised.source, SizeIs(6));
  EXPECT_THAT(denoised.target, SizeIs(5));
}

TEST(Seq2SeqTest, EmptySourcesHaveNoResults) {
  auto model = Train(Tiny(), Reversals(30, 1));
  ASSERT_EQ(model.status(), absl::OkStatus());
  const auto results = *model->Translate({{}, {"a"}, {}}, {});
  ASSERT_THAT(results, SizeIs(3));
  EXPECT_THAT(results[0], IsEmpty());
  EXPECT_THAT(results[1], SizeIs(1));
  EXPECT_THAT(*model->Translate({}, {}), IsEmpty());
}

TEST(Seq2SeqTest, RefusesWhatCannotBe) {
  const std::vector<TextPair> pairs = Reversals(10, 1);
  const auto message = [&](const auto& change) {
    Seq2SeqOptions options = Tiny();
    change(options);
    return std::string(Train(options, pairs).status().message());
  };
  EXPECT_THAT(message([](auto& o) { o.shape.units = 5; }),
              HasSubstr("units: expected an even number"));
  EXPECT_THAT(message([](auto& o) {
                o.shape.decoder = DecoderKind::kTransformer;
                o.shape.heads = 3;
              }),
              HasSubstr("heads: expected a divisor of the 4 units, found 3"));
  EXPECT_THAT(message([](auto& o) {
                o.shape.encoder = NetworkKind::kWindow;
                o.shape.attention = AttentionKind::kNone;
              }),
              HasSubstr("the encoder must be recurrent"));
  EXPECT_THAT(message([](auto& o) { o.denoise = true; }),
              HasSubstr("pair 1: expected a source without a target"));
  EXPECT_EQ(Train(Tiny(), {}).status().message(),
            "there are no pairs to learn from");
  Seq2SeqOptions fixed = Tiny();
  fixed.shape.attention = AttentionKind::kNone;
  auto model = Train(fixed, pairs);
  ASSERT_EQ(model.status(), absl::OkStatus());
  EXPECT_EQ(model->Translate({{"a"}}, {.attention = true}).status().message(),
            "attention: this model has no attention");
  EXPECT_THAT(
      model->Translate({{"a"}}, {.beam = 2, .best = 3}).status().message(),
      HasSubstr("best: expected at most as many results as the 2"));
}

TEST(Seq2SeqTest, ATruncatedOrAlteredFileIsRefused) {
  auto model = Train(Tiny(), Reversals(20, 1));
  ASSERT_EQ(model.status(), absl::OkStatus());
  const TempFolder folder;
  const std::string path = folder.File("m");
  ASSERT_EQ(model->Save(path), absl::OkStatus());
  const std::string whole = ReadWholeFile(path);
  for (size_t size = 0; size < whole.size(); size += 101) {
    folder.Write("cut", whole.substr(0, size));
    EXPECT_FALSE(Seq2Seq::Load(folder.File("cut")).ok()) << size;
  }
  const auto altered = [&](const std::string& from, const std::string& to) {
    std::string bytes = whole;
    const size_t at = bytes.find(from);
    EXPECT_NE(at, bytes.npos) << from;
    bytes.replace(at, from.size(), to);
    folder.Write("altered", bytes);
    return Seq2Seq::Load(folder.File("altered")).status();
  };
  EXPECT_FALSE(altered("\\\"units\\\":4", "\\\"units\\\":6").ok());
  EXPECT_FALSE(altered("recurrent", "recurrenT").ok());
}

}  // namespace
}  // namespace firth
