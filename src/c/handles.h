// Handles: what the C interface gives out in place of pointers.
//
// A handle is a number, never used twice, in the guise of a pointer that nobody
// follows. The table knows which object it stands for and of what kind that is,
// so a handle that is null, freed or of another kind is found out. A call takes
// a share of its object, which therefore outlives a handle that another thread
// frees meanwhile.
//
// Two threads that ask one object should not wait for each other, not even for
// the cache line of a count: each looks on a shelf of its own, with a lock and
// shares of its own, which are fetched from the table at its first question.

#ifndef FIRTH_C_HANDLES_H_
#define FIRTH_C_HANDLES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth::c {

// Of untyped objects; `kind` is an address that objects of a kind have in
// common. Thread-safe.
uintptr_t AddHandle(const void* kind, std::shared_ptr<void> object);
// Null for what is no handle of this kind.
std::shared_ptr<void> FindHandle(const void* kind, uintptr_t handle) noexcept;
// The same, and the handle is none any more.
std::shared_ptr<void> RemoveHandle(const void* kind, uintptr_t handle) noexcept;

// Whether this process was forked from one that had used the library.
bool IsForkedChild();

// How many handles there are.
size_t NumHandles();

// Errors: InvalidArgument, "vectors: expected a FirthVectors, found null".
absl::Status WrongHandle(absl::string_view argument, absl::string_view kind,
                         bool is_null);

// A kind of object: a struct that the header declares, with its name as kName.
template <class Object>
Object* MakeHandle(std::shared_ptr<Object> object) {
  return reinterpret_cast<Object*>(AddHandle(&Object::kName, object));
}

// Sets the result of a call to a new handle.
template <class Object>
absl::Status SetHandle(Object** place, std::shared_ptr<Object> object) {
  *place = MakeHandle(std::move(object));
  return absl::OkStatus();
}

// The same of an object that is made from `content`, whose error is returned.
template <class Object, class Content>
absl::Status SetHandle(Object** place, absl::StatusOr<Content> content) {
  if (!content.ok()) return content.status();
  return SetHandle(place, std::make_shared<Object>(*std::move(content)));
}

template <class Object>
std::shared_ptr<Object> FindObject(Object* handle) {
  return std::static_pointer_cast<Object>(FindHandle(
      &Object::kName, reinterpret_cast<uintptr_t>(
                          const_cast<std::remove_const_t<Object>*>(handle))));
}

// The object of a call's argument of this name. Errors: InvalidArgument.
template <class Object>
absl::StatusOr<std::shared_ptr<Object>> Take(absl::string_view argument,
                                             Object* handle) {
  std::shared_ptr<Object> object = FindObject(handle);
  if (object == nullptr) {
    return WrongHandle(argument, Object::kName, handle == nullptr);
  }
  return object;
}

// The same of an argument that may be null: the object is null then, too.
template <class Object>
absl::StatusOr<std::shared_ptr<Object>> TakeIfGiven(absl::string_view argument,
                                                    Object* handle) {
  if (handle == nullptr) return std::shared_ptr<Object>();
  return Take(argument, handle);
}

// Ends the handle; a pointer that is no handle of this kind is left alone.
template <class Object>
void FreeHandle(Object* handle) {
  RemoveHandle(&Object::kName, reinterpret_cast<uintptr_t>(handle));
}

}  // namespace firth::c

#endif  // FIRTH_C_HANDLES_H_
