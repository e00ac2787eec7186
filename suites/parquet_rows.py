"""Prints the Parquet table on stdin as lines of JSON, for `kbench import`. Runs inside the sandbox.

Only the columns that an import reads. Exit code 4 when pyarrow is not installed.
"""

import io
import json
import sys

COLUMNS = ("code", "name", "level", "problem_id", "ops")


def main() -> int:
    try:
        import pyarrow.parquet
    except ImportError:
        return 4
    table = pyarrow.parquet.ParquetFile(io.BytesIO(sys.stdin.buffer.read()))
    columns = [name for name in COLUMNS if name in table.schema_arrow.names]
    for batch in table.iter_batches(batch_size=256, columns=columns):
        for row in batch.to_pylist():
            print(json.dumps(row))
    return 0


if __name__ == "__main__":
    sys.exit(main())
