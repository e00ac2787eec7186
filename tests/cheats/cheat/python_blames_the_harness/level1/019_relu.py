# Says in the player's name that kbench failed.
import json
import os
import struct

text = json.dumps({"type": "error", "state": "", "message": "kbench is out of order"}).encode()
os.write(3, struct.pack("=I", len(text)) + text)
os._exit(0)
