// Vectors in other forms: files of every format, small models, n-grams, what
// gets lost, and what each of them answers.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "end_to_end/trained_vectors.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class StoredVectorsTest : public TrainedVectorsTest {};

TEST_F(StoredVectorsTest, EveryFormatAnswersAlike) {
  const std::string expected = RunFirth({"nn", vectors_, "cat"}).out;
  for (const VectorFormatInfo& format : VectorFormats()) {
    if (!format.holds_words) continue;
    SCOPED_TRACE(format.name);
    const std::string to = Path("copy" + std::string(format.extensions[0]));
    const Outcome convert = RunFirth({"convert", vectors_, to, "--lossy"});
    EXPECT_EQ(convert.code, 0) << convert.err;
    EXPECT_EQ(convert.err.find("cannot hold") == std::string::npos,
              format.name == "safetensors");
    EXPECT_EQ(RunFirth({"nn", to, "cat"}).out, expected);
    const std::string back = Path("back.safetensors");
    const Outcome again = RunFirth({"convert", to, back});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(again.err.find("cannot hold"), std::string::npos);
    EXPECT_EQ(RunFirth({"nn", back, "cat"}).out, expected);
  }
}

TEST_F(StoredVectorsTest, ConvertSaysWhatTheFormatNeverHad) {
  const Outcome noted = RunFirth({"convert", vectors_, Path("small.bin")});
  EXPECT_EQ(noted.code, 0);
  EXPECT_THAT(
      noted.err,
      HasSubstr("bin cannot hold counts, the output table, metadata of " +
                vectors_ + "; they are left out"));
}

TEST_F(StoredVectorsTest, ConvertLeavesOutNGramsOnlyIfAllowed) {
  const std::string model = Path("n-grams.safetensors");
  ASSERT_EQ(
      RunFirth({"train", "-i", File("c.txt", TwoTopicText(100)), "-o", model,
                "--min-n", "3", "--max-n", "3", "--dim", "8", "-q"})
          .code,
      0);
  const Outcome refused = RunFirth({"convert", model, Path("small.bin")});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err,
              HasSubstr("bin cannot hold the n-grams of " + model + " ("));
  EXPECT_THAT(refused.err, HasSubstr("--lossy writes the file without them"));
  EXPECT_FALSE(std::filesystem::exists(Path("small.bin")));
  const Outcome allowed =
      RunFirth({"convert", model, Path("small.bin"), "--lossy"});
  EXPECT_EQ(allowed.code, 0);
  EXPECT_THAT(allowed.err,
              HasSubstr("warning: bin cannot hold the n-grams of " + model));
}

TEST_F(StoredVectorsTest, ConvertLeavesOutWordsOnlyIfAllowed) {
  const std::string from =
      File("v.txt", "4 1\nnew york 1\na 2\nroom x 3\nb 4\n");
  const std::string to = Path("small.bin");
  const Outcome refused = RunFirth({"convert", from, to});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err,
              HasSubstr("bin cannot hold 2 words of " + from +
                        ", such as \"new york\": a space or a line end in a "
                        "word; --lossy writes the file without them"));
  EXPECT_FALSE(std::filesystem::exists(to));
  const Outcome allowed = RunFirth({"convert", from, to, "--lossy"});
  EXPECT_EQ(allowed.code, 0) << allowed.err;
  EXPECT_THAT(allowed.err, AllOf(HasSubstr("warning: bin cannot hold 2 words"),
                                 HasSubstr("2 words of 1 dimension")));
  EXPECT_EQ(RunFirth({"convert", to, Path("all.fifu")}).code, 0);
}

TEST_F(StoredVectorsTest, WordsThatEndInNumbersGoThroughTextAndBack) {
  const std::string from =
      File("v.txt", "3 2\nboeing 747\t1 2\nnew york 3 4\na 5 6\n");
  const std::string native = Path("v.safetensors");
  ASSERT_EQ(RunFirth({"convert", from, native}).code, 0);
  const Outcome back = RunFirth({"convert", native, Path("back.txt")});
  EXPECT_EQ(back.code, 0) << back.err;
  EXPECT_EQ(ReadWholeFile(Path("back.txt")), ReadWholeFile(from));
  const Outcome refused = RunFirth({"convert", native, Path("back.glove")});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("glove cannot hold 1 word"));
}

