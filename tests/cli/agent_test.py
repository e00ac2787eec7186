"""kbench agent run: what is refused before anything is measured. Episodes are in agent_episode_test."""

import os

import cli_case
from cli_case import INFRASTRUCTURE, NOTHING_SELECTED, USAGE

URL = "http://127.0.0.1:9/v1"


class RefusedTest(cli_case.CliCase):
    def run_agent(self, *words, **environment):
        return self.kbench("agent", "run", *words, **environment)

    def test_an_endpoint_that_is_none(self):
        for url, words in [("http://me:secret@host/v1", "a user or a password"),
                           ("ftp://host", "no address of a server"),
                           ("http://host:99999", "port")]:
            with self.subTest(url=url):
                result = self.run_agent("--endpoint", url, "--model", "m", "--task", "relu")
                self.assert_fails(result, USAGE, words)

    def test_whom_this_machine_trusts_is_a_file(self):
        (self.folder / "trusted.pem").write_text("nobody\n")
        for name in ("trusted.pem", "none.pem"):
            result = self.run_agent("--endpoint", "https://localhost:9/v1", "--model", "m", "--task", "relu",
                                    SSL_CERT_FILE=str(self.folder / name))
            self.assert_fails(result, USAGE, f"{name} holds no certificates")

    def test_where_nobody_answers_nothing_is_measured(self):
        result = self.run_agent("--endpoint", URL, "--model", "m", "--task", "level1/019_relu", "--suite",
                                cli_case.TINY, "--device", "cpu")
        self.assert_fails(result, INFRASTRUCTURE, "the endpoint does not answer: ", "nothing was measured")
        self.assertEqual(list(self.folder.glob("*.sqlite*")), [])

    def test_what_has_to_be_named(self):
        self.assert_fails(self.run_agent("--model", "m", "--task", "relu"), USAGE, "--endpoint")
        self.assert_fails(self.run_agent("--endpoint", URL, "--task", "relu"), USAGE, "needs a model")
        self.assert_fails(self.run_agent("--endpoint", URL, "--model", "m"), USAGE, "needs a model")
        self.assert_fails(self.run_agent("--endpoint", URL, "--model", "m", "--task", "level9/*"),
                          NOTHING_SELECTED)
        self.assert_fails(self.run_agent("--endpoint", URL, "--resume", "latest", "--db",
                                         "none.sqlite"), USAGE, "no such database")

    def test_a_key_is_named_and_never_typed(self):
        common = ("--endpoint", URL, "--model", "m", "--task", "level1/019_relu")
        self.assert_fails(self.run_agent(*common, "--key", "sk-1"), USAGE, "--key")
        self.assert_fails(self.run_agent(*common, "--key-env", "NO_SUCH_VARIABLE"), USAGE,
                          "the variable NO_SUCH_VARIABLE holds no key")
        key = self.folder / "key"
        key.write_text("sk-secret\n")
        os.chmod(key, 0o644)
        result = self.run_agent(*common, "--key-file", str(key))
        self.assert_fails(result, USAGE, "may be read by others", "chmod 600")
        self.assertNotIn("sk-secret", result.stderr)

    def test_limits_are_numbers(self):
        for words in [("--turns", "0"), ("--window", "10"), ("--parallel", "0"), ("--style", "chat"),
                      ("--temperature", "hot"), ("--seed", "-1")]:
            with self.subTest(words=words):
                self.assert_fails(self.run_agent("--endpoint", URL, "--model", "m", "--task", "relu",
                                                 *words), USAGE)


if __name__ == "__main__":
    cli_case.main()
