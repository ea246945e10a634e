// Taggers on a made-up language: learning, files, and what goes wrong.

#include "firth/tagger.h"

#include <atomic>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "firth/checkpoint.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/model/language_model_file.h"
#include "lm/tiny_language_model.h"
#include "support/altered_state.h"
#include "support/temp_files.h"
#include "support/tiny_vectors.h"
#include "support/trainings.h"

namespace firth {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr uint32_t kWords = 12;

// Words w0, w1, ...: a word is tagged B-X behind an even one, I-X behind an odd
// one, and O if it is w0; so its tag is not in the word alone.
std::vector<TaggedSentence> Sentences(size_t count, uint64_t seed) {
  std::vector<TaggedSentence> sentences(count);
  Rng rng(seed);
  for (TaggedSentence& sentence : sentences) {
    uint32_t before = 0;
    for (uint32_t left = 1 + rng.Below(9); left > 0; --left) {
      const uint32_t word = rng.Below(kWords);
      sentence.tokens.push_back(absl::StrCat("w", word));
      sentence.tags.emplace_back(word == 0         ? "O"
                                 : before % 2 == 0 ? "B-X"
                                                   : "I-X");
      before = word;
    }
  }
  return sentences;
}

class TaggerTest : public testing::Test {
 protected:
  TaggerTest() {
    vectors = folder.File("v.safetensors");
    VectorFile file;
    file.vectors = RandomVectors(kWords, 8, 3);
    EXPECT_EQ(SaveVectorFile(file, vectors, "safetensors"), absl::OkStatus());
  }

  static TaggerOptions Small() {
    TaggerOptions options;
    options.units = 8;
    options.dropout = 0;
    options.epochs = 12;
    options.batch = 8;
    options.learning_rate = 0.02;
    options.threads = 1;
    return options;
  }

  absl::StatusOr<Tagger> Train(const TaggerOptions& options,
                               const TaggerInputs& inputs,
                               TaggerReport* report = nullptr) {
    TaggerReport ignored;
    return Tagger::Train(train, dev, inputs, options, {},
                         report == nullptr ? &ignored : report);
  }

  std::string SavedTagger() {
    absl::StatusOr<Tagger> tagger = Train(Small(), {vectors, ""});
    EXPECT_EQ(tagger.status(), absl::OkStatus());
    std::string path = folder.File("t.safetensors");
    EXPECT_EQ(tagger->Save(path), absl::OkStatus());
    return path;
  }

