# Says "loaded" in the player's name, and ends before anything of it has run.
import json
import os
import struct

text = json.dumps({"type": "loaded", "workspace_bytes": 0, "has_prepare": False}).encode()
os.write(3, struct.pack("=I", len(text)) + text)
os._exit(0)
