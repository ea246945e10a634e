// Draws pictures from numbers and names, without access to files.

#ifndef FIRTH_TOOLS_PLOT_PICTURES_H_
#define FIRTH_TOOLS_PLOT_PICTURES_H_

#include <cstddef>
#include <limits>
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
// The names of the ends of an axis.
struct AxisEnds {
  std::string from;
  std::string to;
};
struct ProjectedWords {
  std::vector<ProjectedWord> words;
  std::vector<AxisEnds> axes;  // One or two.
};
// Draws words on one axis as sorted bars, one per word. On two axes it draws
// points, and names the first words that fit; *unnamed counts the others.
Svg DrawAxes(const ProjectedWords& words, const Headline& headline,
             const Theme& theme, size_t* unnamed);

struct PlottedCluster {
  Point at;
  int level = 0;  // 0 is the coarsest.
  std::string name;
};
struct PlottedMap {
  std::vector<std::string> words;  // Most frequent first.
  std::vector<Point> points;       // One per word; y grows upward.
  std::vector<PlottedCluster> clusters;
};
// Draws a map. If `by_cluster`, a word has the color of the nearest cluster of
// the coarsest level, as far as there are colors; a legend names the clusters
// with most words.
Svg DrawMap(const PlottedMap& map, const Headline& headline, const Theme& theme,
            bool by_cluster);

// A join of two groups. Groups 0 to n - 1 are the items, and join i creates
// group n + i.
struct Join {
  size_t left;
  size_t right;
  double similarity;  // Mean of all pairs between both groups.
};

struct Dendrogram {
  std::vector<Join> joins;    // n - 1 joins, the most similar first.
  std::vector<size_t> order;  // Order of the items, [n].
};

// Clusters items by `similarities` [n, n], symmetric, row by row; n > 0. The
// time grows with the cube of n: one second for 1,000 items.
Dendrogram Cluster(const std::vector<float>& similarities, size_t n);

// Draws `similarities` [n, n], row by row.
Svg DrawMatrix(const std::vector<std::string>& words,
               const std::vector<float>& similarities, const Headline& headline,
               const Theme& theme);

// The attention with which each token of a text was written.
struct AttentionTable {
  std::vector<std::string> source;  // Columns.
  std::vector<std::string> target;  // Rows.
  std::vector<float> weights;       // [target, source], row by row.
};
Svg DrawAttention(const AttentionTable& attention, const Headline& headline,
                  const Theme& theme);

// An entry of the log of a training run.
struct LoggedMoment {
  double words = 0;
  // These are NaN if not known.
  double loss = 0;
  double learning_rate = 0;
  double words_per_second = 0;
  double valid_loss = std::numeric_limits<double>::quiet_NaN();
};
struct LoggedTraining {
  std::string name;
  std::vector<LoggedMoment> moments = {};
  double total = 0;  // Number of words.
  bool done = false;
};
// Draws a panel for each kind of value that some training run has.
Svg DrawTrainings(const std::vector<LoggedTraining>& trainings,
                  const Headline& headline, const Theme& theme);

// Norms of a gradient by distance.
struct GradientCurve {
  std::string name;
  size_t first_distance = 0;  // Of norms[0].
  std::vector<double> norms = {};
};
// Draws logarithms of the norms.
Svg DrawGradients(const std::vector<GradientCurve>& curves,
                  const Headline& headline, const Theme& theme);

// A measurement with its 95% interval.
struct Measured {
  double value = 0;
  double low = 0;
  double high = 0;
};
// The result of each model on one test; NaN if it was not measured.
struct MeasuredTest {
  std::string name;
  std::vector<Measured> models;
};
struct MeasuredGroup {
  std::string name;      // Name of the test file.
  bool percent = false;  // Fractions, not correlations.
  std::vector<MeasuredTest> tests = {};
};
Svg DrawEvaluations(const std::vector<std::string>& models,
                    const std::vector<MeasuredGroup>& groups,
                    const Headline& headline, const Theme& theme);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_PLOT_PICTURES_H_
