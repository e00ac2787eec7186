"""The one expected failure of this package."""


class LoweringError(Exception):
    """A task that the file format cannot express, or a module that torch.export refuses."""

    def __init__(self, message: str, traced: str = ""):
        """`traced` is the stack, as text, of the call in the module that is to blame."""
        super().__init__(message)
        self.traced = traced
