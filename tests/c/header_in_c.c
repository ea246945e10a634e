/* The public header is C11, and a C program can call what it declares. */

#include "firth/firth.h"

int64_t firth_test_ask_in_c(void);

/* The id of "b" in vectors of "a" and "b": 1; below 0: what failed. */
int64_t firth_test_ask_in_c(void) {
  const int64_t offsets[] = {0, 1, 2};
  const float rows[] = {1, 0, 0, 1};
  FirthVectors* vectors = 0;
  FirthStatus* status =
      firth_vectors_create("ab", offsets, 2, rows, 2, 0, &vectors);
  int64_t id = -2;
  if (status == 0) status = firth_vectors_find(vectors, "b", 1, &id);
  firth_vectors_free(vectors);
  if (status == 0) return id;
  id = -firth_status_code(status) - 2;
  firth_status_free(status);
  return id;
}
