#!/bin/sh
# Fails when a file includes a header of a layer that src/LAYERS does not allow,
# when a public header includes one from src/, or when the program reaches past
# the public headers; or when two headers give one name to different types: the
# linker takes either one's functions for both, which only a build without
# inlining shows.

set -eu
cd "$(dirname "$0")/../.."
status=0
libraries='"absl/|"hwy/|"nlohmann/|"boost/'

complain() {
  echo "$1" >&2
  status=1
}

# A tier is a folder of its layer that has a line, which tells of that layer's
# headers only.
for folder in src/*/ src/*/*/; do
  room=${folder#src/} room=${room%/}
  case $room in
    */*) layer=${room%%/*}/ && grep -q "^$room:" src/LAYERS || continue ;;
    *) layer= ;;
  esac
  allowed=$(sed -n "s|^$room:||p" src/LAYERS)
  grep -q "^$room:" src/LAYERS || complain "src/LAYERS has no line for $room"
  includes=$(grep -rn "^#include \"$layer" "$folder" \
    | grep -vE "\"firth/|$libraries" \
    | sed 's/^\([^:]*:[0-9]*\):#include "\([^"]*\)".*/\1 \2/') || continue
  while read -r place header; do
    [ -n "$header" ] || continue
    from=${header#"$layer"} from=$layer${from%%/*}
    case " $room $allowed " in
      *" $from "*) ;;
      *) complain "$place: $room may not include $header" ;;
    esac
  done <<END
$includes
END
done

if grep -n '^#include "' include/firth/*.h | grep -v '"firth/\|"absl/'; then
  complain "public headers include only one another, absl and the standard library"
fi
own=$(cd tools && find . -name '*.h' | sed 's|^\./\(.*\)|"\1"|' | paste -sd'|' -)
if grep -rn '^#include "' tools | grep -vE "\"firth/|$libraries|$own"; then
  complain "tools/ includes only include/firth and its own headers"
fi
twice=$(find include src tools -name '*.h' -exec awk '
  FNR == 1 { room = "" }
  /^namespace [A-Za-z_:]+ \{/ { room = $2 }
  /^(class|struct|enum class|enum) [A-Za-z_0-9]+ .*[{:,]$/ {
    name = $2 == "class" ? $3 : $2
    print room "::" name " " FILENAME
  }' {} + | sort | awk '
  $1 == name { print name ": " file " and " $2 } { name = $1; file = $2 }')
[ -z "$twice" ] || complain "types of one name: $twice"
[ $status -eq 0 ] && echo "layers: clean"
exit $status
