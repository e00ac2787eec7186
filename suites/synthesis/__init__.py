"""Composes task modules by a typed grammar, for `kbench synth`. Python's standard library only."""