  TempFolder folder;
  std::string vectors;
  std::vector<TaggedSentence> train = Sentences(150, 1);
  std::vector<TaggedSentence> dev = Sentences(40, 2);
};

double Accuracy(Tagger& tagger, std::vector<TaggedSentence> sentences) {
  TagScorer scorer;
  EXPECT_EQ(tagger.Tag(absl::MakeSpan(sentences)), absl::OkStatus());
  for (const auto& s : sentences) scorer.Add(s.tags, s.predicted);
  return scorer.scores().accuracy();
}

// Random words that end in "ing", which is a B-X, or in "ed", a B-Y; and some
// that begin with a capital, which are B-Z whatever their end.
std::vector<TaggedSentence> NewWords(size_t count, uint64_t seed) {
  std::vector<TaggedSentence> sentences(count);
  Rng rng(seed);
  for (TaggedSentence& sentence : sentences) {
    for (uint32_t left = 1 + rng.Below(6); left > 0; --left) {
      std::string word;
      for (int i = 0; i < 4; ++i) {
        word += static_cast<char>('a' + rng.Below(26));
      }
      const bool ing = rng.Below(2) == 0, capital = rng.Below(4) == 0;
      if (capital) word[0] = static_cast<char>(word[0] - 'a' + 'A');
      sentence.tokens.push_back(word + (ing ? "ing" : "ed"));
      sentence.tags.emplace_back(capital ? "B-Z" : ing ? "B-X" : "B-Y");
    }
  }
  return sentences;
}

TEST_F(TaggerTest, KnowsNewWordsByTheirSpelling) {
  train = NewWords(200, 1);
  dev = NewWords(40, 2);
  TaggerOptions options = Small();
  options.lstm_layers = 0;
  options.case_dim = 4;
  options.use_characters = true;
  absl::StatusOr<Tagger> tagger = Train(options, {});
  ASSERT_EQ(tagger.status(), absl::OkStatus());
  std::vector<TaggedSentence> test = NewWords(50, 3);
  EXPECT_GT(Accuracy(*tagger, test), 0.97);
  // The file says what it reads.
  const std::string path = folder.File("s.safetensors");
  ASSERT_EQ(tagger->Save(path), absl::OkStatus());
  absl::StatusOr<Tagger> loaded = Tagger::Load(path, {});
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  std::vector<TaggedSentence> again = test;
  ASSERT_EQ(tagger->Tag(absl::MakeSpan(test)), absl::OkStatus());
  ASSERT_EQ(loaded->Tag(absl::MakeSpan(again)), absl::OkStatus());
  for (size_t s = 0; s < test.size(); ++s) {
    EXPECT_EQ(test[s].predicted, again[s].predicted);
  }
  // Casing alone tells names, and not the others.
  options.use_characters = false;
  tagger = Train(options, {});
  ASSERT_EQ(tagger.status(), absl::OkStatus());
  ASSERT_EQ(tagger->Tag(absl::MakeSpan(test)), absl::OkStatus());
  TagScorer scorer;
  for (const auto& s : test) scorer.Add(s.tags, s.predicted);
  EXPECT_DOUBLE_EQ(scorer.scores().types.at("Z").f1(), 1);
  EXPECT_LT(scorer.scores().accuracy(), 0.8);
  options.case_dim = 0;
  EXPECT_THAT(Train(options, {}).status().message(),
              HasSubstr("a tagger needs static vectors, a contextualizer or "
                        "the spelling of tokens"));
}

TEST_F(TaggerTest, LearnsWhatDependsOnContext) {
  for (const bool crf : {false, true}) {
    TaggerOptions options = Small();
    options.crf = crf;
    TaggerReport report;
    absl::StatusOr<Tagger> tagger = Train(options, {vectors, ""}, &report);
    ASSERT_EQ(tagger.status(), absl::OkStatus());
    EXPECT_GT(Accuracy(*tagger, Sentences(50, 9)), 0.97);
    EXPECT_EQ(report.tokens_with_vectors, report.train_tokens);
    ASSERT_GT(report.best_epoch, 0u);
    EXPECT_TRUE(report.epochs.back().dev.has_spans);
    // The weights kept are those of the best epoch.
    const double best = report.epochs[report.best_epoch - 1].dev.accuracy();
    EXPECT_DOUBLE_EQ(Accuracy(*tagger, dev), best);
  }
  TaggerOptions linear = Small();
  linear.lstm_layers = 0;
  absl::StatusOr<Tagger> tagger = Train(linear, {vectors, ""});
  ASSERT_EQ(tagger.status(), absl::OkStatus());
  EXPECT_LT(Accuracy(*tagger, Sentences(50, 9)), 0.75);
}

TEST_F(TaggerTest, TheSameSeedGivesTheSameFile) {
  TaggerOptions options = Small();
  options.dropout = 0.3;
  options.epochs = 2;
  std::string files[3];
  for (size_t i = 0; i < 3; ++i) {
    options.seed = i < 2 ? 5 : 6;
    options.threads = i == 1 ? 2 : 1;
    const std::string path = folder.File("same.safetensors");
    ASSERT_EQ(Train(options, {vectors, ""})->Save(path), absl::OkStatus());
    files[i] = ReadWholeFile(path);
  }
  EXPECT_TRUE(files[0] == files[1]);
  EXPECT_FALSE(files[0] == files[2]);
}

TEST_F(TaggerTest, AFileTagsAsTheTaggerDid) {
  absl::StatusOr<Tagger> tagger = Train(Small(), {vectors, ""});
  ASSERT_TRUE(tagger.ok());
  const std::string path = folder.File("t.safetensors");
  ASSERT_EQ(tagger->Save(path), absl::OkStatus());
  absl::StatusOr<Tagger> loaded = Tagger::Load(path, {vectors, ""});
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_EQ(loaded->tags(), tagger->tags());
  std::vector<TaggedSentence> a = Sentences(20, 4), b = a;
  a[3].tokens.clear();  // an empty line
  b[3].tokens.clear();
  ASSERT_EQ(tagger->Tag(absl::MakeSpan(a)), absl::OkStatus());
  ASSERT_EQ(loaded->Tag(absl::MakeSpan(b)), absl::OkStatus());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].predicted, b[i].predicted);
    EXPECT_EQ(a[i].predicted.size(), a[i].tokens.size());
  }
}

