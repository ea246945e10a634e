// The list of all questions, in the order of the documentation.

#include "ask/question.h"

#include <vector>

namespace firth {

Slot VectorsSlot(VectorAccess access) {
  return {.name = "model",
          .help =
              "name of the model; may be omitted if only one of its kind "
              "is open",
          .access = access};
}

Slot ModelSlot(ModelKind kind) {
  Slot slot = VectorsSlot(VectorAccess::kAll);
  slot.kind = kind;
  return slot;
}

absl::Span<const Question> Questions() {
  static const std::vector<Question>& questions =
      *new std::vector<Question>{NeighborsQuestion(),
                                 AnalogyQuestion(),
                                 CommonQuestion(),
                                 SimilarityQuestion(),
                                 MatrixQuestion(),
                                 OddQuestion(),
                                 RankQuestion(),
                                 CloserQuestion(),
                                 VectorsQuestion(),
                                 NGramsQuestion(),
                                 SpellingQuestion(),
                                 WordsQuestion(),
                                 CompareQuestion(),
                                 AxisQuestion(),
                                 TextSimilarityQuestion(),
                                 EvalQuestion(),
                                 BiasQuestion(),
                                 DriftQuestion(),
                                 SentenceVectorsQuestion(),
                                 ClassifyQuestion(),
                                 TagQuestion(),
                                 EmbedQuestion(),
                                 ContextQuestion(),
                                 LmScoreQuestion(),
                                 LmNextQuestion(),
                                 LmFillQuestion(),
                                 MapQuestion()};
  return questions;
}

}  // namespace firth
