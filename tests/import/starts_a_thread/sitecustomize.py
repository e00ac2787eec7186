"""Executed by every Python whose PYTHONPATH has this folder: a thread that waits for ever."""

import threading

threading.Thread(target=threading.Event().wait, daemon=True).start()
