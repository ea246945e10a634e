// firth serve answers requests about models over HTTP. firth explore serves a
// web page about models, or writes it as one file.

#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/progress_printer.h"
#include "command.h"
#include "firth/layout.h"
#include "firth/postprocess.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"
#include "serve/page.h"
#include "serve/serving.h"
#include "serve/texts.h"

extern char** environ;
namespace firth::tools {
namespace {

constexpr CommandText kServeText = {
    "serve", "answer questions over HTTP", "MODEL... [OPTION...]",
    "Answers questions to vectors, language models, taggers and classifiers as "
    "JSON over HTTP. Each question has the same name, fields and answer as the "
    "corresponding command with --json. The name of a model is the name of its "
    "file without the extension, or NAME if it is given as NAME=FILE. "
    "/api/v1/openapi.json describes all requests.\n\n"
    "By default only this machine can connect. --host opens the service to "
    "other machines and requires --token. The service writes only the access "
    "log. SIGHUP loads all models again without losing a request, and reopens "
    "the access log. Ctrl-C or SIGTERM ends the service after the requests in "
    "progress are answered; a second one ends it at once.\n\n"
    "  firth serve vectors.safetensors\n"
    "  firth serve old=1900.safetensors new=2000.safetensors\n"
    "  curl http://localhost:8080/api/v1/neighbors --json "
    "'{\"queries\":[\"king\"]}'\n"
    "  curl http://localhost:8080/"};

class ServeCommand : public CommandWith<kServeText> {
 public:
  void Declare(OptionSet* options) override { serving_.Declare(options); }
  absl::Status Check(const OptionSet&) override { return serving_.Check(); }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    const auto prepare = [](ServedFiles*, const std::atomic<bool>*) {
      return absl::OkStatus();
    };
    return serving_.Run({}, prepare, [](const std::string& address) {
      PrintMessage(absl::StrCat("answering at ", address, kApiPrefix));
    });
  }

 private:
  Serving serving_{/*prefer_vectors=*/false};
};

// Opens the page in the user's browser, which outlives this process. Does
// nothing if there is no browser; the address has been printed.
void OpenBrowser(const std::string& address) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  // The shell exits at once, so that no child process remains.
  const char* const words[] = {"sh", "-c", "xdg-open \"$0\" >/dev/null 2>&1 &",
                               address.c_str(), nullptr};
  pid_t shell = -1;
  if (posix_spawnp(&shell, "sh", nullptr, &attributes,
                   const_cast<char* const*>(words), environ) == 0) {
    waitpid(shell, nullptr, 0);
  }
  posix_spawnattr_destroy(&attributes);
}

// Number of words of a map made at the start, in a few seconds on two cores.
constexpr uint64_t kMappedWords = 20000;

// Makes a map of the first words of vectors: the most frequent ones, or texts.
absl::StatusOr<std::shared_ptr<const ServedMap>> MakeServedMap(
    uint64_t words, absl::string_view noun, const OpenedModel& model,
    const std::atomic<bool>* stop) {
  const std::shared_ptr<const OpenedVectors> opened =
      std::get<0>(model.content);
  const WordVectors& all = opened->vectors();
  PrintMessage(
      absl::StrCat(model.name, ": laying out the map of its ",
                   Counted(std::min<uint64_t>(words, all.size()), noun)));
  PercentSink progress;
  FIRTH_ASSIGN_OR_RETURN(const WordVectors vectors,
                         Postprocess(all, {.max_vocab = words}));
  FIRTH_ASSIGN_OR_RETURN(
      const WordMap made,
      MakeMap(vectors, {}, nullptr, {.progress = &progress, .stop = stop}));
  return ServedMap::Create(made, opened);
}

absl::Status MakeMissingMaps(uint64_t words, const std::atomic<bool>* stop,
                             ServedFiles* files) {
  for (const OpenedModel& model : files->models.all()) {
    if (model.kind() != ModelKind::kVectors ||
        files->maps.contains(model.name)) {
      continue;
    }
    FIRTH_ASSIGN_OR_RETURN(
        files->maps[model.name],
        MakeServedMap(words, "most frequent word", model, stop));
  }
  return absl::OkStatus();
}

constexpr char kTextsName[] = "texts";

// Adds the texts of a file as a model of vectors whose words are the texts,
// with a map and the file's columns.
absl::Status AddTexts(const std::string& path, uint64_t most,
                      const std::atomic<bool>* stop, ServedFiles* files) {
  FIRTH_ASSIGN_OR_RETURN(const OpenedModel* words,
                         files->models.Find(ModelKind::kVectors, ""));
  if (words->name == kTextsName) {
    return absl::InvalidArgumentError(
        "--texts: the vectors must not be named \"texts\", too; NAME=FILE "
        "chooses another name");
  }
  FIRTH_ASSIGN_OR_RETURN(const WordLabels texts, ReadTexts(path, most));
  FIRTH_ASSIGN_OR_RETURN(
      WordVectors vectors,
      VectorsOfTexts(std::get<0>(words->content)->vectors(), texts.words));
  OpenedModel model{kTextsName,
                    std::make_shared<const OpenedVectors>(std::move(vectors))};
  FIRTH_ASSIGN_OR_RETURN(auto map, MakeServedMap(most, "text", model, stop));
  auto labelled = std::make_shared<ServedMap>(*map);
  size_t found = 0;
  FIRTH_RETURN_IF_ERROR(
      labelled->AddColumns(LabelsOf(texts, labelled->words(), &found)));
  files->maps[kTextsName] = std::move(labelled);
  files->texts.insert(kTextsName);
  return files->models.Add(std::move(model));
}

