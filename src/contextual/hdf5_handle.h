// Handles of libhdf5, for the files that include its header.

#ifndef FIRTH_CONTEXTUAL_HDF5_HANDLE_H_
#define FIRTH_CONTEXTUAL_HDF5_HANDLE_H_

#include <hdf5.h>

namespace firth {

// A handle of the library with the function that gives it back.
class Hdf5Handle {
 public:
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  bool ok() const { return id_ >= 0; }
  hid_t id() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// Before the first use. The library prints its errors unless told not to; we
// report them. Nor does it tidy up at the end of the program: it crashes there
// on a file that it could not write.
inline void PrepareHdf5() {
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

}  // namespace firth

#endif  // FIRTH_CONTEXTUAL_HDF5_HANDLE_H_
