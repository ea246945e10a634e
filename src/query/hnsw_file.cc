// The file is a header of 80 bytes, followed by the links as returned by
// HnswGraph::Links(). The header's checksum covers everything after it. A
// second checksum, of the vectors' values, shows whether the index belongs to
// the given vectors.

#include "query/hnsw_file.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/checksum.h"
#include "base/newer_file.h"
#include "base/output_file.h"
#include "base/quote.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "query/unit_rows.h"

namespace firth {
namespace {

constexpr char kMagic[8] = {'F', 'I', 'R', 'T', 'H', 'N', 'S', 'W'};
constexpr absl::string_view kMagicText(kMagic, sizeof(kMagic));
// Version 1 linked vectors that were not centered, and had no recall.
constexpr uint32_t kVersion = 2;

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t zero;
  uint64_t checksum;  // of all that follows
  uint64_t words;
  uint64_t dim;
  uint64_t vectors_checksum;
  uint64_t seed;
  uint32_t links;
  uint32_t build_breadth;
  uint64_t link_bytes;
  double recall;  // from MeasureRecall() with kMeasuredBreadth
};
static_assert(sizeof(Header) == 80);
const size_t kMeasuredBreadth = HnswSearch().breadth;
constexpr size_t kCheckedFrom = offsetof(Header, words);

absl::string_view BytesOf(const Header& header) {
  return {reinterpret_cast<const char*>(&header), sizeof(header)};
}

uint64_t FileChecksum(const Header& header, absl::string_view links) {
  return Checksum(links, Checksum(BytesOf(header).substr(kCheckedFrom), 0));
}

// Covers the values as floats, row after row, whatever the form of the rows. If
// `hooks` request a stop, it covers fewer values.
uint64_t VectorsChecksum(const WordVectors& vectors, const Hooks& hooks) {
  constexpr size_t kSummedRows = 1024;
  std::vector<uint64_t> sums((vectors.size() + kSummedRows - 1) / kSummedRows);
  ForRowsInParts(vectors, vectors.size(), kSummedRows, hooks,
                 [&](size_t row, const float* values) {
                   uint64_t& sum = sums[row / kSummedRows];
                   sum = Checksum({reinterpret_cast<const char*>(values),
                                   vectors.dim() * sizeof(float)},
                                  sum);
                 });
  return Checksum({reinterpret_cast<const char*>(sums.data()),
                   sums.size() * sizeof(uint64_t)},
                  vectors.dim());
}

std::string Shape(uint64_t words, uint64_t dim) {
  return absl::StrCat(words, " words of ", dim, " dimensions");
}

absl::Status Damaged(const std::string& path, absl::string_view expected,
                     absl::string_view found) {
  return absl::DataLossError(
      absl::StrCat(path, ": expected ", expected, ", found ", found));
}

absl::Status Stale(const std::string& path, absl::string_view expected,
                   absl::string_view found) {
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": expected an index of ", expected, ", found one of ",
                   found, "; build it again"));
}

absl::Status CheckRecall(const std::string& path, double recall) {
  if (recall >= kLeastRecall) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrFormat(
      "%s: the graph would find fewer than %.0f%% of the ten nearest neighbors "
      "(it finds %.1f%%), since these vectors are too similar to each other; "
      "search exactly or with int8",
      path, 100 * kLeastRecall, 100 * recall));
}

// Reads the header and checks everything that can be checked without the
// vectors.
absl::StatusOr<Header> ReadHeader(const MappedFile& file) {
  const std::string& path = file.path();
  const absl::string_view bytes = file.bytes();
  if (!absl::StartsWith(bytes, kMagicText)) {
    return Damaged(path, "an HNSW index, which starts with \"FIRTHNSW\"",
                   Quote(bytes.substr(0, kMagicText.size())));
  }
  Header header;
  if (bytes.size() < sizeof(header)) {
    return Damaged(path, absl::StrCat("a header of ", sizeof(header), " bytes"),
                   absl::StrCat("a file of ", bytes.size()));
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.version == 1) {
    return Stale(path, absl::StrCat("version ", kVersion), "version 1");
  }
  if (header.version > kVersion) {
    return NewerFile(path, "an HNSW index", kVersion, header.version);
  }
  if (header.version != kVersion) {
    return Damaged(path, absl::StrCat("an index of version ", kVersion),
                   absl::StrCat("version ", header.version));
  }
  const absl::string_view links = bytes.substr(sizeof(header));
  if (header.link_bytes != links.size()) {
    return Damaged(path,
                   absl::StrCat(header.link_bytes, " bytes after the header"),
                   absl::StrCat(links.size()));
  }
  const uint64_t checksum = FileChecksum(header, links);
  if (header.checksum != checksum) {
    return Damaged(path, absl::StrFormat("the checksum %016x", header.checksum),
                   absl::StrFormat("%016x; the file is corrupt", checksum));
  }
  return header;
}

}  // namespace

