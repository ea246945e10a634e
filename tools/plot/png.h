// Converts SVG to PNG.
//
// librsvg is loaded when a PNG file is requested, so that everything else works
// without it.

#ifndef FIRTH_TOOLS_PLOT_PNG_H_
#define FIRTH_TOOLS_PLOT_PNG_H_

#include <string>

#include "absl/status/statusor.h"

namespace firth::tools {

// Returns the bytes of a PNG file with `scale` pixels per pixel of the SVG.
// Errors: FailedPrecondition, librsvg is not installed; ResourceExhausted, the
// picture is too large for PNG.
absl::StatusOr<std::string> RenderPng(const std::string& svg, double width,
                                      double height, double scale);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_PLOT_PNG_H_
