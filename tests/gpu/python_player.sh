#!/usr/bin/env bash
# Python submissions on a GPU, within five minutes: one copy of a reference, the cheats that only a GPU
# has with their honest twins, then copies of four references and one kernel in both forms.
#
#     tests/gpu/python_player.sh [KBENCH]     # by default build/release/bin/kbench
#
# KBENCH_TORCH names the Python with torch where KBENCH is installed. Each part ends with its own summary,
# a part that takes too long says so, and the exit code is 1 where one of them failed.
set -uo pipefail
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.."
kbench=${1:-build/release/bin/kbench}
keep=${KEEP:-}  # a folder for databases
failed=0

# part SECONDS TITLE COMMAND...
part() {
  local limit=$1 title=$2 start=$SECONDS code
  shift 2
  printf '\n== %s\n' "$title"
  timeout --kill-after 10 "$limit" "$@" 2>&1 | tail -n 60
  code=${PIPESTATUS[0]}
  ((code == 124)) && printf 'not done within %s s\n' "$limit"
  ((code == 0)) || failed=1
  printf '== %s: exit code %s after %s s\n' "$title" "$code" "$((SECONDS - start))"
}

copies=(python3 -B tests/bench/python_copies.py --device cuda --kbench "$kbench")
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
"$kbench" --version
part 60 'one task' "${copies[@]}" --quick --only-copies \
  --task level1/001_square_matrix_multiplication ${keep:+--db "$keep/one.sqlite"}
part 150 'cheats and twins' python3 -B tests/cheats/run_corpus.py --device python-cuda \
  --kbench "$kbench" --only 'python_cuda_*' --verbose ${keep:+--keep "$keep/corpus.sqlite"}
part 110 'copies' "${copies[@]}" --task level1/019_relu --task level1/023_softmax --task level2/076_gemm_add_relu \
  --task level3/043_mingptcausalattention ${keep:+--db "$keep/copies.sqlite"}
exit "$failed"
