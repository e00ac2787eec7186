# shellcheck shell=bash disable=SC2154,SC2034
# Packages without root, sourced by third_party/setup: downloaded by apt-get with state of its own,
# unpacked into .deps/root, and made to work from there.
#
#   .deps/apt    lists and downloaded files
#   .deps/root   the unpacked packages, and links to the system's libraries beside them, so that it
#                can be a compiler's --sysroot
#   .deps/bin    compilers (scripts around those in root) and kbench
#
# Programs in root get a run path to root's libraries. They keep the system's C library and loader:
# packages that the system has are never unpacked, not even newer ones, because a loader and a C
# library of different builds do not work together.

triple=$(uname -m)-linux-gnu

# A compiler or a Python in pieces, half from the system and half from root, does not work. So each
# of these families is taken whole: from the system when it passes the test, else from packages.
compiler_family='^(g\+\+|gcc|cpp|binutils)|^lib(gcc|stdc\+\+)-[0-9]+-dev$'
compiler_family+='|^(libc6-dev|libc-dev-bin|linux-libc-dev|libcrypt-dev|libnsl-dev|libtirpc-dev'
compiler_family+='|rpcsvc-proto)$'
python_family='^(lib)?python3'

compiler_works() {
  local folder
  folder=$(mktemp -d)
  printf '%s\n' '#include <omp.h>' '#include <string>' '#include <stdlib.h>' \
    'int main() { return std::string("x").size() == 1 && omp_get_max_threads() > 0 ? 0 : 1; }' \
    >"$folder/test.cpp"
  "${CXX:-c++}" -std=c++20 -fopenmp "$folder/test.cpp" -o "$folder/test" && "$folder/test"
  local status=$?
  rm -rf "$folder"
  return $status
}

