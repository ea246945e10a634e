// Declares the questions, each defined in its own file. To add one, write its
// file, declare it here and add it to the list in questions.cc.

#ifndef FIRTH_ASK_QUESTIONS_H_
#define FIRTH_ASK_QUESTIONS_H_

#include "firth/ask.h"

namespace firth {

// Returns the slot of questions about one model of vectors.
Slot VectorsSlot(VectorAccess access);
// Returns the slot of questions about one model of another kind.
Slot ModelSlot(ModelKind kind);

Question NeighborsQuestion();
Question AnalogyQuestion();
Question CommonQuestion();
Question SimilarityQuestion();
Question MatrixQuestion();
Question OddQuestion();
Question RankQuestion();
Question CloserQuestion();
Question VectorsQuestion();
Question NGramsQuestion();
Question SpellingQuestion();
Question WordsQuestion();
Question CompareQuestion();
Question AxisQuestion();
Question TextSimilarityQuestion();
Question EvalQuestion();
Question BiasQuestion();
Question DriftQuestion();
Question SentenceVectorsQuestion();
Question ClassifyQuestion();
Question TagQuestion();
Question EmbedQuestion();
Question ContextQuestion();
Question LmScoreQuestion();
Question LmNextQuestion();
Question LmFillQuestion();
Question MapQuestion();

}  // namespace firth

#endif  // FIRTH_ASK_QUESTIONS_H_
