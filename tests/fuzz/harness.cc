// What all fuzzers link: settings of the sanitizers.

// clang's OpenMP runtime does not free the records of its threads when a
// program ends. The name is the sanitizer's.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT
  return "leak:libomp\n";
}