TEST_F(TaggerTest, LayersAreMixedAndTheMixIsKept) {
  const std::string model = folder.File("lm.safetensors");
  ASSERT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kCharacters, 11), model),
            absl::OkStatus());
  TaggerOptions options = Small();
  options.epochs = 20;
  options.mix_at_output = true;
  options.cache_bytes = 4096;  // some are kept, some made anew
  for (const std::string& with : {std::string(), vectors}) {
    absl::StatusOr<Tagger> tagger = Train(options, {with, model});
    ASSERT_EQ(tagger.status(), absl::OkStatus());
    // A random model may tell words apart, and this one does.
    EXPECT_GT(Accuracy(*tagger, dev), 0.65);
    ASSERT_EQ(tagger->mixes().size(), 2u);
    const MixWeights mix = tagger->mixes()[0];
    ASSERT_EQ(mix.shares.size(), 3u);
    EXPECT_NE(mix.shares[0], mix.shares[1]);
    const std::string path = folder.File("t.safetensors");
    ASSERT_EQ(tagger->Save(path), absl::OkStatus());
    EXPECT_EQ(Tagger::Load(path, {with, model})->mixes()[1].shares,
              tagger->mixes()[1].shares);
    EXPECT_EQ((*ReadMixes(path, model))[0].shares, mix.shares);
    EXPECT_EQ(ReadMixes(path, vectors).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST_F(TaggerTest, LayersMayBeMixedAtTheOutputAlone) {
  const std::string model = folder.File("lm.safetensors");
  ASSERT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kCharacters), model),
            absl::OkStatus());
  TaggerOptions options = Small();
  options.mix_at_input = false;
  EXPECT_EQ(Train(options, {vectors, model}).status().code(),
            absl::StatusCode::kInvalidArgument);
  options.mix_at_output = true;
  absl::StatusOr<Tagger> tagger = Train(options, {vectors, model});
  ASSERT_EQ(tagger.status(), absl::OkStatus());
  ASSERT_EQ(tagger->mixes().size(), 1u);
  const std::string path = folder.File("t.safetensors");
  ASSERT_EQ(tagger->Save(path), absl::OkStatus());
  absl::StatusOr<Tagger> loaded = Tagger::Load(path, {vectors, model});
  ASSERT_EQ(loaded.status(), absl::OkStatus());
  EXPECT_EQ(loaded->mixes()[0].shares, tagger->mixes()[0].shares);
  EXPECT_EQ(Accuracy(*loaded, dev), Accuracy(*tagger, dev));
  // There is nothing for the BiLSTM to read.
  EXPECT_EQ(Train(options, {"", model}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(TaggerTest, APackedOneTagsAloneAsWithItsInputs) {
  const std::string model = folder.File("lm.safetensors");
  ASSERT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kBoth), model),
            absl::OkStatus());
  const std::string path = folder.File("t.safetensors");
  const std::string packed = folder.File("p.safetensors");
  TaggerOptions options = Small();
  options.epochs = 1;
  for (const TaggerInputs& inputs :
       {TaggerInputs{vectors, ""}, TaggerInputs{"", model},
        TaggerInputs{vectors, model}}) {
    absl::StatusOr<Tagger> tagger = Train(options, inputs);
    ASSERT_EQ(tagger.status(), absl::OkStatus());
    ASSERT_EQ(tagger->Save(path), absl::OkStatus());
    ASSERT_EQ(PackTagger(path, inputs, packed), absl::OkStatus());
    absl::StatusOr<Tagger> alone = Tagger::Load(packed, {});
    ASSERT_EQ(alone.status(), absl::OkStatus());
    std::vector<TaggedSentence> one = dev, other = dev;
    ASSERT_EQ(tagger->Tag(absl::MakeSpan(one), {.probabilities = true}),
              absl::OkStatus());
    ASSERT_EQ(alone->Tag(absl::MakeSpan(other), {.probabilities = true}),
              absl::OkStatus());
    for (size_t s = 0; s < one.size(); ++s) {
      EXPECT_EQ(one[s].predicted, other[s].predicted);
      EXPECT_EQ(one[s].probabilities, other[s].probabilities);
    }
    // What it holds, it keeps.
    const std::string whole = ReadWholeFile(packed);
    ASSERT_EQ(alone->Save(folder.File("again")), absl::OkStatus());
    EXPECT_TRUE(ReadWholeFile(folder.File("again")) == whole);
  }
  EXPECT_EQ((*ReadMixes(packed, model)).size(), 1u);
  EXPECT_THAT(Tagger::Load(packed, {vectors, ""}).status().message(),
              HasSubstr("this tagger contains the files that it was trained "
                        "with; omit --vectors " +
                        vectors));
  EXPECT_THAT(PackTagger(packed, {}, path).message(),
              HasSubstr("already contains its vectors and contextualizer"));
  EXPECT_THAT(PackTagger(path, {vectors, ""}, packed).message(),
              HasSubstr("this tagger needs --contextualizer FILE"));
}

