# shellcheck shell=bash disable=SC2154,SC2034
# System packages, sourced by third_party/setup. With root they come from apt; without, unpack.sh
# puts them into the tree.

wanted_packages() { sed 's/#.*//; s/[[:space:]].*//; /^$/d' "$here/packages-apt.txt"; }

# missing_packages NAMES…: those that dpkg does not know as installed.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' 2>/dev/null | sed -n 's/^ii //p')
  comm -23 <(printf '%s\n' "$@" | sort) <(sort <<<"$installed")
}

install_with_apt() {
  export DEBIAN_FRONTEND=noninteractive
  local options=(-o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)
  apt-get "${options[@]}" update ||
    fail 'apt-get update failed: are the package sources of this machine reachable?'
  apt-get "${options[@]}" install --yes --no-install-recommends "$@" ||
    fail 'apt-get could not install the packages.'
}

bring_packages() {
  local wanted missing
  mapfile -t wanted < <(wanted_packages)
  if [[ $with_packages == OFF ]]; then
    use_unpacked
    note='not asked for: taking what the machine has'
  elif ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    note='no apt-get here: taking what the machine has'
  else
    mapfile -t missing < <(missing_packages "${wanted[@]}")
    if ((${#missing[@]} == 0)); then
      note="all ${#wanted[@]} are installed"
    elif ((EUID == 0)); then
      install_with_apt "${missing[@]}"
      note="${#missing[@]} installed with apt"
    else
      unpack_packages "${missing[@]}"
      use_unpacked
    fi
  fi
}

# HAProxy and Slurm for the tests of several machines, unpacked into build/cluster and never installed.
# Where apt has none, those tests are skipped.
bring_cluster_tools() {
  if [[ $command != ctest || $with_packages == OFF ]]; then
    note='skipped (no tests asked for, or no packages)'
  elif "$tree/tests/cluster/set_up"; then
    note='HAProxy, Slurm in build/cluster, for tests'
  else
    note='skipped (not to be had from apt)'
  fi
}
