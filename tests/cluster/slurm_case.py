"""A Slurm of one controller and two nodes, as processes of the test, in its folder: munged, slurmctld and a slurmd a
node. No node has a GPU: jobs ask for none (SBATCH_GRES)."""

import os
import pathlib
import pwd
import signal
import socket
import subprocess

from cluster_case import CLUSTER, LIBRARIES, ClusterCase, free_port, own_processes, tool, with_libraries

SLURMCTLD = tool("slurmctld-wlm", "slurmctld")
SLURMD = tool("slurmd-wlm", "slurmd")
SLURMSTEPD = tool("slurmstepd-wlm", "slurmstepd")
MUNGED = tool("munged")
COMMANDS = tool("sbatch").parent
NODES = ("node1", "node2")

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock,cred_expire=5
CryptoType=crypto/munge
SlurmUser={user}
SlurmdUser={user}
{plugins}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
SlurmdTimeout=10
KillWait=2
ReturnToService=2
SchedulerParameters=sched_interval=2
{nodes}
PartitionName=main Nodes=node1,node2 Default=YES MaxTime=INFINITE State=UP
"""


class SlurmCase(ClusterCase):
    def begin_slurm(self):
        self.slurm = self.folder / "slurm"
        for name in ("state", *(f"spool-{node}" for node in NODES)):
            (self.slurm / name).mkdir(parents=True)
        self.configuration = self.slurm / "slurm.conf"
        plugins = f"PluginDir={LIBRARIES}/slurm-wlm" if SLURMCTLD.is_relative_to(CLUSTER) else ""
        host = socket.gethostname()
        nodes = "\n".join(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=2 "
                          "RealMemory=1000" for node in NODES)
        self.configuration.write_text(CONFIGURATION.format(
            host=host, controller_port=free_port(), folder=self.slurm, user=pwd.getpwuid(os.getuid()).pw_name,
            plugins=plugins, nodes=nodes), encoding="ascii")
        key = self.slurm / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        self.addCleanup(self.end_slurm)
        self.daemons = {}
        self.start("munged", MUNGED, "--foreground", "--force", f"--key-file={key}",
                   f"--socket={self.slurm}/munge.sock", f"--pid-file={self.slurm}/munged.pid",
                   f"--log-file={self.slurm}/munged.log", f"--seed-file={self.slurm}/munge.seed")
        self.wait_until((self.slurm / "munge.sock").exists, "munged listens", self.daemons["munged"])
        self.start("slurmctld", SLURMCTLD, "-D", "-c")
        for node in NODES:
            self.start_node(node)
        self.wait_until(lambda: self.slurm_says("sinfo", "-h", "-t", "idle", "-o", "%D").strip() == "2",
                        "both nodes are idle", self.daemons["slurmctld"])

    def start_node(self, node):
        self.start(node, SLURMD, "-D", "-N", node, "-d", SLURMSTEPD)

    def start(self, name, *words):
        log = open(self.slurm / f"{name}.out", "ab")
        self.addCleanup(log.close)
        self.daemons[name] = subprocess.Popen([str(word) for word in words], env=self.slurm_environment(),
                                              stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.slurm)

    def slurm_environment(self, **more):
        return with_libraries(SLURM_CONF=str(self.configuration), **more)

    def slurm_says(self, command, *words):
        return subprocess.run([str(COMMANDS / command), *words], env=self.slurm_environment(), capture_output=True,
                              text=True, check=False, stdin=subprocess.DEVNULL, timeout=60).stdout

    def processes_of(self, node):
        """The processes of the jobs that run there."""
        found = []
        for pid in own_processes.descendants(os.getpid()):
            try:
                variables = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if f"SLURMD_NODENAME={node}".encode() in variables:
                found.append(pid)
        table = own_processes.process_table()
        steps = {table[pid].parent for pid in found if pid in table}
        return [*found, *(pid for pid in steps if pid in table and table[pid].name.startswith("slurmstepd"))]

    def kill_node(self, node):
        """As by a power cut: its daemon first, then all that it had started."""
        daemon = self.daemons[node]
        below = own_processes.descendants(daemon.pid)
        daemon.kill()
        daemon.wait()
        for pid in {*below, *self.processes_of(node)}:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def end_slurm(self):
        for node in NODES:
            if node in self.daemons and self.daemons[node].poll() is None:
                self.kill_node(node)
        for name in ("slurmctld", "munged"):
            if name in self.daemons:
                self.daemons[name].kill()
                self.daemons[name].wait()
