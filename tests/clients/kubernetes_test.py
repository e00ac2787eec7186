"""data/cluster/kubernetes against Kubernetes' schemas, and against what kbench itself says: nothing of it is started.

PodMonitor and ScaledObject are no kinds of Kubernetes, so their members are held against the few that the files use.
"""

import client_case

client_case.enter("kubernetes")

import copy  # noqa: E402
import re  # noqa: E402
import subprocess  # noqa: E402
import unittest  # noqa: E402

import kubernetes_validate  # noqa: E402
import yaml  # noqa: E402
from cli_case import KBENCH  # noqa: E402

ROOT = client_case.ROOT
FOLDER = ROOT / "data/cluster/kubernetes"
VERSIONS = ("1.31", "1.37")
FOREIGN = {"PodMonitor": "monitoring.coreos.com/v1", "ScaledObject": "keda.sh/v1alpha1"}
# The label `app.kubernetes.io/name` of those that may not share a node.
ALONE = ["kbench-shard", "kbench-judge"]


def documents():
    return {one["kind"]: one for file in sorted(FOLDER.glob("*.yaml"))
            for one in yaml.safe_load_all(file.read_text(encoding="utf-8"))}


class KubernetesTest(unittest.TestCase):
    def setUp(self):
        self.all = documents()
        self.shard, self.judge = (self.all[kind]["spec"]["template"] for kind in ("Job", "Deployment"))

    def container(self, template, name):
        [found] = [one for one in template["spec"]["containers"] if one["name"] == name]
        return found

    def test_kinds_of_kubernetes_are_as_its_schemas_say(self):
        self.assertEqual(set(self.all), {"Job", "ConfigMap", "Service", "Deployment", *FOREIGN})
        for kind, document in self.all.items():
            for version in VERSIONS if kind not in FOREIGN else ():
                with self.subTest(kind, version=version):
                    kubernetes_validate.validate(document, version, strict=True)
        for spoil in (lambda spec: spec.pop("template"), lambda spec: spec.update(shards=50),
                      lambda spec: spec.update(completions="fifty")):
            spoiled = copy.deepcopy(self.all["Job"])
            spoil(spoiled["spec"])
            with self.assertRaises(kubernetes_validate.ValidationError):
                kubernetes_validate.validate(spoiled, VERSIONS[0], strict=True)

    def test_kinds_of_others_have_the_members_that_these_read(self):
        for kind, version in FOREIGN.items():
            self.assertEqual(self.all[kind]["apiVersion"], version)
        monitor = self.all["PodMonitor"]["spec"]
        self.assertEqual(set(monitor), {"selector", "podMetricsEndpoints"})
        [endpoint] = monitor["podMetricsEndpoints"]
        self.assertEqual(endpoint["authorization"],
                         {"type": "Bearer", "credentials": {"name": "kbench", "key": "metrics"}})
        self.assertEqual(endpoint["path"], "/metrics")
        scaled = self.all["ScaledObject"]["spec"]
        self.assertLessEqual(set(scaled), {"scaleTargetRef", "minReplicaCount", "maxReplicaCount", "pollingInterval",
                                           "advanced", "triggers"})
        self.assertEqual(scaled["scaleTargetRef"], {"name": self.all["Deployment"]["metadata"]["name"]})
        [trigger] = scaled["triggers"]
        self.assertEqual(trigger["type"], "prometheus")
        self.assertEqual(set(trigger["metadata"]), {"serverAddress", "query", "threshold"})
        float(trigger["metadata"]["threshold"])

    def test_names_that_one_file_has_from_another_are_there(self):
        label = {"app.kubernetes.io/name": "kbench-judge"}
        self.assertEqual(self.judge["metadata"]["labels"], label)
        self.assertEqual(self.all["Deployment"]["spec"]["selector"], {"matchLabels": label})
        self.assertEqual(self.all["Service"]["spec"]["selector"], label)
        self.assertEqual(self.all["PodMonitor"]["spec"]["selector"], {"matchLabels": label})
        ports = [port["name"] for port in self.container(self.judge, "gate")["ports"]]
        self.assertIn(self.all["Service"]["spec"]["ports"][0]["targetPort"], ports)
        self.assertIn(self.all["PodMonitor"]["spec"]["podMetricsEndpoints"][0]["port"], ports)
        self.assertIn("127.0.0.1:8378", self.all["ConfigMap"]["data"]["haproxy.cfg"])
        self.assertIn("--port 8378", self.container(self.judge, "judge")["args"][0])
        for template, name in ((self.shard, "shard"), (self.judge, "judge")):
            pod = template["spec"]
            volumes = {volume["name"] for volume in pod["volumes"]}
            for container in pod["containers"]:
                self.assertLessEqual({mount["name"] for mount in container["volumeMounts"]}, volumes)
            [rule] = pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
            self.assertEqual(rule["labelSelector"]["matchExpressions"][0]["values"], ALONE)
            self.assertIn(template["metadata"]["labels"]["app.kubernetes.io/name"], ALONE)
            self.assertEqual(self.container(template, name)["resources"]["limits"], {"nvidia.com/gpu": 1})

    def test_exit_codes_end_repeat_or_fail_a_shard_as_under_slurm(self):
        spec = self.all["Job"]["spec"]
        self.assertEqual(self.all["Job"]["metadata"]["labels"], {"kueue.x-k8s.io/queue-name": "kbench"})
        self.assertEqual((spec["completionMode"], spec["suspend"]), ("Indexed", True), "Kueue takes it, and starts it")
        self.assertIn(f'/{spec["completions"]}"', self.container(self.shard, "shard")["args"][0])
        by_action = {rule["action"]: rule["onExitCodes"]["values"] for rule in spec["podFailurePolicy"]["rules"]
                     if "onExitCodes" in rule}
        self.assertEqual(by_action, {"FailJob": [2, 5], "Count": [3]})
        endings = "0 | 1 | 4) "
        self.assertIn(endings, self.container(self.shard, "shard")["args"][0])
        self.assertIn(endings, (ROOT / "data/cluster/shard.sbatch").read_text(encoding="utf-8"))

    def test_scripts_are_bash_and_their_options_kbenchs(self):
        for template, name in ((self.shard, "shard"), (self.judge, "judge")):
            script = self.container(template, name)["args"][0]
            checked = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True, check=False)
            self.assertEqual((checked.returncode, checked.stderr), (0, ""))
            joined = script.replace("\\\n", " ")
            for verb, words in re.findall(r"kbench (run|serve) (.*)", joined):
                known = subprocess.run([KBENCH, verb, "--help"], text=True, capture_output=True, check=True).stdout
                for option in re.findall(r"--[a-z-]+", words):
                    self.assertRegex(known, rf"(?m)^  (-\w,)?{option}\b", f"{verb} of {name}")

    def test_the_query_is_of_metrics_that_a_judge_has(self):
        query = self.all["ScaledObject"]["spec"]["triggers"][0]["metadata"]["query"]
        had = (ROOT / "runner/gate/shapes/open_metrics.cpp").read_text(encoding="utf-8")
        used = set(re.findall(r"kbench_\w+", query))
        self.assertEqual(used, {"kbench_evaluations", "kbench_row_seconds_sum", "kbench_row_seconds_count"})
        for name in used:
            self.assertIn(f"{name} {{}}" if "row" in name else f"{name}{{{{", had)


if __name__ == "__main__":
    client_case.main()
