// ICU's archive refers to these variables of the C library directly, which only a
// program can do. Word boundaries depend on no time zone.

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN long timezone, __timezone;
HIDDEN int daylight, __daylight;
HIDDEN char *tzname[2], *__tzname[2];
