// Recorder of what the device does in the calls of a profile, for player.py through ctypes: the
// collector and the file of runner/activity. There only where kbench was built with CUDA.
#pragma once

#include <cstdint>

extern "C" {

// Opens the recorder; before anything foreign is loaded. Takes the descriptor of the file; null
// where nothing can be written there. `cupti`: the library; empty: the one that torch brought.
// Lives as long as the process.
void* kb_open_recorder(int fd, const char* cupti);
// To be called around a call; the second one once its work on the device is complete. `ns`: what
// its events say.
void kb_begin_recorded(void* recorder);
void kb_end_recorded(void* recorder, std::int64_t ns);

}  // extern "C"