// A tag depends on the word before, which random layers tell badly: a linear
// model on top cannot help that, and the layers below can.
TEST_F(TaggerTest, ATunedContextualizerLearnsTheTask) {
  const std::string model = folder.File("lm.safetensors");
  ASSERT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kCharacters), model),
            absl::OkStatus());
  const std::string start = ReadWholeFile(model);
  TaggerOptions options = Small();
  options.lstm_layers = 0;
  absl::StatusOr<Tagger> tagger = Train(options, {"", model});
  ASSERT_EQ(tagger.status(), absl::OkStatus());
  const double frozen = Accuracy(*tagger, dev);
  options.tune_contextualizer = true;
  options.tuning_rate = 0.01;
  TaggerReport report;
  tagger = Train(options, {"", model}, &report);
  ASSERT_EQ(tagger.status(), absl::OkStatus());
  EXPECT_GT(Accuracy(*tagger, dev), frozen + 0.1);
  // The weights kept are those of the best epoch, below and above.
  const double best = report.epochs[report.best_epoch - 1].dev.accuracy();
  EXPECT_DOUBLE_EQ(Accuracy(*tagger, dev), best);
  EXPECT_TRUE(ReadWholeFile(model) == start);
}

TEST_F(TaggerTest, TheFileOfATunedOneHoldsWhatItReads) {
  const std::string model = folder.File("lm.safetensors");
  ASSERT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kBoth), model),
            absl::OkStatus());
  TaggerOptions options = Small();
  options.epochs = 2;
  options.tune_contextualizer = true;
  options.mix_at_output = true;
  const std::string path = folder.File("t.safetensors");
  for (const std::string& with : {std::string(), vectors}) {
    absl::StatusOr<Tagger> tagger = Train(options, {with, model});
    ASSERT_EQ(tagger.status(), absl::OkStatus());
    ASSERT_EQ(tagger->Save(path), absl::OkStatus());
    absl::StatusOr<Tagger> alone = Tagger::Load(path, {});
    ASSERT_EQ(alone.status(), absl::OkStatus());
    std::vector<TaggedSentence> one = dev, other = dev;
    ASSERT_EQ(tagger->Tag(absl::MakeSpan(one), {.probabilities = true}),
              absl::OkStatus());
    ASSERT_EQ(alone->Tag(absl::MakeSpan(other), {.probabilities = true}),
              absl::OkStatus());
    for (size_t s = 0; s < one.size(); ++s) {
      EXPECT_EQ(one[s].probabilities, other[s].probabilities);
    }
    const std::string whole = ReadWholeFile(path);
    ASSERT_EQ(alone->Save(folder.File("again")), absl::OkStatus());
    EXPECT_TRUE(ReadWholeFile(folder.File("again")) == whole);
  }
  EXPECT_THAT(Tagger::Load(path, {"", model}).status().message(),
              HasSubstr("trained with; omit --contextualizer"));
  EXPECT_THAT(PackTagger(path, {}, folder.File("p")).message(),
              HasSubstr("already contains its vectors and contextualizer"));
  EXPECT_THAT(ReadMixes(path, model).status().message(),
              HasSubstr("this tagger has tuned its contextualizer"));
  EXPECT_THAT(Train(options, {vectors, ""}).status().message(),
              HasSubstr("requires a contextualizer"));
}

