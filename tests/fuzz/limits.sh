# shellcheck shell=sh disable=SC2034 # the scripts that read this file use them
# Sets the limits of the reader $1, for tests/fuzz/run and oss-fuzz/build.sh:
# most_at_once, the MiB that one allocation may take, and longest, the bytes of an
# input.
limits_of() {
  # A window of zstd may be 2 GiB of addresses, as those of --long=31 are; what is
  # not filled takes no memory, which the limit on resident memory watches.
  case $1 in
    text_source | tagged_text | senses) most_at_once=4096 ;;
    *) most_at_once=256 ;;
  esac
  # The weights of the smallest ELMo, a group for each level of their names; the
  # parameters of the smallest language model, three times; the centroids of the
  # smallest quantized fastText.
  case $1 in
    hdf5) longest=24576 ;;
    lm_checkpoint | classifier) longest=8192 ;;
    *) longest=4096 ;;
  esac
}
