/* Prints the nearest neighbors of a word: ask_c model.safetensors king */

#include <firth/firth.h>
#include <stdio.h>
#include <string.h>

/* Prints the message of a failed call. Returns whether the call failed. */
static int Failed(FirthStatus* status) {
  if (status == NULL) return 0;
  fprintf(stderr, "%s\n", firth_status_message(status));
  firth_status_free(status);
  return 1;
}

static int Ask(const FirthVectors* vectors, const char* word) {
  int64_t id = -1;
  if (Failed(firth_vectors_find(vectors, word, (int64_t)strlen(word), &id))) {
    return 1;
  }
  if (id < 0) {
    fprintf(stderr, "unknown word\n");
    return 1;
  }

  FirthSearch* search = NULL;
  if (Failed(firth_search_create(vectors, NULL, 0, NULL, NULL, &search))) {
    return 1;
  }
  int64_t ids[5];
  float cosines[5];
  const int failed =
      Failed(firth_search_words(search, &id, 1, 5, NULL, NULL, ids, cosines));
  firth_search_free(search);
  if (failed) return 1;

  const char* bytes = NULL;
  const int64_t* offsets = NULL;
  if (Failed(firth_vectors_words(vectors, &bytes, &offsets))) return 1;
  for (int i = 0; i < 5 && ids[i] >= 0; ++i) {
    const int64_t begin = offsets[ids[i]];
    const int size = (int)(offsets[ids[i] + 1] - begin);
    printf("%.*s %g\n", size, bytes + begin, cosines[i]);
  }
  return 0;
}

/* Prints the answer to the question "neighbors", as JSON. */
static int AskByName(const FirthVectors* vectors, const char* word) {
  char json[256];
  snprintf(json, sizeof(json),
           "{\"requests\": [{\"positive\": [\"%s\"], \"top\": 1}]}", word);
  FirthModels* models = NULL;
  FirthBuffer* answers = NULL;
  const int failed =
      Failed(firth_models_create(&models)) ||
      Failed(firth_models_add_vectors(models, "words", 5, vectors)) ||
      Failed(firth_ask(models, "neighbors", 9, json, (int64_t)strlen(json),
                       NULL, NULL, &answers));
  if (!failed) {
    printf("%.*s\n", (int)firth_buffer_size(answers),
           (const char*)firth_buffer_data(answers));
  }
  firth_buffer_free(answers);
  firth_models_free(models);
  return failed;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: ask_c FILE WORD\n");
    return 2;
  }
  FirthVectors* vectors = NULL;
  if (Failed(firth_vectors_load(argv[1], (int64_t)strlen(argv[1]), NULL, 0,
                                NULL, NULL, &vectors))) {
    return 1;
  }
  const int result = Ask(vectors, argv[2]) || AskByName(vectors, argv[2]);
  firth_vectors_free(vectors);
  return result;
}
