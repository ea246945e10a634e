// A service over small models of every kind, without a socket.

#ifndef FIRTH_TESTS_SERVE_SERVED_EXAMPLE_H_
#define FIRTH_TESTS_SERVE_SERVED_EXAMPLE_H_

#include <string>

#include "support/temp_files.h"
#include "tools/cli/json.h"
#include "tools/serve/service.h"

namespace firth {

// Returns a folder with files for tests: old.vec and new.vec, a map, a language
// model, a tagger with everything it needs, a classifier, a
// sequence-to-sequence model, test sets, a text and a log.
const TempFolder& ServedFolder();

// Two files of vectors ("old", with a map, and "new"), a language model ("lm"),
// a tagger, a classifier of the labels "court" and "land", and a
// sequence-to-sequence model. Words of "old" lie in the plane: king (1, 0),
// queen (0.8, 0.6), man (0, 1), woman (-0.6, 0.8), river (-1, 0).
tools::ServedFiles OpenServedExample();

// Opens a file as a model with the name of the file.
void AddModel(const std::string& path, OpenedModels* models);

// Returns a GET request to localhost, or a POST request with a JSON body.
tools::Request GetRequest(const std::string& target);
tools::Request PostRequest(const std::string& target, const std::string& body);

// Returns the body of a call with the example request of a question.
tools::Json ExampleBody(const Question& question);

// Admits a request and answers it.
tools::Response ResponseOf(const tools::Service& service,
                           tools::Request request);

tools::Json BodyOf(const tools::Response& response);

}  // namespace firth

#endif  // FIRTH_TESTS_SERVE_SERVED_EXAMPLE_H_
