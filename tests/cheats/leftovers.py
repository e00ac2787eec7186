"""Traces that submissions left behind, looked for without asking kbench, and only where kbench was started
by the process that watches: other checkouts may be tested on the same machine meanwhile.

Whoever watches adopts every descendant that loses its parent, so that a process which detaches itself,
with a session and parents of its own, still is a descendant when kbench has ended.
"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import own_processes  # noqa: E402  (the folder is known only now)


class Watch:
    """Made before kbench is started; findings() is asked after it has ended."""

    def __init__(self):
        own_processes.become_subreaper()
        own_processes.remember_started()
        self.processes = own_processes.descendants()
        self.groups = own_processes.control_groups()
        self.files = own_processes.files_of_sandboxed_programs()

    def findings(self):
        """Lines for what is there now and was not before; empty if there is nothing."""
        left = own_processes.descendants()
        return ([f"process {pid} ({left[pid]})" for pid in sorted(left.keys() - self.processes.keys())]
                + [f"control group {group}"
                   for group in own_ones(own_processes.control_groups(), self.groups)]
                + [f"file {file} of a user that kbench gave to a submission"
                   for file in own_ones(own_processes.files_of_sandboxed_programs(), self.files)])


def own_ones(now, before):
    """Names that were not there before and are of processes that this one has started."""
    return sorted(name for name, process in now.items()
                  if name not in before and own_processes.is_own(process))