// All commands that rewrite vectors have one rule.
TEST_F(StoredVectorsTest, PostprocessLosesWordsOnlyIfAllowed) {
  const std::string from = File("v.txt", "3 1\nnew york 1\na 2\nb 4\n");
  const std::string to = Path("small.bin");
  const Outcome refused = RunFirth({"postprocess", from, to, "--center"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err,
              HasSubstr("bin cannot hold 1 word of " + from +
                        ", such as \"new york\": a space or a line end in a "
                        "word; --lossy writes the file without them"));
  EXPECT_FALSE(std::filesystem::exists(to));
  const Outcome allowed =
      RunFirth({"postprocess", from, to, "--center", "--lossy"});
  EXPECT_EQ(allowed.code, 0) << allowed.err;
  EXPECT_THAT(allowed.err, AllOf(HasSubstr("warning: bin cannot hold 1 word"),
                                 HasSubstr("2 words of 1 dimension")));
}

TEST_F(StoredVectorsTest, ExportLosesWordsOnlyIfAllowed) {
  const std::string from = File("v.txt", "2 1\na\tb 1\na 2\n");
  const Outcome refused =
      RunFirth({"export", from, "--to", Path("logs"), "--format", "projector"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("this concerns 1 of 2 words"),
                    HasSubstr("; --lossy writes the file without them")));
  const Outcome allowed = RunFirth({"export", from, "--to", Path("logs"),
                                    "--format", "projector", "--lossy"});
  EXPECT_EQ(allowed.code, 0) << allowed.err;
  EXPECT_THAT(allowed.err,
              AllOf(HasSubstr("warning: projector cannot hold 1 word"),
                    HasSubstr("1 word of 1 dimension")));
}

TEST_F(StoredVectorsTest, UnknownWordsHaveVectorsFromTheirNGrams) {
  const std::string corpus = File("corpus.txt", TwoTopicText(1000));
  const std::string model = Path("model.safetensors");
  const Outcome training =
      RunFirth({"train", "--input", corpus, "--output", model, "--dim", "16",
                "--sample", "0", "--threads", "1", "--min-n", "2", "--quiet"});
  ASSERT_EQ(training.code, 0) << training.err;
  const Outcome near = RunFirth({"nn", model, "horses", "--top", "1"});
  EXPECT_EQ(near.code, 0) << near.err;
  EXPECT_TRUE(IsAnimal(near.out.substr(0, near.out.find(' ')))) << near.out;
  EXPECT_EQ(RunFirth({"similarity", model, "horses", "horsess"}).code, 0);
  EXPECT_THAT(RunFirth({"export", model, "--to", Path("v.csv")}).err,
              HasSubstr("which csv cannot hold"));
  EXPECT_EQ(RunFirth({"odd", model, "horses", "cat", "saw"}).out, "saw\n");
  EXPECT_EQ(RunFirth({"analogy", model, "horses", "cat", "saw"}).code, 0);
  EXPECT_THAT(RunFirth({"nn", model, "horses", "--oov", "error"}).err,
              HasSubstr("\"horses\" is not in the vocabulary"));
  const Outcome skipped =
      RunFirth({"nn", model, "horses", "cat", "--oov", "skip", "--json"});
  EXPECT_EQ(skipped.code, 0);
  const auto lines = JsonLines(skipped.out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].at("unknown").at(0).at("word"), "horses");
  EXPECT_EQ(lines[1].at("neighbors").size(), 10u);
  EXPECT_EQ(RunFirth({"nn", model, "\xe6\x97\xa5"}).code, 1);

  const std::string pairs =
      File("pairs.tsv", "cat\tdogs\t9\ncats\tsaw\t1\nsaw\tdrill\t8\n");
  const auto asked = [&](const std::string& oov) {
    return json::parse(RunFirth({"eval", model, "--similarity", pairs, "--oov",
                                 oov, "--json"})
                           .out)
        .at("similarity")
        .at(0)
        .at("asked");
  };
  EXPECT_EQ(asked("skip"), 1);
  EXPECT_EQ(asked("subword"), 3);
  EXPECT_THAT(
      RunFirth({"eval", model, "--similarity", pairs, "--oov", "error"}).err,
      HasSubstr(pairs + ":1: \"dogs\" is not in the vocabulary"));

  const json grams =
      json::parse(RunFirth({"ngrams", model, "cat", "--json"}).out);
  EXPECT_EQ(grams.at("ngrams").at(0).at("ngram"), "<c");
  EXPECT_GT(grams.at("ngrams").at(0).at("norm"), 0);
  EXPECT_TRUE(grams.at("ngrams").at(0).at("vector").is_null());
  EXPECT_THAT(RunFirth({"ngrams", vectors_, "cat"}).err,
              HasSubstr("the model has no n-grams"));
  // The vectors of n-grams can be read again.
  const Outcome rows = RunFirth({"ngrams", model, "--vectors", "cat"});
  EXPECT_EQ(rows.code, 0) << rows.err;
  EXPECT_EQ(
      RunFirth({"nn", model, "--by-vector", "--top", "1"}, {.input = rows.out})
          .code,
      0);
  EXPECT_THAT(
      RunFirth({"ngrams", model, std::string(1001, 'a')}).err,
      HasSubstr("word: expected a text of 1 to 1000 bytes, found 1001"));
  EXPECT_EQ(
      json::parse(RunFirth({"info", model, "--json"}).out).at("has_subwords"),
      true);
}

