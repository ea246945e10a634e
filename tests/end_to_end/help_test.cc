// What the program says about itself: --help, the man pages, the completions
// and the answer to wrong usage.

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_program.h"
#include "support/run_shell.h"

namespace firth {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

struct CommandOptions {
  std::string command;
  std::vector<std::string> options;
};

const CommandOptions kCommandOptions[] = {
    {"train",
     {"--input",
      "--output",
      "--format",
      "--arch",
      "--loss",
      "--cbow-gradient",
      "--dim",
      "--window",
      "--dynamic-window",
      "--negative",
      "--noise-exponent",
      "--sample",
      "--epochs",
      "--learning-rate",
      "--min-learning-rate",
      "--threads",
      "--seed",
      "--batch",
      "--min-count",
      "--max-vocab",
      "--vocab",
      "--save-vocab",
      "--utf8",
      "--lowercase",
      "--max-word-bytes",
      "--memory",
      "--temp-dir",
      "--quiet",
      "--report",
      "--help"}},
    {"vocab",
     {"--input", "--vocab", "--output", "--top", "--json", "--min-count",
      "--max-vocab", "--utf8", "--lowercase", "--max-word-bytes", "--memory",
      "--temp-dir", "--threads", "--quiet", "--help"}},
    {"nn", {"--top", "--restrict", "--index", "--breadth", "--json", "--help"}},
    {"analogy",
     {"--top", "--restrict", "--index", "--breadth", "--method", "--json",
      "--help"}},
    {"similarity", {"--json", "--help"}},
    {"odd", {"--json", "--help"}},
    {"index",
     {"--links", "--build-breadth", "--breadth", "--top", "--sample", "--seed",
      "--json", "--help"}},
    {"eval",
     {"--analogies", "--similarity", "--wrong", "--restrict", "--lowercase",
      "--method", "--json", "--help"}},
    {"convert", {"--from", "--to", "--duplicates", "--help"}},
    {"align",
     {"--dictionary", "--center", "--keep-lengths", "--refine",
      "--refine-words", "--neighbors", "--test-dictionary", "--retrieval",
      "--restrict", "--json", "--output", "--to", "--map", "--help"}},
    {"info", {"--json", "--help"}},
    {"demo", {"--words", "--seed", "--threads", "--output", "--help"}},
    {"lm train", {"--network",      "--heads",      "--feed-forward",
                  "--context",      "--positions",  "--norm",
                  "--activation",   "--predict",    "--label-smoothing",
                  "--orthogonal",   "--input",      "--vectors",
                  "--tune-vectors", "--char-cnn",   "--cell",
                  "--units",        "--projection", "--layers",
                  "--residual",     "--dropout",    "--head",
                  "--samples",      "--batch",      "--unroll",
                  "--epochs",       "--optimizer",  "--learning-rate",
                  "--decay",        "--clip-norm",  "--valid",
                  "--valid-every",  "--patience",   "--checkpoint",
                  "--resume",       "--report",     "--output",
                  "--min-count",    "--max-vocab",  "--help"}},
    {"lm perplexity", {"--input", "--stateful", "--json", "--help"}},
    {"lm score", {"--input", "--json", "--help"}},
    {"lm generate",
     {"--temperature", "--top-k", "--beam", "--length-normalization",
      "--end-normalization", "--count", "--seed", "--help"}},
    {"lm fill", {"--top", "--json", "--help"}},
    {"lm next", {"--json", "--help"}},
    {"lm corrupt",
     {"--input", "--share", "--mean-length", "--seed", "--json", "--help"}},
    {"lm import", {"--options", "--weights", "--output", "--help"}},
    {"embed",
     {"--input", "--layers", "--mix-of", "--mix-weights", "--gamma", "--pool",
      "--stateful", "--batch", "--long-sentences", "--pieces", "--output",
      "--format", "--float16", "--help"}},
    {"distill",
     {"--text", "--method", "--negative", "--layers", "--min-count",
      "--max-vocab", "--center", "--remove-components", "--keep-components",
      "--sif", "--normalize", "--output", "--to", "--help"}},
    {"tag train",
     {"--input",      "--dev",          "--form",           "--token-column",
      "--tag-column", "--vectors",      "--contextualizer", "--case-dim",
      "--char-cnn",   "--char-filters", "--char-dim",       "--mix-output",
      "--mix-input",  "--mix-l2",       "--layers",         "--units",
      "--head",       "--dropout",      "--epochs",         "--patience",
      "--seed",       "--output",       "--report",         "--help"}},
    {"tag apply", {"--input", "--form", "--json", "--vectors", "--help"}},
    {"tag pack",
     {"--vectors", "--contextualizer", "--output", "--quiet", "--help"}},
    {"tag eval", {"--input", "--predicted-column", "--json", "--help"}},
    {"probe",
     {"--train", "--test", "--labels", "--senses", "--known", "--first-senses",
      "--seed", "--json", "--help"}},
    {"help",
     {"--man", "--bash-completion", "--zsh-completion", "--fish-completion",
      "--help"}},
};

using HelpTest = ProgramTest;

Outcome Help(const std::string& command, const std::string& help) {
  std::vector<std::string> words = absl::StrSplit(command, ' ');
  words.push_back(help);
  return RunFirth(words);
}

TEST_F(HelpTest, EveryCommandExplainsEachOptionInBothSpellings) {
  for (const CommandOptions& expected : kCommandOptions) {
    SCOPED_TRACE(expected.command);
    const Outcome help = Help(expected.command, "--help=all");
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.err, IsEmpty());
    EXPECT_THAT(help.out, StartsWith("firth " + expected.command + " - "));
    for (const std::string& option : expected.options) {
      EXPECT_THAT(help.out, HasSubstr(option));
    }
    std::vector<std::string> words = absl::StrSplit(expected.command, ' ');
    words.insert(words.begin(), "help");
    EXPECT_EQ(RunFirth(words).out, Help(expected.command, "--help").out);
  }
}

