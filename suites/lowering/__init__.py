"""Lowering of task modules to the file format of suites/FORMAT.md, and the way back to torch.fx."""
