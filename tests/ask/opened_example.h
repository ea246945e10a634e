// Opens small models of every kind for questions: the models of ServedFolder().

#ifndef FIRTH_TESTS_ASK_OPENED_EXAMPLE_H_
#define FIRTH_TESTS_ASK_OPENED_EXAMPLE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/ask.h"
#include "firth/opened.h"
#include "nlohmann/json.hpp"

namespace firth {

// Returns vectors "old" and "new", and models "lm", "tagger" and "classifier".
const OpenedModels& OpenedExample();

// Asks a question with AskJson() and returns the list of answers. Fails the
// test if there is an error.
nlohmann::json AskExample(absl::string_view question, const std::string& body,
                          const AskLimits& limits = NoLimits());
// Returns the answer to a single request, a JSON object. `models` are the
// members that name the models, such as R"("model":"old",)".
nlohmann::json AskOne(absl::string_view question, const std::string& request,
                      const std::string& models = "");
// Returns the error of the whole call.
absl::Status ErrorOfExample(absl::string_view question, const std::string& body,
                            const AskLimits& limits = NoLimits());

}  // namespace firth

#endif  // FIRTH_TESTS_ASK_OPENED_EXAMPLE_H_
