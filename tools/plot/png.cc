#include "plot/png.h"

#include <dlfcn.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

// The required part of the stable interfaces of librsvg, cairo and GLib.
struct RsvgRectangle {
  double x, y, width, height;
};
struct GlibError {
  uint32_t domain;
  int code;
  const char* message;
};
using CairoWrite = int (*)(void* closure, const unsigned char* data,
                           unsigned int length);
struct Library {
  void* (*handle_new_from_data)(const unsigned char* data, size_t size,
                                void** error);
  int (*render_document)(void* handle, void* cairo,
                         const RsvgRectangle* viewport, void** error);
  void (*unref)(void* object);
  void (*error_free)(void* error);
  void* (*image_surface_create)(int format, int width, int height);
  int (*surface_status)(void* surface);
  void (*surface_destroy)(void* surface);
  int (*write_png)(void* surface, CairoWrite write, void* closure);
  void* (*create)(void* surface);
  void (*destroy)(void* cairo);
};

constexpr int kArgb32 = 0;
// Maximum width and height of an image in cairo.
constexpr double kMostPixels = 32'767;

// dlsym() also finds symbols of the libraries that `library` depends on.
template <class Function>
bool Load(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

bool LoadAll(void* library, Library* all) {
  return Load(library, "rsvg_handle_new_from_data",
              &all->handle_new_from_data) &&
         Load(library, "rsvg_handle_render_document", &all->render_document) &&
         Load(library, "g_object_unref", &all->unref) &&
         Load(library, "g_error_free", &all->error_free) &&
         Load(library, "cairo_image_surface_create",
              &all->image_surface_create) &&
         Load(library, "cairo_surface_status", &all->surface_status) &&
         Load(library, "cairo_surface_destroy", &all->surface_destroy) &&
         Load(library, "cairo_surface_write_to_png_stream", &all->write_png) &&
         Load(library, "cairo_create", &all->create) &&
         Load(library, "cairo_destroy", &all->destroy);
}

absl::StatusOr<Library> LoadLibrary() {
  Library all;
  void* const library = dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr && LoadAll(library, &all)) return all;
  return absl::FailedPreconditionError(
      "PNG needs librsvg 2.46 or newer, which is not installed; run \"apt "
      "install librsvg2-2\", or write an .svg");
}

using Owned = std::unique_ptr<void, void (*)(void*)>;

int Append(void* text, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(data),
                                          length);
  return 0;
}

}  // namespace

absl::StatusOr<std::string> RenderPng(const std::string& svg, double width,
                                      double height, double scale) {
  const double columns = std::ceil(width * scale);
  const double rows = std::ceil(height * scale);
  if (columns > kMostPixels || rows > kMostPixels) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "a PNG can have at most ", kMostPixels, " pixels per side, found ",
        columns, " x ", rows, "; an .svg has no such limit"));
  }
  FIRTH_ASSIGN_OR_RETURN(const Library library, LoadLibrary());
  void* error = nullptr;
  const Owned handle(library.handle_new_from_data(
                         reinterpret_cast<const unsigned char*>(svg.data()),
                         svg.size(), &error),
                     library.unref);
  const Owned failure(error, library.error_free);
  if (handle == nullptr) {
    return absl::InternalError(absl::StrCat(
        "librsvg rejected the picture: ",
        error == nullptr ? "no reason given"
                         : static_cast<const GlibError*>(error)->message));
  }
  const Owned surface(
      library.image_surface_create(kArgb32, static_cast<int>(columns),
                                   static_cast<int>(rows)),
      library.surface_destroy);
  if (library.surface_status(surface.get()) != 0) {
    return absl::ResourceExhaustedError(
        "not enough memory for a PNG of this size");
  }
  const Owned cairo(library.create(surface.get()), library.destroy);
  const RsvgRectangle whole = {0, 0, columns, rows};
  std::string png;
  if (library.render_document(handle.get(), cairo.get(), &whole, nullptr) ==
          0 ||
      library.write_png(surface.get(), &Append, &png) != 0) {
    return absl::InternalError("librsvg could not draw the picture");
  }
  return png;
}

}  // namespace firth::tools
