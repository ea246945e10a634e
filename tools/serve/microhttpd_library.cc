#include "serve/microhttpd_library.h"

#include <dlfcn.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace firth::tools {
namespace {

constexpr char kLibraryFile[] = "libmicrohttpd.so.12";

template <class Function>
bool Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

}  // namespace

absl::StatusOr<const MicrohttpdLibrary*> LoadMicrohttpd() {
  void* const library = dlopen(kLibraryFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot load the library ", kLibraryFile,
                     " (Debian package libmicrohttpd12): ", dlerror()));
  }
  static MicrohttpdLibrary all;
  const bool found =
      Find(library, "MHD_start_daemon", &all.start_daemon) &&
      Find(library, "MHD_quiesce_daemon", &all.quiesce_daemon) &&
      Find(library, "MHD_stop_daemon", &all.stop_daemon) &&
      Find(library, "MHD_suspend_connection", &all.suspend_connection) &&
      Find(library, "MHD_resume_connection", &all.resume_connection) &&
      Find(library, "MHD_get_connection_info", &all.get_connection_info) &&
      Find(library, "MHD_get_connection_values", &all.get_connection_values) &&
      Find(library, "MHD_lookup_connection_value",
           &all.lookup_connection_value) &&
      Find(library, "MHD_create_response_from_buffer_with_free_callback_cls",
           &all.create_response) &&
      Find(library, "MHD_add_response_header", &all.add_response_header) &&
      Find(library, "MHD_queue_response", &all.queue_response) &&
      Find(library, "MHD_destroy_response", &all.destroy_response);
  if (found) return &all;
  return absl::FailedPreconditionError(absl::StrCat(
      kLibraryFile, ": version 0.9.73 or later is needed: ", dlerror()));
}

}  // namespace firth::tools
