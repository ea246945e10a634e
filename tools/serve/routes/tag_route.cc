#include <string>
#include <vector>

#include "firth/status_macros.h"
#include "firth/tagged_text.h"
#include "serve/route.h"
#include "serve/tokens.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

absl::StatusOr<Answer> Tag(const ServedFiles& files, const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const TaggerFile* file,
                         ChooseTagger(files.models, request));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::vector<std::string>> texts,
                         TokensOf(request["sentences"], "sentences"));
  std::vector<TaggedSentence> sentences(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) sentences[i].tokens = texts[i];
  {
    const std::lock_guard<std::mutex> lock(file->mutex);
    FIRTH_RETURN_IF_ERROR(
        file->tagger->Tag(absl::MakeSpan(sentences), {.probabilities = true}));
  }
  Json tagged = Json::array();
  for (const TaggedSentence& sentence : sentences) {
    Json probabilities = Json::array();
    for (const double p : sentence.probabilities) {
      probabilities.push_back(Rounded(p));
    }
    tagged.push_back({{"words", sentence.tokens},
                      {"labels", sentence.predicted},
                      {"probabilities", std::move(probabilities)}});
  }
  return JsonAnswer({{"sentences", std::move(tagged)}});
}

}  // namespace

Route TagRoute() {
  const Json sentence =
      ObjectSchema({{"words", ListSchema(TextSchema())},
                    {"labels", ListSchema(TextSchema())},
                    {"probabilities",
                     ListSchema(NumberSchema(), 0, 0,
                                "probability of each label, from 0 to 1")}});
  return {.method = "POST",
          .path = "/tag",
          .summary =
              "Predicts a label for each token; tokens are separated by white "
              "space.",
          .request = ObjectSchema({ModelProperty(), SentencesProperty()}),
          .example = {{"sentences", {"the king spoke"}}},
          .response = ObjectSchema({{"sentences", ListSchema(sentence)}}),
          .lane = Lane::kSlow,
          .answer = &Tag};
}

}  // namespace firth::tools
