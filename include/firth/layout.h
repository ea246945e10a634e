// Maps: words as points in two dimensions, near one another where their vectors
// point the same way, with labels for the dense places.

#ifndef FIRTH_LAYOUT_H_
#define FIRTH_LAYOUT_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/progress.h"
#include "firth/vector_io.h"
#include "firth/vocabulary.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

// The ways to lay out words. All look at directions only: two words are as far
// apart as their cosine says.

// Words attract their nearest neighbors and push random others away (McInnes,
// Healy and Melville, "UMAP: Uniform Manifold Approximation and Projection for
// Dimension Reduction", 2018). Keeps neighbors, and of the order of groups
// something.
struct UmapMethod {
  static constexpr absl::string_view kName = "umap";
  int neighbors = 15;     // that attract a word, itself counted, 2 to 1000
  double min_dist = 0.1;  // below it words do not attract one another, 0 to 1
  int epochs = 0;         // 1 to 100000; 0: 500 up to 10,000 words, else 200

  static FieldTable Fields();
};

// Points are to have the neighbors' probabilities that vectors have (van der
// Maaten, "Accelerating t-SNE using Tree-Based Algorithms", 2014). Keeps more
// of the nearest neighbors, takes several times as long, and says little about
// what is far apart.
struct TsneMethod {
  static constexpr absl::string_view kName = "tsne";
  double perplexity = 30;  // neighbors that count, about: 1 to 300
  int epochs = 0;          // 1 to 100000; 0: 1000

  static FieldTable Fields();
};

// The plane in which the unit vectors differ most, from which the others start:
// at once there, and no neighbors to rely on.
struct PcaMethod {
  static constexpr absl::string_view kName = "pca";
};

struct MapOptions {
  std::variant<UmapMethod, TsneMethod, PcaMethod> method;
  double hold = 1;    // how firmly words of the old map keep their places, 0 to
                      // 1: 1, they stay; 0, they start there; between, a
                      // spring draws them back
  uint64_t seed = 1;  // of what is drawn at random
  int threads = 0;    // 0: all cores

  static FieldTable Fields();
  absl::Status Validate() const;
};

// A dense place.
struct MapCluster {
  float x = 0;
  float y = 0;
  int level = 0;                   // 0: seen from farthest away; up to 2
  std::vector<std::string> words;  // the most frequent ones near, 1 to 5
};

struct WordMap {
  WordVectors points;  // [words, 2], x and y, with the words' counts
  std::vector<MapCluster> clusters;  // by level, then the densest first
  std::string method;                // "umap", "tsne" or "pca"
  std::string source;                // what vectors these are, for people
  uint64_t seed = 0;
};

// Lays out all words that have a direction: those whose vectors are zero, or
// not finite, are left out. The order of the words stays; labels take the first
// words for the most frequent ones. Where `old_map` is given, it is made with
// the same method, and words that it has, too, begin at their places there and
// keep to them as options.hold says; the others begin among their neighbors.
// The same on every machine of a kind for one seed, whatever the number of
// threads. Progress is the fraction of TrainProgress.
// Errors: InvalidArgument, options, no word with a direction, `old_map` with
// another method or without a common word; Cancelled (hooks.stop);
// ResourceExhausted.
absl::StatusOr<WordMap> MakeMap(const WordVectors& vectors,
                                const MapOptions& options,
                                const WordMap* old_map = nullptr,
                                const Hooks& hooks = {});

// Writes a map: as .safetensors, a file of vectors of 2 dimensions that has all
// else as JSON in its metadata "firth.map",
//
//   {"method": "umap", "source": "vectors.bin", "seed": 1,
//    "clusters": [{"x": 1.5, "y": -2, "level": 0, "words": ["king"]}]}
//
// or as .tsv, lines of word, x, y and cluster, the first word of the nearest
// one of level 0, divided by tabs. Errors: those of SaveVectorFile();
// InvalidArgument, another extension, or a word with a tab or line end inside
// for .tsv.
absl::Status SaveMap(const WordMap& map, const std::string& path);

// Whether SaveMap() would write such words there, to be asked before the work.
// Errors: its own.
absl::Status CheckMapFile(const Vocabulary& words, const std::string& path);

// Takes vectors of two dimensions for a map: what SaveMap() wrote as
// .safetensors, or any others, which have no clusters and no method; `path`
// stands in messages. Errors: InvalidArgument, other vectors, metadata of no
// map.
absl::StatusOr<WordMap> AsMap(VectorFile file, const std::string& path);

// Reads such a file. Errors: also those of LoadVectorFile().
absl::StatusOr<WordMap> LoadMap(const std::string& path);

}  // namespace firth

#endif  // FIRTH_LAYOUT_H_
