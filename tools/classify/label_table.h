// How well labels were predicted, as tables for people.

#ifndef FIRTH_TOOLS_CLASSIFY_LABEL_TABLE_H_
#define FIRTH_TOOLS_CLASSIFY_LABEL_TABLE_H_

#include <string>

#include "firth/label_scores.h"

namespace firth::tools {

// Accuracy with its interval, means over labels, the error of probabilities.
std::string ScoreLines(const LabelScores& scores);
// A row a label.
std::string LabelTable(const LabelScores& scores);
// Of few labels the confusion matrix, of more the pairs that are confused most
// often; empty where nothing is known of either.
std::string ConfusionTable(const LabelScores& scores);
// How often labels of each probability are right.
std::string CalibrationTable(const LabelScores& scores);
// Two classifiers on the same texts.
std::string ComparedTable(const LabelScores& first, const LabelScores& second);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLASSIFY_LABEL_TABLE_H_
