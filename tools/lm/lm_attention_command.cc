// firth lm attention: who looks at whom in a sentence.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/console.h"
#include "cli/json.h"
#include "command.h"
#include "firth/contextualizer.h"
#include "firth/status_macros.h"
#include "firth/tagged_text.h"
#include "tag/tagging.h"

namespace firth::tools {
namespace {

constexpr CommandText kLmAttentionText = {
    "lm attention",
    "show the attention weights between the tokens of a sentence",
    "MODEL [OPTION...] <TEXT",
    "For each token of a sentence and each layer and head of a Transformer, "
    "prints the tokens with the highest attention weights. A line has the "
    "direction, layer, head and token, then the attended tokens with their "
    "weights, separated by tabs; an empty line ends a sentence. Tokens are "
    "those that the model reads, with <S> and </S> around the sentence. With "
    "--json, each sentence is an object with all weights: per direction, layer "
    "and head, one row for each token, with one weight for each token that it "
    "attends to.\n\n"
    "  echo \"the bank of the river\" | firth lm attention gpt.safetensors"};

class LmAttentionCommand : public Command {
 public:
  LmAttentionCommand() : Command(kLmAttentionText) {}

  void Declare(OptionSet* options) override {
    DeclareTexts(&inputs_, options);
    text_.Declare(/*plain_text=*/true, options);
    options
        ->Integer("top", &top_, size_t{1}, size_t{1'000'000},
                  "number of attended tokens to print")
        .Everyday();
    options->Switch("json", &json_, "print one JSON object per sentence")
        .Everyday();
    options->Arguments("MODEL", 1, 1, &arguments_, {{"MODEL", Reads()}});
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(Contextualizer model,
                           Contextualizer::Load(arguments_[0]));
    FIRTH_RETURN_IF_ERROR(ForEachBlock(
        text_.Of(inputs_, false),
        [&](const std::vector<TaggedSentence>& sentences) -> absl::Status {
          for (const TaggedSentence& sentence : sentences) {
            FIRTH_ASSIGN_OR_RETURN(
                const AttentionWeights weights,
                At(arguments_[0], model.Attend({sentence.tokens.begin(),
                                                sentence.tokens.end()})));
            json_ ? PrintJson(weights) : PrintTable(weights);
          }
          return absl::OkStatus();
        }));
    return ExitCode::kDone;
  }

 private:
  // Of a Transformer that sees both sides at once there is one direction.
  static const char* DirectionOf(size_t direction) {
    return direction == 0 ? "forward" : "backward";
  }

  // Calls visit(direction, layer, head) for all of them.
  template <class Visit>
  static void ForEachHead(const AttentionWeights& weights, const Visit& visit) {
    for (size_t direction = 0; direction < weights.directions; ++direction) {
      for (size_t layer = 0; layer < weights.layers; ++layer) {
        for (size_t head = 0; head < weights.heads; ++head) {
          visit(direction, layer, head);
        }
      }
    }
  }

  void PrintTable(const AttentionWeights& weights) const {
    ForEachHead(weights, [&](size_t direction, size_t layer, size_t head) {
      for (size_t token = 0; token < weights.tokens.size(); ++token) {
        Print(absl::StrCat(
            DirectionOf(direction), "\t", layer + 1, "\t", head + 1, "\t",
            weights.tokens[token],
            Seen(weights, weights.Row(direction, layer, head, token)), "\n"));
      }
    });
    Print("\n");
  }

  std::string Seen(const AttentionWeights& weights,
                   absl::Span<const float> row) const {
    std::vector<size_t> order(row.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    const size_t count = std::min(top_, order.size());
    std::partial_sort(order.begin(),
                      order.begin() + static_cast<ptrdiff_t>(count),
                      order.end(), [&](size_t a, size_t b) {
                        return row[a] != row[b] ? row[a] > row[b] : a < b;
                      });
    std::string text;
    for (size_t i = 0; i < count && row[order[i]] > 0; ++i) {
      absl::StrAppend(&text, "\t", weights.tokens[order[i]], "\t",
                      absl::StrFormat("%.4f", row[order[i]]));
    }
    return text;
  }

  // A head at a time: all of a long sentence would take much memory.
  static void PrintJson(const AttentionWeights& weights) {
    Print(
        absl::StrCat("{\"tokens\":", OneLine(weights.tokens), ",\"heads\":["));
    const char* separator = "";
    ForEachHead(weights, [&](size_t direction, size_t layer, size_t head) {
      Json rows = Json::array();
      for (size_t token = 0; token < weights.tokens.size(); ++token) {
        Json row = Json::array();
        for (const float value : weights.Row(direction, layer, head, token)) {
          row.push_back(Rounded(value));
        }
        rows.push_back(std::move(row));
      }
      const Json one = {{"direction", DirectionOf(direction)},
                        {"layer", layer + 1},
                        {"head", head + 1},
                        {"weights", std::move(rows)}};
      Print(separator + OneLine(one));
      separator = ",";
    });
    Print("]}\n");
  }

  std::vector<std::string> inputs_;
  TaggedForm text_;
  size_t top_ = 1;
  bool json_ = false;
  std::vector<std::string> arguments_;
};

}  // namespace

CommandPtr MakeLmAttention() { return std::make_unique<LmAttentionCommand>(); }

}  // namespace firth::tools