TEST_F(TaggerTest, ATunedTrainingGivesTheSameFileAgain) {
  const std::string model = folder.File("lm.safetensors");
  ASSERT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kBoth), model),
            absl::OkStatus());
  TaggerOptions options = Small();
  options.epochs = 3;
  options.dropout = 0.3;
  options.tune_contextualizer = true;
  options.tuning_rate = 0.003;
  const auto train_with = [&](const Checkpointing& saved) {
    TaggerReport report;
    absl::StatusOr<Tagger> tagger = Tagger::Train(train, dev, {vectors, model},
                                                  options, {}, &report, saved);
    EXPECT_EQ(tagger.status(), absl::OkStatus());
    const std::string path = folder.File("t.safetensors");
    EXPECT_EQ(tagger->Save(path), absl::OkStatus());
    return ReadWholeFile(path);
  };
  const std::string whole = train_with({});
  options.threads = 2;
  EXPECT_TRUE(train_with({}) == whole);
  options.threads = 1;
  const TempFolder saved;
  EXPECT_TRUE(train_with(Often(saved.path())) == whole);
  RemoveNewest(saved);
  EXPECT_TRUE(train_with(Often(saved.path(), /*resume=*/true)) == whole);
  // Of a training that is at its end.
  EXPECT_TRUE(train_with(Often(saved.path(), /*resume=*/true)) == whole);
}

TEST_F(TaggerTest, WhatCannotBePackedIsRefused) {
  VectorFile file;
  file.vectors = RandomVectors(kWords, 8, 3);
  vectors = folder.File("v.npy");
  ASSERT_EQ(SaveVectorFile(file, vectors, "npy"), absl::OkStatus());
  const std::string path = SavedTagger();
  const std::string packed = folder.File("p.safetensors");
  EXPECT_THAT(
      PackTagger(path, {vectors, ""}, packed).message(),
      HasSubstr("the vectors must be in one file, but their words are in " +
                folder.File("v.vocab")));
  EXPECT_FALSE(std::filesystem::exists(packed));
  TaggerOptions spelled = Small();
  spelled.epochs = 1;
  spelled.case_dim = 2;
  ASSERT_EQ(Train(spelled, {})->Save(path), absl::OkStatus());
  EXPECT_THAT(PackTagger(path, {}, packed).message(),
              HasSubstr("uses neither vectors nor a contextualizer"));
}

