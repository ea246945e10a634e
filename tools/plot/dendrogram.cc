#include "plot/dendrogram.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace firth::tools {
namespace {

// A group that has not been joined yet.
struct OpenGroup {
  size_t number;
  size_t row;                 // of its means
  std::vector<size_t> items;  // in their order
};

class Clustering {
 public:
  Clustering(const std::vector<float>& similarities, size_t n)
      : n_(n),
        similarities_(similarities),
        means_(similarities.begin(), similarities.end()) {
    for (size_t i = 0; i < n; ++i) open_.push_back({i, i, {i}});
  }

  Dendrogram Run() {
    Dendrogram tree;
    while (open_.size() > 1) {
      const auto [a, b] = MostSimilar();
      OpenGroup& left = open_[a];
      OpenGroup& right = open_[b];
      const double mean = Mean(left, right);
      TurnToMeet(&left.items, &right.items);
      tree.joins.push_back({left.number, right.number, mean});
      Merge(&left, right);
      left.number = n_ + tree.joins.size() - 1;
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(b));
    }
    tree.order = open_[0].items;
    return tree;
  }

 private:
  double& Mean(const OpenGroup& a, const OpenGroup& b) {
    return means_[a.row * n_ + b.row];
  }

  // Positions in open_, the lower one first.
  std::pair<size_t, size_t> MostSimilar() {
    std::pair<size_t, size_t> best = {0, 1};
    double most = -std::numeric_limits<double>::infinity();
    for (size_t a = 0; a < open_.size(); ++a) {
      for (size_t b = a + 1; b < open_.size(); ++b) {
        if (Mean(open_[a], open_[b]) <= most) continue;
        most = Mean(open_[a], open_[b]);
        best = {a, b};
      }
    }
    return best;
  }

  // Turns either side round where that brings more similar ends together.
  void TurnToMeet(std::vector<size_t>* left, std::vector<size_t>* right) const {
    const std::array<size_t, 2> left_ends = {left->back(), left->front()};
    const std::array<size_t, 2> right_ends = {right->front(), right->back()};
    std::pair<size_t, size_t> best = {0, 0};
    float most = -std::numeric_limits<float>::infinity();
    for (size_t i = 0; i < 2; ++i) {
      for (size_t j = 0; j < 2; ++j) {
        const float similarity =
            similarities_[left_ends[i] * n_ + right_ends[j]];
        if (similarity <= most) continue;
        most = similarity;
        best = {i, j};
      }
    }
    if (best.first == 1) std::reverse(left->begin(), left->end());
    if (best.second == 1) std::reverse(right->begin(), right->end());
  }

  // The mean with another group is that of both, each by its number of items.
  void Merge(OpenGroup* into, const OpenGroup& from) {
    const auto a = static_cast<double>(into->items.size());
    const auto b = static_cast<double>(from.items.size());
    for (const OpenGroup& other : open_) {
      const double mean =
          (a * Mean(*into, other) + b * Mean(from, other)) / (a + b);
      Mean(*into, other) = mean;
      Mean(other, *into) = mean;
    }
    into->items.insert(into->items.end(), from.items.begin(), from.items.end());
  }

  const size_t n_;
  const std::vector<float>& similarities_;  // [n, n], of items
  std::vector<double> means_;               // [n, n], of groups
  std::vector<OpenGroup> open_;
};

}  // namespace

Dendrogram Cluster(const std::vector<float>& similarities, size_t n) {
  return Clustering(similarities, n).Run();
}

}  // namespace firth::tools