TEST_F(HelpTest, NoHelpIsWiderThanATerminal) {
  for (const CommandOptions& expected : kCommandOptions) {
    std::istringstream help(Help(expected.command, "--help=all").out);
    for (std::string line; std::getline(help, line);) {
      EXPECT_LE(line.size(), 80u) << line;
    }
  }
}

TEST_F(HelpTest, ProgramHelpListsEveryCommand) {
  const Outcome help = RunFirth({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(RunFirth({"help"}).out, help.out);
  for (const CommandOptions& expected : kCommandOptions) {
    EXPECT_THAT(help.out, HasSubstr("\n  " + expected.command + " "));
  }
}

TEST_F(HelpTest, AGroupListsItsCommands) {
  const Outcome help = RunFirth({"lm", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, AllOf(StartsWith("usage: firth lm COMMAND"),
                              HasSubstr("\n  lm import ")));
  EXPECT_EQ(RunFirth({"help", "lm"}).out, help.out);
}

TEST_F(HelpTest, TheFirstPageHasWhatEveryoneNeedsAndNamesTheRest) {
  const Outcome page = RunFirth({"train", "--help"});
  EXPECT_EQ(page.code, 0);
  EXPECT_THAT(page.out,
              AllOf(HasSubstr("--epochs N"), Not(HasSubstr("--noise-exponent")),
                    HasSubstr("\"firth train --help=all\" describes all ")));
  const Outcome all = RunFirth({"train", "--help", "all"});
  EXPECT_THAT(all.out, HasSubstr("--noise-exponent"));
  EXPECT_EQ(RunFirth({"train", "--help=all"}).out, all.out);
}

TEST_F(HelpTest, HelpTellsDefaultsAndRanges) {
  EXPECT_THAT(RunFirth({"train", "--help=all"}).out,
              AllOf(HasSubstr("default 100"), HasSubstr("1 to 65536"),
                    HasSubstr("skipgram|cbow"), HasSubstr("default 0.0001")));
  EXPECT_THAT(RunFirth({"serve", "--help=all"}).out,
              HasSubstr("request body (1 to 1G; default"));
}

TEST_F(HelpTest, VersionIsOneLine) {
  const Outcome version = RunFirth({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, testing::MatchesRegex("firth [0-9]+.[0-9.]+\n"));
}

TEST_F(HelpTest, VersionCanDescribeTheBuild) {
  const Outcome verbose = RunFirth({"--version", "--verbose"});
  EXPECT_EQ(verbose.code, 0);
  EXPECT_THAT(verbose.out, StartsWith(RunFirth({"--version"}).out));
  for (const char* line : {"\ncommit            ", "\ncompiler          ",
                           "\ninstruction sets  ", "\nlibraries         "}) {
    EXPECT_THAT(verbose.out, HasSubstr(line));
  }
  const Outcome wrong = RunFirth({"--version", "--terse"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("can only be followed by --verbose"));
}

TEST_F(HelpTest, ManPagesAreWrittenIntoAFolder) {
  const std::string folder = Path("man1");
  const Outcome lost = RunFirth({"help", "--man", folder});
  EXPECT_EQ(lost.code, 1);
  EXPECT_THAT(lost.err, HasSubstr("man1/firth.1"));
  std::filesystem::create_directory(folder);
  EXPECT_EQ(RunFirth({"help", "--man", folder}).code, 0);
  EXPECT_THAT(ReadWholeFile(folder + "/firth.1"), StartsWith(".TH FIRTH 1"));
  EXPECT_THAT(ReadWholeFile(folder + "/firth-lm-train.1"),
              StartsWith(".TH FIRTH\\-LM\\-TRAIN 1"));
}

TEST_F(HelpTest, TheReferenceOfOptionsIsUpToDate) {
  const std::string page = SourcePath("docs/reference/options.md");
  if (std::getenv("FIRTH_SOURCE") == nullptr) {
    GTEST_SKIP() << "FIRTH_SOURCE is not set";
  }
  const Outcome help = RunFirth({"help", "--markdown"});
  EXPECT_EQ(help.code, 0);
  EXPECT_TRUE(ReadWholeFile(page) == help.out)
      << page << " is out of date; renew it with: make options-reference";
}

TEST_F(HelpTest, ManPagesAreFormattedWithoutWarnings) {
  if (std::system("command -v groff >/dev/null") != 0) {
    GTEST_SKIP() << "groff is not installed";
  }
  std::filesystem::create_directory(Path("man1"));
  EXPECT_EQ(RunFirth({"help", "--man", Path("man1")}).code, 0);
  const std::string warnings = Path("warnings");
  const std::string command =
      absl::StrCat("cat ", Path("man1"),
                   "/*.1 | groff -man -ww -Tutf8 >/dev/null 2>", warnings);
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(ReadWholeFile(warnings), IsEmpty());
}

TEST_F(HelpTest, BashCompletesCommandsOptionsAndValues) {
  const std::string script =
      File("firth.bash", RunFirth({"help", "--bash-completion"}).out);
  const std::string offered = Path("offered");
  struct Case {
    std::string words;  // as typed, the last one incomplete
    std::string expected;
  };
  for (const Case& typed :
       {Case{"firth tr", "train\n"}, Case{"firth train --loss s", "softmax\n"},
        Case{"firth train --ep", "--epochs\n"}, Case{"firth help ev", "eval\n"},
        Case{"firth lm im", "import\n"}, Case{"firth help lm im", "import\n"},
        Case{"firth lm import --wei", "--weights\n"}}) {
    const std::string command =
        absl::StrCat("bash -c 'source ", script, "; COMP_WORDS=(", typed.words,
                     "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _firth; ",
                     "printf \"%s\\n\" \"${COMPREPLY[@]}\"' >", offered);
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(ReadWholeFile(offered), typed.expected) << typed.words;
  }
}

// What a shell prints that runs a script in the test's folder.
class ShellTest : public HelpTest {
 protected:
  std::string Offered(const std::string& shell, const std::string& script) {
    const std::string command =
        absl::StrCat("cd ", Path(""), "; ", shell, " ", File("script", script),
                     " >", Path("offered"), " 2>&1");
    EXPECT_EQ(std::system(command.c_str()), 0);
    return ReadWholeFile(Path("offered"));
  }
};

TEST_F(ShellTest, FishCompletesCommandsOptionsAndValues) {
  if (std::system("command -v fish >/dev/null") != 0) {
    GTEST_SKIP() << "fish is not installed";
  }
  File("firth.fish", RunFirth({"help", "--fish-completion"}).out);
  const auto offered = [&](const std::string& typed) {
    return Offered("fish --no-config",
                   absl::StrCat("source firth.fish; complete -C '", typed,
                                "' | string split -f 1 \\t; true"));
  };
  EXPECT_EQ(offered("firth tr"), "train\n");
  EXPECT_EQ(offered("firth train --loss so"), "softmax\n");
  EXPECT_EQ(offered("firth train --ep"), "--epochs\n");
  EXPECT_EQ(offered("firth help ev"), "eval\n");
  EXPECT_EQ(offered("firth lm im"), "import\n");
  EXPECT_EQ(offered("firth help lm im"), "import\n");
  EXPECT_EQ(offered("firth lm import --wei"), "--weights\n");
  EXPECT_EQ(offered("firth train --output fir"), "firth.fish\n");
}

// A terminal in which zsh types, presses Tab and tells the line.
constexpr char kZshTyping[] = R"zsh(
zmodload zsh/zpty
zpty shell zsh -f -i
type_line() { zpty -w shell $1; }
type_line 'PS1=; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D'
type_line 'tell() { print -r -- "line<$BUFFER>" >>told; zle kill-whole-line; }'
type_line 'zle -N tell; bindkey "^T" tell'
type_line 'print ready >told'
for (( i = 0; i < 200; ++i )); do [[ -s told ]] && break; sleep 0.05; done
for typed in $lines; do
  zpty -n -w shell $typed$'	'
done
for (( i = 0; i < 200; ++i )); do
  (( $(wc -l <told) > $#lines )) && break
  sleep 0.05
done
zpty -d shell
tail -n +2 told
)zsh";

TEST_F(ShellTest, ZshCompletesCommandsOptionsAndValues) {
  if (std::system("command -v zsh >/dev/null") != 0) {
    GTEST_SKIP() << "zsh is not installed";
  }
  File("_firth", RunFirth({"help", "--zsh-completion"}).out);
  const std::string lines =
      "lines=('firth tr' 'firth train --loss so' 'firth train --ep' "
      "'firth help ev' 'firth lm im' 'firth help lm im' "
      "'firth lm import --wei' 'firth train --output _f')\n";
  EXPECT_EQ(Offered("zsh -f", lines + kZshTyping),
            "line<firth train >\n"
            "line<firth train --loss softmax >\n"
            "line<firth train --epochs >\n"
            "line<firth help eval >\n"
            "line<firth lm import >\n"
            "line<firth help lm import >\n"
            "line<firth lm import --weights >\n"
            "line<firth train --output _firth >\n");
}

struct MisuseCase {
  std::string name;
  std::vector<std::string> arguments;
  std::string message;
};

const MisuseCase kMisuseCases[] = {
    {"nothing", {}, "usage: firth COMMAND"},
    {"unknown command",
     {"trian"},
     "unknown command \"trian\"; did you mean train?"},
    {"a group alone", {"lm"}, "after \"lm\" one of"},
    {"unknown command of a group",
     {"lm", "imprt"},
     "found \"imprt\"; did you mean import?"},
    {"more than a command to help with",
     {"help", "train", "x"},
     "unexpected argument \"x\""},
    {"unknown option",
     {"train", "--epohcs", "3"},
     "unknown option --epohcs; did you mean --epochs?"},
    {"no guessing of prefixes",
     {"train", "--windo", "3"},
     "unknown option --windo; did you mean --window?"},
    {"an option of others",
     {"train", "-input", "a", "-size", "5"},
     "firth: unknown option -input: in Firth it is --input a\n       unknown "
     "option -size: in Firth it is --dim 5\n"},
    {"a command of others",
     {"most_similar", "v.bin", "king"},
     "unknown command \"most_similar\": in Firth it is \"firth nn VECTORS "
     "WORD\""},
    {"what nobody has here",
     {"doc2vec", "-input", "a"},
     "unknown command \"doc2vec\": Firth does not have it"},
    {"files without options",
     {"train", "c5.txt", "v.bin"},
     "give the output file with --output FILE; did you mean: firth train "
     "--input c5.txt --output v.bin"},
    {"other help",
     {"train", "--help=more"},
     "--help: the value can only be all, found \"more\""},
    {"quotes around words",
     {"similarity", "v.txt", "man king"},
     "expected 2 words, found 1; write each as a separate argument, "
     "without quotes"},
    {"unknown short option", {"nn", "-x", "v.txt"}, "unknown option -x"},
    {"missing input",
     {"train", "--output", "v.txt"},
     "give the text with --input FILE"},
    {"missing output",
     {"train", "--input", "a"},
     "give the output file with --output FILE"},
    {"missing value", {"train", "--dim"}, "--dim needs a value"},
    {"no number",
     {"train", "--dim", "many"},
     "--dim: expected a whole number, 1 to 65536, found \"many\""},
    {"below the range",
     {"train", "--dim", "0"},
     "--dim: expected a whole number, 1 to 65536, found \"0\""},
    {"negative",
     {"train", "--epochs", "-1"},
     "--epochs: expected a whole number, 1 to 10000, found \"-1\""},
    {"fraction", {"train", "--window", "2.5"}, "found \"2.5\""},
    {"not a number",
     {"train", "--sample", "nan"},
     "--sample: expected a number, 0 to 1, found \"nan\""},
    {"no choice",
     {"train", "--arch", "glove"},
     "--arch: expected skipgram or cbow, found \"glove\""},
    {"no size",
     {"train", "--memory", "lots"},
     "--memory: expected a size, such as 512M or 4G, found \"lots\""},
    {"too large a size",
     {"serve", "a", "--max-body", "2G"},
     "--max-body: expected a size, 1 to 1G, found \"2G\""},
    {"value for a switch", {"train", "--quiet=yes"}, "--quiet"},
    {"twice", {"train", "--dim", "5", "--dim", "6"}, "--dim is given twice"},
    {"unknown extension",
     {"train", "--input", "a", "--output", "v.xyz"},
     "v.xyz"},
    {"negative with hs",
     {"train", "--input", "a", "--output", "v.txt", "--loss", "hs",
      "--negative", "5"},
     "--negative requires --loss ns or nce"},
    {"negative with softmax",
     {"train", "--input", "a", "--output", "v.txt", "--loss", "softmax",
      "--negative", "5"},
     "--negative requires --loss ns or nce"},
    {"batch without softmax",
     {"train", "--input", "a", "--output", "v.txt", "--batch", "5"},
     "--batch requires --loss softmax"},
    {"shared windows with hs",
     {"train", "--input", "a", "--output", "v.txt", "--arch", "cbow", "--loss",
      "hs", "--shared-windows", "2"},
     "--shared-windows requires --loss ns or nce, but --loss is hs"},
    {"gradient with skipgram",
     {"train", "--input", "a", "--output", "v.txt", "--cbow-gradient",
      "corrected"},
     "--cbow-gradient requires --arch cbow"},
    {"vocab with min-count",
     {"train", "--input", "a", "--output", "v.txt", "--vocab", "x",
      "--min-count", "2"},
     "--min-count cannot be combined with --vocab"},
    {"vocab with max-vocab",
     {"train", "--input", "a", "--output", "v.txt", "--vocab", "x",
      "--max-vocab", "2"},
     "--max-vocab cannot be combined with --vocab"},
    {"rates crossed",
     {"train", "--input", "a", "--output", "v.txt", "--learning-rate", "0.01",
      "--min-learning-rate", "0.02"},
     "--min-learning-rate: must be at most the learning rate (0.01), found "
     "0.02"},
    {"shortest n-gram above the longest",
     {"train", "--input", "a", "--output", "v.txt", "--min-n", "5", "--max-n",
      "3"},
     "firth: --min-n: must be 1 to max-n (3), found 5"},
    {"phrases joined by white space",
     {"phrases", "--input", "a", "--delimiter", " "},
     "firth: --delimiter: must not contain white space"},
    {"the same while training",
     {"train", "--input", "a", "--output", "v.txt", "--phrases", "1",
      "--phrase-delimiter", " "},
     "firth: --phrase-delimiter: must not contain white space"},
    {"units of no layer",
     {"tag", "train", "--input", "a", "--vectors", "v", "--output", "m",
      "--layers", "0", "--units", "4"},
     "--units requires --layers 1 or more"},
    {"a cache of nothing",
     {"tag", "train", "--input", "a", "--vectors", "v", "--output", "m",
      "--cache", "1M"},
     "--cache requires --contextualizer MODEL"},
    {"a penalty on no mix",
     {"tag", "train", "--input", "a", "--contextualizer", "c", "--output", "m",
      "--top-layer", "--mix-l2", "0.1"},
     "--mix-l2 requires a mix of layers, so it cannot be combined with "
     "--top-layer"},
    {"a seed of nothing drawn",
     {"lm", "generate", "m", "--seed", "3"},
     "--seed requires --temperature above 0"},
    {"a length that nothing is compared with",
     {"lm", "generate", "m", "--expected-length", "9"},
     "--expected-length requires --end-normalization above 0"},
    {"a beam at random",
     {"lm", "generate", "m", "--beam", "3", "--temperature", "1"},
     "firth: --beam: a temperature above 0 requires beam 1"},
    {"output is input",
     {"train", "--input", "a.txt", "--output", "./a.txt"},
     "--output and --input are the same file"},
    {"report is output",
     {"train", "--input", "a", "--output", "v.txt", "--report", "v.txt"},
     "--report and --output are the same file"},
    {"vocabulary from nothing", {"vocab"}, "give --input FILE or --vocab"},
    {"vocabulary from both",
     {"vocab", "--input", "a", "--vocab", "b"},
     "give either --input"},
    {"no vectors", {"nn"}, "the argument VECTORS is missing"},
    {"one of two models",
     {"drift", "x"},
     "expected OLD and NEW, found 1 argument"},
    {"two words for an analogy",
     {"analogy", "v.txt", "a", "b"},
     "expected 3 words, found 2"},
    {"three words for a rank",
     {"rank", "v.txt", "a", "b", "c"},
     "expected 2 words, found 3"},
    {"vectors beside words",
     {"nn", "v.txt", "a", "--by-vector"},
     "the word \"a\" cannot be combined with --by-vector"},
    {"two ways to ask",
     {"nn", "v.txt", "--all", "a.tsv", "--positive", "a"},
     "--positive cannot be combined with --all"},
    {"words and vectors",
     {"nn", "v.txt", "--by-vector", "--positive", "a"},
     "--by-vector cannot be combined with --positive or --negative"},
    {"three words for a similarity",
     {"similarity", "v.txt", "a", "b", "c"},
     "expected 2 words, found 3; \"firth matrix\" compares several words"},
    {"a sum for an analogy",
     {"analogy", "v.txt", "a", "-", "b", "+", "c"},
     "expected 3 words, found 5; \"firth nn\" takes sums of words"},
    {"one word in a list",
     {"common", "v.txt", "--words", "a"},
     "--words: expected 2 to 1000 items, found 1"},
    {"an axis without an end",
     {"axis", "v.txt", "--from", "a"},
     "--to: expected 1 to 1000 items, found 0"},
    {"a list for a graph",
     {"nn", "v.txt", "--index", "hnsw", "--within", "list"},
     "--within cannot be combined with --index hnsw"},
    {"two words for odd",
     {"odd", "v.txt", "a", "b"},
     "expected 3 words or more, found 2"},
    {"unknown index",
     {"nn", "v.txt", "a", "--index", "tree"},
     "--index: expected exact, int8 or hnsw, found \"tree\""},
    {"a restricted graph",
     {"nn", "v.txt", "a", "--index", "hnsw", "--restrict", "5"},
     "--restrict cannot be combined with --index hnsw"},
    {"breadth without a graph",
     {"nn", "v.txt", "a", "--breadth", "5"},
     "--breadth requires --index hnsw"},
    {"an index for quotients",
     {"analogy", "v.txt", "a", "b", "c", "--method", "mul", "--index", "int8"},
     "--index cannot be combined with --method mul"},
    {"too few links",
     {"index", "v.txt", "--links", "1"},
     "--links: expected a whole number, 2 to 128, found \"1\""},
    {"nothing to evaluate", {"eval", "v.txt"}, "give at least one"},
    {"nowhere to convert",
     {"convert", "v.txt"},
     "expected IN and OUT, found 1 argument\n"},
    {"too much to convert",
     {"convert", "a.txt", "b.txt", "c.txt"},
     "unexpected argument \"c.txt\"\n"},
    {"texts without an option",
     {"classify", "predict", "m.safetensors", "texts.txt"},
     "unexpected argument \"texts.txt\"; did you mean --input texts.txt?\n"},
    {"help for nothing", {"help", "nm"}, "unknown command \"nm\""},
};

TEST_F(HelpTest, MisuseEndsWithTwoAndSaysWhy) {
  for (const MisuseCase& misuse : kMisuseCases) {
    SCOPED_TRACE(misuse.name);
    const Outcome outcome = RunFirth(misuse.arguments);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr(misuse.message));
  }
}

TEST_F(HelpTest, AFullDiskUnderStandardOutputIsAFailure) {
  const std::string command =
      absl::StrCat(ProgramPath(), " --help >/dev/full 2>", Path("err"));
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  EXPECT_THAT(ReadWholeFile(Path("err")),
              HasSubstr("cannot write the results to standard output: No "
                        "space left on device"));
}

}  // namespace
}  // namespace firth
