"""The one exception of the module."""

from typing import Optional


class KbenchError(RuntimeError):
    """There is no answer: wrong use, an unknown task, a missing program, a fault of kbench or of its machine.

    A kernel that fails is no error: it has a row, whose `state` names the failure.

    message    what happened
    hint       what to do about it; may be empty
    code       the program's exit code, or the status of an HTTP answer; None if there was neither
    """

    def __init__(self, message: str, hint: str = "", code: Optional[int] = None) -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.message = message
        self.hint = hint
        self.code = code