python_works() {
  python3 -c 'import sys, sysconfig, os, venv, ensurepip
sys.exit(sys.version_info < (3, 10) or not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'
}

# own_apt PROGRAM ARGUMENTS…: apt-get or apt-cache with lists and files in .deps/apt. Sources, keys
# and the set of installed packages stay the system's.
own_apt() {
  local program=$1 apt=$deps/apt
  shift
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
  "$program" -o Dir::State="$apt/state" -o Dir::State::status=/var/lib/dpkg/status \
    -o Dir::Cache="$apt/cache" -o APT::Install-Recommends=false -o Acquire::Retries=3 "$@"
}

# Names of what installing the given packages would add; upgrades of installed ones are left out.
packages_to_add() {
  own_apt apt-get --simulate install "$@" | awk '$1 == "Inst" && $3 !~ /^\[/ { print $2 }'
}

# family_of REGEX NAMES…: the members of a family among everything that the packages depend on,
# installed or not.
family_of() {
  local regex=$1
  shift
  own_apt apt-cache depends --recurse --important "$@" | grep -E '^[a-z0-9]' | grep -E "$regex" || true
}

# The names to unpack for the missing packages, one a line.
packages_to_unpack() {
  local keep_compiler=$1 keep_python=$2 names skip='^$'
  shift 2
  names=$(packages_to_add "$@") || return 1
  if [[ $keep_compiler == yes ]]; then
    skip+="|$compiler_family"
  else
    names+=$'\n'$(family_of "$compiler_family" g++)
  fi
  if [[ $keep_python == yes ]]; then
    skip+="|$python_family"
  else
    names+=$'\n'$(family_of "$python_family" python3 python3-venv python3-dev)
  fi
  grep -vE "$skip" <<<"$names" | sort -u
}

unpack_packages() {
  local keep_compiler=no keep_python=no names archive stamp
  compiler_works && keep_compiler=yes
  python_works && keep_python=yes
  stamp="$(printf '%s\n' "$@" "$keep_compiler" "$keep_python" | cat - "$here/install/unpack.sh" |
    sha256sum)"
  if is_current "$deps/stamp" "$stamp"; then
    note='unpacked already (.deps)'
    return
  fi

  rm -rf "$deps"
  own_apt apt-get update || fail 'apt-get update failed: are the package sources reachable?'
  # patchelf writes the run paths; it is used here and nowhere else.
  names=$(packages_to_unpack "$keep_compiler" "$keep_python" "$@" patchelf) ||
    fail 'apt-get found no way to install the packages.'
  mkdir -p "$deps/apt/files" "$deps/root/usr/bin" "$deps/root/usr/sbin" "$deps/root/usr/lib" \
    "$deps/root/usr/lib64"
  for archive in bin sbin lib lib64; do ln -sfn "usr/$archive" "$deps/root/$archive"; done
  # shellcheck disable=SC2086  # one word a package
  (cd "$deps/apt/files" && own_apt apt-get download $names) || fail 'A package could not be downloaded.'
  for archive in "$deps"/apt/files/*.deb; do
    dpkg-deb --fsys-tarfile "$archive" |
      tar --extract --directory "$deps/root" --keep-directory-symlink --no-same-owner
  done
  adapt_root
  [[ $keep_compiler == yes ]] || write_compilers
  note="$(wc -l <<<"$names") unpacked into .deps"
  rm -rf "$deps/apt"
  mark_current "$deps/stamp" "$stamp"
}

is_program() { [[ -f $1 && ! -L $1 && -x $1 && $(head -c 4 "$1" | tail -c 3) == ELF ]]; }

adapt_root() {
  local root=$deps/root file target
  # Links to absolute paths point into the system; where root has the file they must point there.
  find "$root" -type l -lname '/*' -printf '%p %l\n' | while read -r file target; do
    [[ -e $root$target ]] && ln -sfn "$root$target" "$file"
  done || true
  # What the system already has is reached through links, or --sysroot would hide it.
  mkdir -p "$root/usr/lib/$triple"
  for file in /lib/"$triple"/*.so* /usr/lib/"$triple"/*.so*; do
    target=$root/usr/lib/$triple/${file##*/}
    [[ ! -e $file || -e $target ]] || ln -sfn "$file" "$target"
  done
  for file in /lib64/ld-linux*; do
    [[ -e $root$file ]] || ln -sfn "$file" "$root/usr/lib64/"
  done
  # RPATH rather than RUNPATH: it also serves the libraries that a program's libraries ask for.
  local patchelf=$root/usr/bin/patchelf
  for file in "$root"/usr/bin/* "$root"/usr/sbin/* "$root"/usr/lib/gcc/*/*/* \
    "$root"/usr/libexec/gcc/*/*/*; do
    if is_program "$file" && [[ $file != "$patchelf" ]]; then
      "$patchelf" --force-rpath --set-rpath "$root/usr/lib/$triple" "$file"
    fi
  done
  # Debian writes the bundle of certificates when the package is configured.
  if [[ -d $root/usr/share/ca-certificates/mozilla ]]; then
    cat "$root"/usr/share/ca-certificates/mozilla/*.crt >"$deps/ca-certificates.crt"
  fi
}

# Compilers that look for headers and libraries in root, and leave its path in what they link.
write_compilers() {
  local root=$deps/root name
  printf '*link:\n+ -rpath %s\n\n' "$root/usr/lib/$triple" >"$deps/link.specs"
  for name in gcc g++; do
    write_script "$deps/bin/$name" <<TEXT
exec $(quoted "$root/usr/bin/$name") --sysroot=$(quoted "$root") -B$(quoted "$root/usr/bin/") \\
  -specs=$(quoted "$deps/link.specs") "\$@"
TEXT
  done
  ln -sfn gcc "$deps/bin/cc"
  ln -sfn g++ "$deps/bin/c++"
  compiler_works_from_deps || fail 'The unpacked compiler does not work.'
}

compiler_works_from_deps() { PATH="$deps/bin:$PATH" CXX='' compiler_works; }

# Puts the unpacked tools on the PATH: the compilers' scripts before everything, the rest after what
# the system has.
use_unpacked() {
  [[ -d $deps/root ]] || return 0
  export KBENCH_DEPS=$deps
  export PATH="$deps/bin:$PATH:$deps/root/usr/bin"
  export CMAKE_PREFIX_PATH="$deps/root/usr${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
  if [[ -f $deps/ca-certificates.crt && ! -e /etc/ssl/certs/ca-certificates.crt ]]; then
    export SSL_CERT_FILE=${SSL_CERT_FILE:-$deps/ca-certificates.crt}
    export PIP_CERT=${PIP_CERT:-$SSL_CERT_FILE}
  fi
}