// Options that have no effect on a page in a file.
constexpr absl::string_view kServiceOnly[] = {"port",
                                              "host",
                                              "index",
                                              "analogies",
                                              "similarity",
                                              "text",
                                              "log",
                                              "token",
                                              "allow-host",
                                              "access-log",
                                              "access-log-form",
                                              "connections",
                                              "client-connections",
                                              "timeout",
                                              "max-body"};

constexpr CommandText kExploreText = {
    "explore", "explore vectors in the browser", "MODEL... [OPTION...]",
    "Starts the same service as \"firth serve\", together with a web page, and "
    "opens the page in the browser. The page shows a map, neighbors, "
    "comparisons of two words or models, axes, analogies, words in context, "
    "and a training run in progress. Without --map, the 20,000 most frequent "
    "words are laid out first.\n\n"
    "With --page, writes the page as one file with the words, the map and the "
    "neighbors, which works without a network and without Firth.\n\n"
    "  firth explore vectors.safetensors\n"
    "  firth explore vectors.safetensors --map map.safetensors\n"
    "  firth explore vectors.safetensors --page words.html"};

class ExploreCommand : public CommandWith<kExploreText> {
 public:
  void Declare(OptionSet* options) override {
    options->Switch("no-open", &no_open_, "do not open the browser");
    options->Path("page", "FILE", &page_, Writes(),
                  "write the page to this file instead of starting a service");
    options
        ->Integer("words", &words_, uint64_t{1}, uint64_t{1000000},
                  "include this many of the most frequent words in the page; "
                  "20,000 words take about 3 MB")
        .GoesWith({"page"});
    options->Path(
        "texts", "FILE", &texts_, Reads(),
        "show the texts of this file, one per line, instead of words; "
        "with tabs, the first line names the columns, the first column "
        "is the text, and the page can color by the others");
    options
        ->Text("methods", "NAME,NAME...", &methods_,
               "include maps by these methods in the page: umap, tsne, pca; "
               "the page can switch between them")
        .GoesWith({"page"});
    options
        ->Switch("with-vectors", &with_vectors_,
                 "include the vectors, rounded to bytes, so that the page can "
                 "compute sums of words and axes; they take 1.3 bytes per word "
                 "and dimension")
        .GoesWith({"page"});
    for (const absl::string_view name :
         {"no-open", "page", "words", "texts", "with-vectors"}) {
      options->At(name).Everyday();
    }
    serving_.Declare(options);
  }
  absl::Status Check(const OptionSet& options) override {
    for (const absl::string_view name : kServiceOnly) {
      if (page_.empty() || !options.Given(name)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "--", name, " cannot be combined with --page, which serves nothing"));
    }
    for (const absl::string_view name : {"map", "labels"}) {
      if (texts_.empty() || !options.Given(name)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "--", name,
          " cannot be combined with --texts, which shows the texts "
          "and columns of its own file"));
    }
    for (const std::string& method : Methods()) {
      if (absl::c_linear_search(LayoutMethods(), method)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "--methods: expected names out of ",
          absl::StrJoin(LayoutMethods(), ", "), ", found \"", method, "\""));
    }
    return serving_.Check(page_);
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    absl::StatusOr<ExitCode> done = page_.empty() ? Serve() : WritePage();
    if (absl::IsCancelled(done.status())) return EndInterrupted("interrupted");
    return done;
  }

 private:
  std::vector<std::string> Methods() const {
    return absl::StrSplit(methods_, ',', absl::SkipEmpty());
  }

  absl::Status Prepare(uint64_t words, const std::atomic<bool>* stop,
                       ServedFiles* files) const {
    if (texts_.empty()) return MakeMissingMaps(words, stop, files);
    return AddTexts(texts_, words, stop, files);
  }

  absl::StatusOr<ExitCode> Serve() const {
    const auto prepare = [this](ServedFiles* files,
                                const std::atomic<bool>* stop) {
      return Prepare(kMappedWords, stop, files);
    };
    const auto on_start = [this](const std::string& address) {
      PrintMessage(
          absl::StrCat("the page is at ", address, "/ (Ctrl-C ends it)"));
      if (!no_open_) OpenBrowser(address + "/");
    };
    return serving_.Run({{"/", PageResponse(PageText())}}, prepare, on_start);
  }

  absl::StatusOr<ExitCode> WritePage() const {
    FIRTH_ASSIGN_OR_RETURN(ServedFiles files, serving_.Open());
    {
      const InterruptGuard interrupt;
      FIRTH_RETURN_IF_ERROR(Prepare(words_, interrupt.flag(), &files));
      FIRTH_RETURN_IF_ERROR(Serving::AddLabels(&files));
    }
    FIRTH_ASSIGN_OR_RETURN(const Json data,
                           PageData(files, words_, with_vectors_, Methods()));
    FIRTH_ASSIGN_OR_RETURN(const std::string page,
                           PageWithData(PageText(), data));
    FIRTH_RETURN_IF_ERROR(WriteTextFile(page_, page));
    PrintMessage(absl::StrCat(
        "wrote ", page_, ": ",
        Counted(data["words"].size(), texts_.empty() ? "word" : "text"), ", ",
        HumanBytes(page.size())));
    return ExitCode::kDone;
  }

  Serving serving_{/*prefer_vectors=*/true};
  bool no_open_ = false;
  std::string page_;
  uint64_t words_ = 20000;
  std::string texts_;
  std::string methods_;
  bool with_vectors_ = false;
};

}  // namespace

CommandPtr MakeServe() { return std::make_unique<ServeCommand>(); }

CommandPtr MakeExplore() { return std::make_unique<ExploreCommand>(); }

}  // namespace firth::tools
