#include "ask/questions.h"

#include <vector>

namespace firth {

Slot VectorsSlot(VectorAccess access) {
  return {.name = "model",
          .help =
              "name of the model; may be omitted if only one of its kind "
              "is open",
          .access = access};
}

absl::Span<const Question> Questions() {
  static const std::vector<Question>& questions = *new std::vector<Question>{
      NeighborsQuestion(),  AnalogyQuestion(),  CommonQuestion(),
      SimilarityQuestion(), MatrixQuestion(),   OddQuestion(),
      RankQuestion(),       CloserQuestion(),   VectorsQuestion(),
      NGramsQuestion(),     SpellingQuestion(), WordsQuestion(),
      CompareQuestion(),    AxisQuestion()};
  return questions;
}

}  // namespace firth
