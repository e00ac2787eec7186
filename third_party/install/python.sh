# shellcheck shell=bash disable=SC2154,SC2034
# PyTorch and, where it must come from PyPI, the CUDA compiler; sourced by third_party/setup.

pip_install() {
  local wheels=("$deps"/root/usr/share/python-wheels/pip-*.whl)
  if [[ -f ${wheels[0]} ]]; then
    PYTHONPATH=${wheels[0]} "$venv/bin/python3" -m pip install "$@"
  else
    "$venv/bin/python3" -m pip install "$@"
  fi
}

# Files and the Python of an environment, as its stamp has them. Deliberately not a Python of an active
# environment: .venv must outlive it.
environment_text() { cat "$@" && python3 -c 'import sys; print(sys.base_prefix, sys.version)'; }

# has_environment NAME FILES…: whether make_environment would find nothing to do.
has_environment() {
  local text
  text=$(environment_text "${@:2}") && is_current "$venv/.kbench-$1" "$text" && "$venv/bin/python3" -c ''
}

# Whether the step python will download PyTorch.
is_torch_to_come() {
  [[ $with_torch == ON && -z ${KBENCH_TORCH:-} ]] && ! has_environment torch "$here/requirements.txt"
}

# make_environment NAME FILES…: .venv with the packages of these requirement files. `note` says
# whether there was anything to do. NAME keeps the stamps of different sets apart.
make_environment() {
  local name=$1 python=python3 text file arguments=()
  shift
  ! has_environment "$name" "$@" || return 0
  text=$(environment_text "$@") || fail 'There is no python3 on the PATH.'
  if [[ ! -x $venv/bin/python3 ]] || ! "$venv/bin/python3" -c ''; then
    rm -rf "$venv"
    if [[ -d $deps/root/usr/share/python-wheels ]]; then
      # Debian's ensurepip looks for pip in /usr/share; pip_install takes it from root instead.
      "$python" -m venv --without-pip "$venv"
    else
      "$python" -m venv "$venv" || fail 'python3 -m venv failed: is python3-venv installed?'
    fi
  fi
  for file in "$@"; do arguments+=(--requirement "$file"); done
  pip_install "${arguments[@]}" ||
    fail 'pip could not install the packages: is the package index reachable, is the disk full?'
  mark_current "$venv/.kbench-$name" "$text"
  note+=', downloaded'
}

# Prints the version of torch that a Python has; loading torch itself would take seconds.
torch_version() {
  "$1" -c '
try:
    from importlib.metadata import version
    print(version("torch"))
except Exception:
    import torch
    print(torch.__version__)'
}

# Sets `torch`.
bring_python() {
  if [[ $with_torch == OFF ]]; then
    note='not asked for: no oracle is built'
  elif [[ -z ${KBENCH_TORCH:-} ]]; then
    torch=$venv/bin/python3
    note="$(sed -n 's/^torch==\([^ ]*\).*/torch \1/p' "$here/requirements.txt") in .venv"
    make_environment torch "$here/requirements.txt"
  elif [[ -d $KBENCH_TORCH ]]; then
    [[ -e $KBENCH_TORCH/lib/libtorch_cpu.so ]] ||
      fail "KBENCH_TORCH=$KBENCH_TORCH has no lib/libtorch_cpu.so: it is not an unpacked libtorch."
    torch=$(cd "$KBENCH_TORCH" && pwd)
    note="libtorch in $torch (no compiled baseline without Python)"
  else
    use_given_python
  fi
}

use_given_python() {
  local version
  torch=$(command -v "$KBENCH_TORCH") || fail "KBENCH_TORCH=$KBENCH_TORCH is neither folder nor program."
  [[ $torch == /* ]] || torch=$PWD/$torch
  version=$(torch_version "$torch") || fail "KBENCH_TORCH=$KBENCH_TORCH is a Python without torch."
  [[ $(printf '%s\n' 2.9 "$version" | sort -V | head -n 1) == 2.9 ]] ||
    fail "KBENCH_TORCH=$KBENCH_TORCH has torch $version; kbench needs 2.9 or newer."
  note="torch $version of $torch"
}

# What the tests call besides; nothing of it is compiled in or needed to run kbench.
bring_test_tools() {
  if [[ $command != ctest ]]; then
    note='skipped (no tests asked for)'
    return
  fi
  note="$(sed -n 's/^\([a-z-]*\)==\([^ ]*\).*/\1 \2/p' "$here/requirements-tests.txt" | paste -sd,) in .venv"
  make_environment tests "$here/requirements-tests.txt"
}

has_gpu() { [[ -e /dev/nvidia0 ]] || nvidia-smi --list-gpus; }

# Sets `nvcc`.
find_cuda() {
  if [[ $with_cuda == OFF ]]; then
    note='skipped (not asked for)'
  elif nvcc=$(command -v "${CUDACXX:-nvcc}") || nvcc=$(command -v /usr/local/cuda/bin/nvcc); then
    note="toolkit $("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p') in ${nvcc%/bin/nvcc}"
  elif has_gpu; then
    note='toolkit from PyPI in .venv'
    make_environment cuda "$here/requirements-cuda.txt"
    nvcc=$(echo "$venv"/lib/python3*/site-packages/nvidia/cu*/bin/nvcc)
    [[ -x $nvcc ]] || fail 'The CUDA toolkit from PyPI has no nvcc where it was expected.'
    # The wheels call the folder lib, nvcc looks in lib64 for the static runtime.
    ln -sfn lib "${nvcc%/bin/nvcc}/lib64"
  else
    nvcc=''
    note='skipped (no GPU, no toolkit)'
  fi
  [[ -z $nvcc ]] || export CUDACXX=$nvcc
}
