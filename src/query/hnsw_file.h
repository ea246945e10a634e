// The file of an HNSW index, which stands beside its vectors.

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
#include "query/centered_rows.h"
#include "query/hnsw_graph.h"

namespace firth {

// Writes the graph over all of `vectors`, of which MeasureRecall() returned
// `recall`; the file appears whole or not at all.
absl::Status SaveHnswGraph(const HnswGraph& graph, const HnswOptions& options,
                           const WordVectors& vectors, double recall,
                           const std::string& path);

// Reads a graph over `vectors`, of which `rows` are all. Errors: NotFound;
// DataLoss, no such file or a damaged one; FailedPrecondition, an index of
// other vectors, of version 1, whose graph links vectors that were not
// centered, or of a recall below kLeastRecall. Each names the file, what was
// expected and what was found. Cancelled, where hooks ask to stop.
absl::StatusOr<HnswGraph> LoadHnswGraph(const WordVectors& vectors,
                                        const CenteredRows& rows,
                                        const std::string& path,
                                        const Hooks& hooks = {});

// What DescribeFile() tells of one; nothing if the file is none.
absl::StatusOr<std::optional<FileInfo>> DescribeHnswIndex(
    const std::shared_ptr<const MappedFile>& file);

}  // namespace firth

#endif  // FIRTH_QUERY_HNSW_FILE_H_
