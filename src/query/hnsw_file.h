// The file of an HNSW index, which is stored next to the file of its vectors.

#ifndef FIRTH_QUERY_HNSW_FILE_H_
#define FIRTH_QUERY_HNSW_FILE_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/file_info.h"
#include "firth/query.h"
#include "query/hnsw_graph.h"
#include "query/quantized_rows.h"

namespace firth {

// Writes the graph over all of `vectors`, for which MeasureRecall() returned
// `recall`. The file appears whole or not at all.
absl::Status SaveHnswGraph(const HnswGraph& graph, const HnswOptions& options,
                           const WordVectors& vectors, double recall,
                           const std::string& path);

// Reads a graph over `vectors`; `rows` are all of them. Errors: NotFound, no
// such file; DataLoss, a damaged one; FailedPrecondition, an index of other
// vectors, of version 1, whose graph links vectors that were not centered, of a
// newer version, or with a recall below kLeastRecall. Each names the file, what
// was expected and what was found. Cancelled, if `hooks` request a stop.
absl::StatusOr<HnswGraph> LoadHnswGraph(const WordVectors& vectors,
                                        const CenteredRows& rows,
                                        const std::string& path,
                                        const Hooks& hooks = {});

// Returns what DescribeFile() reports for an index, or nothing if the file is
// not one.
absl::StatusOr<std::optional<FileInfo>> DescribeHnswIndex(
    const std::shared_ptr<const MappedFile>& file);

}  // namespace firth

#endif  // FIRTH_QUERY_HNSW_FILE_H_
