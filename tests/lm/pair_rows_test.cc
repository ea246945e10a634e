// Pairs of documents: half of them follow, the others come from another
// document, and all of a text is read.

#include "lm/learn/pair_rows.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "firth/language_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/model/language_model_options.h"
#include "support/temp_files.h"

namespace firth {
namespace {

constexpr uint32_t kFirstWord = 5;

// The sentences of lines, as a training reads them.
std::vector<std::string> Sentences(const std::string& text) {
  const TempFolder folder;
  auto source = DocumentSentences({folder.Write("text", text)});
  EXPECT_EQ(source.status(), absl::OkStatus());
  std::vector<std::string> sentences;
  for (;;) {
    const auto next = (*source)();
    EXPECT_EQ(next.status(), absl::OkStatus());
    if (!next.ok() || !next->has_value()) return sentences;
    sentences.push_back(absl::StrJoin(**next, " "));
  }
}

Corpus Read(const std::string& text) {
  const TempFolder folder;
  CorpusOptions options;
  options.sentences = *DocumentSentences({folder.Write("text", text)});
  return *ReadCorpus(options, VocabularyOptions{.min_count = 1});
}

TEST(DocumentSentencesTest, EmptyLinesEndDocuments) {
  EXPECT_EQ(Sentences("\n \na b\nc\n\n\n\nd\n\n"),
            (std::vector<std::string>{"a b", "c", kDocumentEnd, "d"}));
  EXPECT_EQ(Sentences("a"), std::vector<std::string>{"a"});
  const TempFolder folder;
  const std::string path = folder.Write("empty", "\n \n");
  EXPECT_EQ((*DocumentSentences({path}))().status().message(),
            path + ": the input contains no text");
  // More than are read at once.
  std::string many;
  for (int i = 0; i < 5000; ++i) many += i % 3 == 0 ? "\n" : "w\n";
  EXPECT_EQ(Sentences(many).size(), 3333u + 1666u);
}

TEST(PairRowsTest, ATextOfOneDocumentIsRefused) {
  EXPECT_THAT(std::string(PairRows::Check(Read("a b\nc\n"), 5).message()),
              testing::HasSubstr(
                  "at least two documents, separated by empty lines, found 1"));
  EXPECT_EQ(PairRows::Check(Read("a b\n\nc\n"), 5), absl::OkStatus());
  EXPECT_THAT(
      std::string(PairRows::Check(Read("a b\n\nc\n"), 4).message()),
      testing::HasSubstr(
          "pairs of sentences need steps of at least 5 tokens, found 4"));
}

// Document d has words d.0, d.1, ... in sentences of one to four.
Corpus NumberedText(size_t documents) {
  std::string text;
  for (size_t d = 0; d < documents; ++d) {
    for (size_t word = 0; word < 3 + 7 * d; ++word) {
      absl::StrAppend(&text, d, ".", word, word % (d + 2) == 0 ? "\n" : " ");
    }
    text += "\n\n";
  }
  return Read(text);
}

TEST(PairRowsTest, HalfOfThePairsFollowAndTheOthersAreOfOtherDocuments) {
  const Corpus text = NumberedText(6);
  PairRows rows(text, kFirstWord);
  constexpr size_t kSteps = 16, kPairs = 4000;
  PairChunk chunk;
  rows.Fill(kPairs, kSteps, 3, &chunk);
  ASSERT_EQ(chunk.lengths.size(), kPairs);
  size_t begin = 0, follow = 0;
  std::set<uint32_t> seen;
  const auto word = [&](size_t at) {
    return std::string(
        text.vocabulary.Word(ToWordId(chunk.ids[at] - kFirstWord)));
  };
  for (size_t pair = 0; pair < kPairs; ++pair) {
    const size_t end = begin + chunk.lengths[pair];
    const size_t second = chunk.seconds[pair];
    ASSERT_LE(end - begin, kSteps);
    ASSERT_EQ(chunk.ids[begin], kBeginSentenceId);
    ASSERT_EQ(chunk.ids[second - 1], kEndSentenceId);
    ASSERT_EQ(chunk.ids[end - 1], kEndSentenceId);
    ASSERT_GE(second - begin, 3u);
    ASSERT_GE(end - second, 2u);
    // Each part goes on word by word.
    for (size_t at = begin + 1; at + 1 < end; ++at) {
      if (at == second - 1) continue;
      ASSERT_GE(chunk.ids[at], kFirstWord);
      seen.insert(chunk.ids[at]);
      if (at + 1 == second - 1 || at + 2 >= end) continue;
      const auto parts = [&](size_t place) {
        const std::vector<std::string> found = absl::StrSplit(word(place), '.');
        return std::pair(found[0], std::stoi(found[1]));
      };
      const auto now = parts(at), next = parts(at + 1);
      ASSERT_EQ(now.first, next.first);
      ASSERT_EQ(now.second + 1, next.second);
    }
    const std::string last = word(second - 2), first = word(second);
    const bool same = last.substr(0, 2) == first.substr(0, 2);
    ASSERT_EQ(chunk.labels[pair], same ? 0u : 1u);
    if (same) {
      EXPECT_EQ(std::stoi(last.substr(2)) + 1, std::stoi(first.substr(2)));
      ++follow;
    }
    begin = end;
  }
  EXPECT_EQ(begin, chunk.ids.size());
  // Where a document ends, nothing follows.
  EXPECT_GT(follow, kPairs * 3 / 10);
  EXPECT_LT(follow, kPairs / 2);
  // All but the mark of documents.
  EXPECT_EQ(seen.size(), text.vocabulary.size() - 1);
}

TEST(PairRowsTest, GoesOnFromAPosition) {
  const Corpus text = NumberedText(4);
  PairRows whole(text, kFirstWord), parts(text, kFirstWord);
  PairChunk a, b;
  whole.Fill(5, 12, 1, &a);
  const uint64_t position = whole.position();
  whole.Fill(5, 12, 2, &a);
  ASSERT_TRUE(parts.set_position(position));
  parts.Fill(5, 12, 2, &b);
  EXPECT_EQ(a.ids, b.ids);
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_FALSE(parts.set_position(1000));
}

// Documents of one of two languages: what follows is of the same one.
TEST(NextSentenceTest, IsLearnt) {
  std::string lines;
  for (int d = 0; d < 60; ++d) {
    const char* const words =
        d % 2 == 0 ? "a b c\nb a\nc c b\n" : "x y z\ny x\nz z y\n";
    absl::StrAppend(&lines, words, words, "\n");
  }
  LanguageModelTraining training;
  training.network = NetworkKind::kTransformer;
  training.predict = Prediction::kMasked;
  training.next_sentence = true;
  training.units = 16;
  training.layers = 1;
  training.heads = 2;
  training.context = 12;
  training.batch = 8;
  training.epochs = 60;
  training.dropout = 0;
  training.learning_rate = 0.01;
  training.vocabulary.min_count = 1;
  training.threads = 1;
  const Corpus text = Read(lines);
  auto trained = TrainLanguageModel(text, training);
  ASSERT_EQ(trained.status(), absl::OkStatus());
  const TempFolder folder;
  const std::string path = folder.File("lm.safetensors");
  ASSERT_EQ(trained->model.Save(path), absl::OkStatus());
  auto model = LanguageModel::Load(path);
  ASSERT_EQ(model.status(), absl::OkStatus());
  const auto likely = model->NextSentence({{{"a", "b"}, {"c", "b"}},
                                           {{"a", "b"}, {"z", "y"}},
                                           {{"y", "x"}, {"z", "z"}},
                                           {{"y", "x"}, {"b", "a"}}});
  ASSERT_EQ(likely.status(), absl::OkStatus());
  EXPECT_GT((*likely)[0], (*likely)[1] + 0.3);
  EXPECT_GT((*likely)[2], (*likely)[3] + 0.3);
  EXPECT_LT((*likely)[1], 0.35);
  EXPECT_LT((*likely)[3], 0.35);
  // One document is no text for it; nor are other layers.
  EXPECT_EQ(TrainLanguageModel(Read("a b\nc\n"), training).status().code(),
            absl::StatusCode::kInvalidArgument);
  training.network = NetworkKind::kRecurrent;
  EXPECT_EQ(training.Validate().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace firth
