// The pictures: each from numbers and names, no files.

#ifndef FIRTH_TOOLS_PLOT_PICTURES_H_
#define FIRTH_TOOLS_PLOT_PICTURES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "plot/svg.h"

namespace firth::tools {

struct Headline {
  std::string title;
  std::string subtitle;
};

// A word and its cosines with one axis or two.
struct ProjectedWord {
  std::string word;
  double x = 0;
  double y = 0;
};
// The ends of an axis, as a reader names them.
struct AxisEnds {
  std::string from;
  std::string to;
};
struct ProjectedWords {
  std::vector<ProjectedWord> words;
  std::vector<AxisEnds> axes;  // one or two
};
// One axis: a bar a word, sorted. Two: words on a plane, named as far as there
// is room, the first ones first; *unnamed is how many are not.
Svg DrawAxes(const ProjectedWords& words, const Headline& headline,
             const Theme& theme, size_t* unnamed);

struct PlottedCluster {
  Point at;
  int level = 0;  // 0: the coarsest
  std::string name;
};
struct PlottedMap {
  std::vector<std::string> words;  // the most frequent first
  std::vector<Point> points;       // one a word; y grows upward
  std::vector<PlottedCluster> clusters;
};
Svg DrawMap(const PlottedMap& map, const Headline& headline,
            const Theme& theme);

// Two groups that are joined to one. Groups 0 to n - 1 are the items, group
// n + i is what join i made.
struct Join {
  size_t left;
  size_t right;
  double similarity;  // the mean of all pairs between both
};

struct Dendrogram {
  std::vector<Join> joins;    // n - 1, the most similar first
  std::vector<size_t> order;  // of the items, [n]
};

// similarities: [n, n], row by row, symmetric; n is at least 1. Takes time that
// grows with the cube of n: a second for 1,000.
Dendrogram Cluster(const std::vector<float>& similarities, size_t n);

// similarities: [n, n], row by row.
Svg DrawMatrix(const std::vector<std::string>& words,
               const std::vector<float>& similarities, const Headline& headline,
               const Theme& theme);

// An entry of the log of a training run.
struct LoggedMoment {
  double words = 0;
  double loss = 0;  // NaN: not known
  double learning_rate = 0;
  double words_per_second = 0;
};
struct LoggedTraining {
  std::string name;
  std::vector<LoggedMoment> moments = {};
  double total = 0;  // words
  bool done = false;
};
Svg DrawTrainings(const std::vector<LoggedTraining>& trainings,
                  const Headline& headline, const Theme& theme);

// A figure with its 95% interval.
struct Measured {
  double value = 0;
  double low = 0;
  double high = 0;
};
// The result of each model on one test; NaN where it was not asked.
struct MeasuredTest {
  std::string name;
  std::vector<Measured> models;
};
struct MeasuredGroup {
  std::string name;      // of the file of tests
  bool percent = false;  // values are shares, else correlations
  std::vector<MeasuredTest> tests = {};
};
Svg DrawEvaluations(const std::vector<std::string>& models,
                    const std::vector<MeasuredGroup>& groups,
                    const Headline& headline, const Theme& theme);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_PLOT_PICTURES_H_