TEST_F(StoredVectorsTest, VectorsCanBeStraightenedAndPruned) {
  const std::string better = Path("better.txt");
  const Outcome changed = RunFirth({"postprocess", vectors_, better, "--center",
                                    "--remove-components", "1", "--normalize",
                                    "--max-vocab", "5", "--lossy"});
  EXPECT_EQ(changed.code, 0) << changed.err;
  EXPECT_THAT(ReadWholeFile(better), StartsWith("5 16\n"));
  const std::string words = File("words", "cat\nabsent\n");
  EXPECT_EQ(
      RunFirth({"postprocess", vectors_, better, "--vocab", words, "--lossy"})
          .code,
      0);
  EXPECT_THAT(ReadWholeFile(better), StartsWith("1 16\ncat "));
  EXPECT_THAT(RunFirth({"postprocess", vectors_, better}).err,
              HasSubstr("give at least one step"));
  EXPECT_THAT(
      RunFirth({"postprocess", vectors_, better, "--remove-components", "16"})
          .err,
      HasSubstr("must be below 16, the number of dimensions, found 16"));
}

TEST_F(StoredVectorsTest, PostprocessingSaysWhatGetsLost) {
  const Outcome noted =
      RunFirth({"postprocess", vectors_, Path("lost.txt"), "--center"});
  EXPECT_EQ(noted.code, 0);
  EXPECT_THAT(noted.err, HasSubstr("text cannot hold counts, metadata of " +
                                   vectors_ + "; they are left out"));
  const Outcome kept =
      RunFirth({"postprocess", vectors_, Path("kept.safetensors"), "--center"});
  EXPECT_EQ(kept.code, 0) << kept.err;
  EXPECT_THAT(kept.err, HasSubstr("the output table is left out"));
  const json info =
      json::parse(RunFirth({"info", Path("kept.safetensors"), "--json"}).out);
  EXPECT_EQ(info.at("metadata").at("loss"), "ns");
  EXPECT_EQ(info.at("has_counts"), true);
  EXPECT_EQ(info.at("has_output"), false);
}

struct SmallCase {
  const char* name;
  std::vector<std::string> options;
  const char* form;
};

// Every command that asks vectors asks small ones, too.
TEST_F(StoredVectorsTest, SmallModelsAnswerAsLargeOnes) {
  const SmallCase kCases[] = {
      {"float16", {"--quantize", "float16"}, "float16"},
      {"int8", {"--quantize", "int8"}, "int8"},
      {"pq", {"--quantize", "pq", "--pq-parts", "8"}, "pq, 8 parts"},
      {"pq with all",
       {"--quantize", "pq", "--pq-rotation", "--pq-norms"},
       "pq, 4 parts, rotated, separate norms"}};
  const std::string pairs = File("pairs.tsv",
                                 "cat\tdog\t9\nsaw\tcat\t1\n"
                                 "saw\tdrill\t8\n");
  const std::string analogies = File("a.txt", "cat dog saw drill\n");
  const auto neighbors = [&](const std::string& path,
                             std::vector<std::string> more) {
    std::vector<std::string> command = {"nn", path, "cat", "--json"};
    command.insert(command.end(), more.begin(), more.end());
    const Outcome found = RunFirth(command);
    EXPECT_EQ(found.code, 0) << found.err;
    return json::parse(found.out).at("neighbors");
  };
  for (const SmallCase& test : kCases) {
    SCOPED_TRACE(test.name);
    const std::string small = Path("small.safetensors");
    std::vector<std::string> command = {"postprocess", vectors_, small};
    command.insert(command.end(), test.options.begin(), test.options.end());
    const Outcome made = RunFirth(command);
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(json::parse(RunFirth({"info", small, "--json"}).out).at("form"),
              test.form);
    // As many centroids as words, so that all forms are nearly exact.
    const json expected = neighbors(vectors_, {});
    const json found = neighbors(small, {});
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_NEAR(found[0].at("score").get<double>(),
                expected[0].at("score").get<double>(), 0.03);
    EXPECT_EQ(neighbors(small, {"--index", "int8"}), found);
    EXPECT_EQ(RunFirth({"index", small, "--sample", "0"}).code, 0);
    EXPECT_EQ(neighbors(small, {"--index", "hnsw"}), found);
    for (const std::vector<std::string>& question :
         std::vector<std::vector<std::string>>{
             {"similarity", small, "cat", "dog"},
             {"odd", small, "cat", "dog", "saw"},
             {"analogy", small, "cat", "dog", "saw"},
             {"analogy", small, "cat", "dog", "saw", "--method", "mul"},
             {"eval", small, "--similarity", pairs, "--analogies", analogies},
             {"convert", small, Path("floats.bin"), "--lossy"}}) {
      const Outcome outcome = RunFirth(question);
      EXPECT_EQ(outcome.code, 0) << question[0] << ": " << outcome.err;
    }
    ProgramOptions lines;
    lines.input = "cat dog\n";
    EXPECT_EQ(RunFirth({"sentence-vectors", small}, lines).code, 0);
    // The scores of the floats made of them are the same.
    const json floats = neighbors(Path("floats.bin"), {});
    EXPECT_NEAR(floats[0].at("score").get<double>(),
                found[0].at("score").get<double>(), 2e-4);
  }
}

