// firth serve: models over HTTP.

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "command.h"
#include "firth/status_macros.h"
#include "serve/serving.h"

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
    "log. Ctrl-C or SIGTERM ends it after the requests in progress are "
    "answered; a second one ends it at once.\n\n"
    "  firth serve vectors.safetensors\n"
    "  firth serve old=1900.safetensors new=2000.safetensors\n"
    "  curl http://localhost:8080/api/v1/words --json "
    "'{\"requests\":[{\"prefix\":\"ki\"}]}'"};

class ServeCommand : public Command {
 public:
  ServeCommand() : Command(kServeText) {}

  void Declare(OptionSet* options) override { serving_.Declare(options); }
  absl::Status Check(const OptionSet&) override { return serving_.Check(); }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(ServedFiles files, serving_.Open());
    return serving_.Run(std::move(files), {}, [](const std::string& address) {
      PrintMessage(absl::StrCat("answering at ", address, kApiPrefix));
    });
  }

 private:
  Serving serving_;
};

}  // namespace

CommandPtr MakeServe() { return std::make_unique<ServeCommand>(); }

}  // namespace firth::tools