// The file of somebody who wants another one to be opened, or nothing read.
TEST_F(TaggerTest, APackedOneWhoseInputsAreDamagedIsRefused) {
  const std::string packed = folder.File("p.safetensors");
  ASSERT_EQ(PackTagger(SavedTagger(), {vectors, ""}, packed), absl::OkStatus());
  const std::string whole = ReadWholeFile(packed);
  std::string altered = whole;
  altered[whole.size() - 9] ^= 1;  // in the vectors, which are the last
  EXPECT_EQ(Tagger::Load(folder.Write("a", altered), {}).status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(
      Tagger::Load(folder.Write("b", whole.substr(0, whole.size() - 9)), {})
          .status()
          .code(),
      absl::StatusCode::kDataLoss);
}

TEST_F(TaggerTest, InputsMustBeGivenAndBeTheSame) {
  const std::string path = SavedTagger();
  // The file names them, but says nothing about where they are.
  EXPECT_THAT(ReadWholeFile(path), HasSubstr("v.safetensors"));
  EXPECT_THAT(ReadWholeFile(path), Not(HasSubstr(folder.path())));
  const absl::Status none = Tagger::Load(path, {}).status();
  EXPECT_EQ(none.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(none.message()),
              HasSubstr("this tagger needs --vectors FILE. The file that it "
                        "was trained with was named \"v.safetensors\""));
  // They may have another name now.
  std::filesystem::rename(vectors, folder.File("else"));
  EXPECT_EQ(Tagger::Load(path, {vectors, ""}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(Tagger::Load(path, {folder.File("else"), ""}).status(),
            absl::OkStatus());
  // Another file, and one too many.
  folder.Write("other", "w0 1 2\n");
  const absl::Status other =
      Tagger::Load(path, {folder.File("other"), ""}).status();
  EXPECT_EQ(other.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(other.message()),
              HasSubstr("this is not the file that"));
  EXPECT_THAT(
      std::string(Tagger::Load(path, {folder.File("else"), folder.File("else")})
                      .status()
                      .message()),
      HasSubstr("was trained without --contextualizer"));
}

TEST_F(TaggerTest, DamagedFilesAreRefused) {
  const std::string path = SavedTagger();
  const std::string bytes = ReadWholeFile(path);
  for (size_t size = 0; size < bytes.size(); size += 997) {
    folder.Write("t.safetensors", bytes.substr(0, size));
    EXPECT_EQ(Tagger::Load(path, {vectors, ""}).status().code(),
              absl::StatusCode::kDataLoss);
  }
  for (size_t at = bytes.rfind('}') + 9; at < bytes.size(); at += 211) {
    std::string altered = bytes;
    altered[at] = static_cast<char>(altered[at] ^ 16);
    folder.Write("t.safetensors", altered);
    EXPECT_EQ(Tagger::Load(path, {vectors, ""}).status().code(),
              absl::StatusCode::kDataLoss);
  }
  EXPECT_EQ(Tagger::Load(vectors, {vectors, ""}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

// Broken off within an epoch, a tenth of the training before its end.
TEST_F(TaggerTest, AResumedTrainingEndsWithTheSameFile) {
  const std::string model = folder.File("lm.safetensors");
  ASSERT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kCharacters), model),
            absl::OkStatus());
  TaggerOptions options = Small();
  options.dropout = 0.3;
  options.epochs = 4;
  options.case_dim = 2;
  options.use_characters = true;
  options.cache_bytes = 4096;  // some vectors are kept, some made anew
  for (const TaggerInputs& inputs :
       {TaggerInputs{vectors, ""}, TaggerInputs{vectors, model}}) {
    const auto train_with = [&](const Checkpointing& saved) {
      TaggerReport report;
      absl::StatusOr<Tagger> tagger =
          Tagger::Train(train, dev, inputs, options, {}, &report, saved);
      EXPECT_EQ(tagger.status(), absl::OkStatus());
      EXPECT_EQ(report.epochs.size(), 4u);
      const std::string path = folder.File("t.safetensors");
      EXPECT_EQ(tagger->Save(path), absl::OkStatus());
      return std::make_pair(ReadWholeFile(path), report);
    };
    const TempFolder saved;
    const auto whole = train_with({});
    EXPECT_TRUE(train_with(Often(saved.path())).first == whole.first);
    RemoveNewest(saved);
    const auto resumed = train_with(Often(saved.path(), /*resume=*/true));
    EXPECT_TRUE(resumed.first == whole.first);
    EXPECT_EQ(resumed.second.best_epoch, whole.second.best_epoch);
    for (size_t epoch = 0; epoch < 4; ++epoch) {
      const TaggerEpoch& a = resumed.second.epochs[epoch];
      const TaggerEpoch& b = whole.second.epochs[epoch];
      EXPECT_EQ(a.loss, b.loss);
      EXPECT_EQ(a.dev.correct, b.dev.correct);
      EXPECT_EQ(a.dev.types.at("X").found, b.dev.types.at("X").found);
    }
    // Other options and sentences are all told.
    options.units = 9;
    dev.pop_back();
    TaggerReport ignored;
    const absl::Status other =
        Tagger::Train(train, dev, inputs, options, {}, &ignored,
                      Often(saved.path(), /*resume=*/true))
            .status();
    EXPECT_EQ(other.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(other.message()),
                testing::AllOf(HasSubstr("dev changed"),
                               HasSubstr("units was 8 and is now 9")));
    options.units = 8;
    dev = Sentences(40, 2);
  }
}

TEST_F(TaggerTest, AnInterruptedTrainingGoesOn) {
  TaggerOptions options = Small();
  TaggerReport report;
  std::atomic<bool> stop{false};
  TaggerHooks hooks{{nullptr, &stop}, {}};
  hooks.on_epoch = [&stop](const TaggerReport& so_far) {
    stop = so_far.epochs.size() == 2;
  };
  const TempFolder saved;
  const absl::StatusOr<Tagger> part = Tagger::Train(
      train, dev, {vectors, ""}, options, hooks, &report, Often(saved.path()));
  ASSERT_EQ(part.status(), absl::OkStatus());
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(report.epochs.size(), 2u);
  options.cache_bytes = 4096;  // may change on the way
  absl::StatusOr<Tagger> resumed =
      Tagger::Train(train, dev, {vectors, ""}, options, {}, &report,
                    Often(saved.path(), /*resume=*/true));
  ASSERT_EQ(resumed.status(), absl::OkStatus());
  EXPECT_FALSE(report.interrupted);
  EXPECT_GT(report.epochs.size(), 2u);
  EXPECT_GT(Accuracy(*resumed, Sentences(50, 9)), 0.97);
}

TEST_F(TaggerTest, StatesThatCannotBeAreRefused) {
  TaggerOptions options = Small();
  options.epochs = 3;
  ExpectStatesAreRefused(
      {R"({"batch": 9999})", R"({"batch": -1})", R"({"batch": 0})",
       R"({"tokens": 0})", R"({"tokens": 99999})", R"({"loss": null})",
       R"({"steps": 18446744073709551615})", R"({"rate_steps": 1e300})",
       R"({"epochs": [1]})", R"({"epochs": 1})"},
      [&](const Checkpointing& checkpointing) {
        TaggerReport report;
        return Tagger::Train(train, dev, {vectors, ""}, options, {}, &report,
                             checkpointing)
            .status();
      });
}

// The user's interrupt comes while the sentences of the checkpoint are read
// again; it stays, and is gone on from.
TEST_F(TaggerTest, AnInterruptIsHeardWhileSentencesAreReadAgain) {
  const std::string model = folder.File("lm.safetensors");
  ASSERT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kCharacters), model),
            absl::OkStatus());
  TaggerOptions options = Small();
  options.epochs = 2;
  const TempFolder saved;
  const auto train_with = [&](const Hooks& hooks, bool resume) {
    TaggerReport report;
    return Tagger::Train(train, dev, {"", model}, options, {hooks, {}}, &report,
                         Often(saved.path(), resume))
        .status();
  };
  ASSERT_EQ(train_with({}, false), absl::OkStatus());
  RemoveNewest(saved);
  saved.Write("checkpoint-0-999999999999999.safetensors", "damaged");
  class : public ProgressSink {
   public:
    void OnWarning(absl::string_view) override { stop = true; }
    std::atomic<bool> stop{false};
  } interrupting;
  EXPECT_EQ(train_with({&interrupting, &interrupting.stop}, true).code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(train_with({}, true), absl::OkStatus());
}

TEST_F(TaggerTest, DivergenceStopsWithStepAndCause) {
  TaggerOptions options = Small();
  options.learning_rate = 1e38;
  const absl::Status status = Train(options, {vectors, ""}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(status.message()),
              testing::ContainsRegex(
                  "diverged at step [0-9]+ \\(epoch [0-9]+\\): the loss is"));
}

TEST_F(TaggerTest, WhatCannotBeIsRefused) {
  TaggerOptions options = Small();
  EXPECT_EQ(Train(options, {}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Train(options, {folder.File("none"), ""}).status().code(),
            absl::StatusCode::kNotFound);
  options.dropout = 1;
  EXPECT_EQ(Train(options, {vectors, ""}).status().code(),
            absl::StatusCode::kInvalidArgument);
  train.clear();
  EXPECT_EQ(Train(Small(), {vectors, ""}).status().code(),
            absl::StatusCode::kInvalidArgument);
  for (int i = 0; i < 5000; ++i) {
    train.push_back({{"w0"}, {absl::StrCat("tag", i)}, {}, {}});
  }
  EXPECT_THAT(std::string(Train(Small(), {vectors, ""}).status().message()),
              HasSubstr("check the tag column"));
}

}  // namespace
}  // namespace firth