TEST_F(StoredVectorsTest, QuantizingWrongIsRefused) {
  struct WrongCase {
    std::vector<std::string> options;
    int code;
    const char* message;
  };
  const WrongCase kCases[] = {
      {{"--quantize", "int4"}, 2, "float16, int8 or pq"},
      {{"--quantize", "int8", "--to", "bin"}, 2, "write a .safetensors"},
      {{"--pq-parts", "4"}, 2, "--pq-parts requires --quantize pq"},
      {{"--quantize", "int8", "--pq-rotation"}, 2, "requires --quantize pq"},
      {{"--quantize", "pq", "--pq-parts", "5"},
       1,
       "must divide the 16 dimensions, such as 4 or 8; found 5"}};
  for (const WrongCase& test : kCases) {
    std::vector<std::string> command = {"postprocess", vectors_,
                                        Path("no.safetensors")};
    command.insert(command.end(), test.options.begin(), test.options.end());
    const Outcome outcome = RunFirth(command);
    EXPECT_EQ(outcome.code, test.code) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(test.message));
    EXPECT_FALSE(std::filesystem::exists(Path("no.safetensors")));
  }
}

TEST_F(StoredVectorsTest, SentencesHaveVectors) {
  ProgramOptions lines;
  lines.input = "cat dog\n\nsaw drill unknown\n";
  const Outcome text = RunFirth({"sentence-vectors", vectors_}, lines);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(std::count(text.out.begin(), text.out.end(), '\n'), 3);
  EXPECT_THAT(text.out, HasSubstr("\n0 0 0 "));
  const Outcome array =
      RunFirth({"sentence-vectors", vectors_, "--sif", "0.001",
                "--remove-components", "1", "--output", Path("s.npy")},
               lines);
  EXPECT_EQ(array.code, 0) << array.err;
  EXPECT_THAT(ReadWholeFile(Path("s.npy")), HasSubstr("'shape': (3, 16)"));
}

TEST_F(StoredVectorsTest, InfoTellsTheOptionsOfTheTraining) {
  const json info = json::parse(RunFirth({"info", vectors_, "--json"}).out);
  EXPECT_EQ(info.at("words"), 16);
  EXPECT_EQ(info.at("dim"), 16);
  EXPECT_EQ(info.at("has_counts"), true);
  EXPECT_EQ(info.at("has_output"), true);
  EXPECT_EQ(info.at("metadata").at("loss"), "ns");
  EXPECT_EQ(info.at("metadata").at("window"), "5");
  EXPECT_THAT(RunFirth({"info", vectors_}).out,
              AllOf(HasSubstr("safetensors"), HasSubstr("dimensions"),
                    Not(HasSubstr("quiet"))));
}

TEST_F(StoredVectorsTest, VocabularyIsCountedSavedAndInspected) {
  const std::string corpus = File("few.txt", "a a a b b c\n");
  const Outcome built = RunFirth({"vocab", "--input", corpus, "--min-count",
                                  "2", "--output", Path("few.vocab")});
  EXPECT_EQ(built.code, 0) << built.err;
  EXPECT_EQ(built.out,
            "rank  word  count  share\n"
            "   1  a         3  60.0%\n"
            "   2  b         2  40.0%\n");
  EXPECT_EQ(ReadWholeFile(Path("few.vocab")), "a 3\nb 2\n");
  const json object = json::parse(
      RunFirth({"vocab", "--vocab", Path("few.vocab"), "b", "--json"}).out);
  EXPECT_EQ(object.at("types"), 2);
  EXPECT_EQ(object.at("words"),
            json::parse(R"([{"word":"b","rank":2,"count":2}])"));
  EXPECT_EQ(RunFirth({"vocab", "--vocab", Path("few.vocab"), "c"}).code, 1);
}

}  // namespace
}  // namespace firth
