// GNU libmicrohttpd, loaded when a service starts: linked with the program, it
// and the libraries for TLS that it needs would make the start of every other
// command take half as long again (25 ms became 36).

#ifndef FIRTH_TOOLS_SERVE_MICROHTTPD_LIBRARY_H_
#define FIRTH_TOOLS_SERVE_MICROHTTPD_LIBRARY_H_

#include <microhttpd.h>

#include "absl/status/statusor.h"

namespace firth::tools {

struct MicrohttpdLibrary {
  decltype(&MHD_start_daemon) start_daemon;
  decltype(&MHD_quiesce_daemon) quiesce_daemon;
  decltype(&MHD_stop_daemon) stop_daemon;
  decltype(&MHD_suspend_connection) suspend_connection;
  decltype(&MHD_resume_connection) resume_connection;
  decltype(&MHD_get_connection_info) get_connection_info;
  decltype(&MHD_get_connection_values) get_connection_values;
  decltype(&MHD_lookup_connection_value) lookup_connection_value;
  decltype(&MHD_create_response_from_buffer_with_free_callback_cls)
      create_response;
  decltype(&MHD_add_response_header) add_response_header;
  decltype(&MHD_queue_response) queue_response;
  decltype(&MHD_destroy_response) destroy_response;
};

// Errors: FailedPrecondition, the library is not installed, or is too old.
absl::StatusOr<const MicrohttpdLibrary*> LoadMicrohttpd();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_MICROHTTPD_LIBRARY_H_