absl::Status SaveHnswGraph(const HnswGraph& graph, const HnswOptions& options,
                           const WordVectors& vectors, double recall,
                           const std::string& path) {
  const std::string links = graph.Links();
  Header header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.version = kVersion;
  header.words = vectors.size();
  header.dim = vectors.dim();
  header.vectors_checksum = VectorsChecksum(vectors, {});
  header.seed = options.seed;
  header.links = static_cast<uint32_t>(options.links);
  header.build_breadth = static_cast<uint32_t>(options.build_breadth);
  header.link_bytes = links.size();
  header.recall = recall;
  header.checksum = FileChecksum(header, links);
  FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path));
  FIRTH_RETURN_IF_ERROR(out.Write(BytesOf(header)));
  FIRTH_RETURN_IF_ERROR(out.Write(links));
  return out.Commit();
}

absl::StatusOr<HnswGraph> LoadHnswGraph(const WordVectors& vectors,
                                        const CenteredRows& rows,
                                        const std::string& path,
                                        const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file,
                         MappedFile::Open(path));
  FIRTH_ASSIGN_OR_RETURN(const Header header, ReadHeader(*file));
  if (header.words != vectors.size() || header.dim != vectors.dim()) {
    return Stale(path, Shape(vectors.size(), vectors.dim()),
                 Shape(header.words, header.dim));
  }
  const uint64_t checksum = VectorsChecksum(vectors, hooks);
  if (hooks.StopRequested()) return absl::CancelledError("interrupted");
  if (header.vectors_checksum != checksum) {
    return Stale(path,
                 absl::StrFormat("these vectors (checksum %016x)", checksum),
                 absl::StrFormat("others (%016x)", header.vectors_checksum));
  }
  FIRTH_RETURN_IF_ERROR(CheckRecall(path, header.recall));
  HnswOptions options;
  options.links = static_cast<int>(header.links);
  options.build_breadth = static_cast<int>(header.build_breadth);
  options.seed = header.seed;
  absl::Status status = options.Validate();
  if (status.ok()) {
    absl::StatusOr<HnswGraph> graph = HnswGraph::FromLinks(
        rows, options, file->bytes().substr(sizeof(header)));
    if (graph.ok()) return graph;
    status = graph.status();
  }
  return absl::Status(status.code(),
                      absl::StrCat(path, ": ", status.message()));
}

absl::StatusOr<std::optional<FileInfo>> DescribeHnswIndex(
    const std::shared_ptr<const MappedFile>& file) {
  if (!absl::StartsWith(file->bytes(), kMagicText)) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(const Header header, ReadHeader(*file));
  FileInfo info;
  info.kind = "HNSW index";
  info.facts = {
      {"words", header.words},
      {"dim", header.dim},
      {"links", uint64_t{header.links}},
      {"build_breadth", uint64_t{header.build_breadth}},
      {"seed", header.seed},
      {"recall", header.recall},
      {"vectors_checksum", absl::StrFormat("%016x", header.vectors_checksum)}};
  return info;
}

FieldTable HnswOptions::Fields() {
  FieldsOf<HnswOptions> fields;
  fields
      .Add("links", &HnswOptions::links,
           "number of links per word (M); more links take more memory and miss "
           "fewer neighbors")
      .Range(2, 128);
  fields
      .Add("build-breadth", &HnswOptions::build_breadth,
           "number of candidates per word while the graph is built "
           "(efConstruction); a larger number takes longer and builds a better "
           "graph")
      .Range(1, 10000);
  fields.Add("seed", &HnswOptions::seed,
             "set the random seed for building the graph");
  return fields;
}

absl::Status HnswOptions::Validate() const { return CheckFields(*this); }

bool IsHnswIndex(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const auto file = MappedFile::Open(path);
  return file.ok() && absl::StartsWith((*file)->bytes(), kMagicText);
}

absl::Status BuildHnswIndex(const WordVectors& vectors,
                            const HnswOptions& options, const std::string& path,
                            const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  // NearestNeighbors also searches rows that WithNormalRows() has scaled.
  const WordVectors normal = WithNormalRows(vectors);
  const CenteredRows rows(normal, hooks);
  FIRTH_ASSIGN_OR_RETURN(const HnswGraph graph,
                         HnswGraph::Build(rows, options, hooks));
  const double recall = MeasureRecall(graph, normal, kMeasuredBreadth, hooks);
  if (hooks.StopRequested()) return absl::CancelledError("interrupted");
  FIRTH_RETURN_IF_ERROR(CheckRecall(path, recall));
  return SaveHnswGraph(graph, options, normal, recall, path);
}

}  // namespace firth
