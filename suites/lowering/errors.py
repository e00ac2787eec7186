"""The one expected failure of this package."""


class LoweringError(Exception):
    """A task that the file format cannot express, or a module that torch.export refuses."""
