"""The progress bar that torch takes where it is installed: its first one starts a thread."""

import threading


class tqdm:  # noqa: N801
    monitor_interval = 10

    def __init__(self, *_, **__):
        if self.monitor_interval:
            threading.Thread(target=threading.Event().wait, daemon=True).start()

    def update(self, _):
        pass
