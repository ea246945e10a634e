// The metadata of a finalfusion file, which are a text in TOML.
//
// Text from other programs is kept unchanged, under the key "finalfusion". All
// other metadata of a model are written after it, as a table of strings that
// can be read again:
//
//   [firth]
//   key = "value"

#ifndef FIRTH_IO_FORMATS_FINALFUSION_METADATA_H_
#define FIRTH_IO_FORMATS_FINALFUSION_METADATA_H_

#include <map>
#include <string>

#include "absl/strings/string_view.h"

namespace firth {

std::map<std::string, std::string> ParseFifuMetadata(absl::string_view text);

// Replaces invalid UTF-8.
std::string MakeFifuMetadata(
    const std::map<std::string, std::string>& metadata);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_FINALFUSION_METADATA_H_
