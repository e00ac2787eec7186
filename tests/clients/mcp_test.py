"""An episode by the tools alone, with the Model Context Protocol's own client, in both eras, over HTTP
and on standard streams. It measures.
"""

import client_case

client_case.enter("mcp")

import contextlib  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402

import anyio  # noqa: E402
import cli_case  # noqa: E402
import httpx2  # noqa: E402
from client_case import TASK, ClientCase  # noqa: E402
from mcp import Client  # noqa: E402
from mcp.client.stdio import StdioServerParameters  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402
from serve_case import ANN, WRONG  # noqa: E402

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}


class EpisodeTest(ClientCase):
    async def episode(self, client):
        """From the list of tasks to a rewarded row. What is wrong comes first, as with an agent."""

        async def call(tool, wanted=False, **arguments):
            while True:
                result = await client.call_tool(tool, arguments)
                value = json.loads(result.content[0].text)
                if value.get("state") in ("queued", "running"):
                    continue
                self.assertEqual(result.is_error, wanted, value)
                return value

        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        self.assertLessEqual({"list_tasks", "open_workspace", "read", "write", "edit", "compile",
                              "verify", "submit"}, set(tools))
        self.assertEqual(tools["submit"].input_schema["required"], ["workspace"])
        listed = await call("list_tasks", pattern="level1/019*")
        self.assertEqual([one["task"] for one in listed["tasks"]], [TASK])
        work = (await call("open_workspace", task=TASK, size="small"))["workspace"]
        self.assertIn("kbench_forward", (await call("read", workspace=work, path="TASK.md"))["text"])
        await call("compile", wanted=True, workspace=work)  # there is nothing yet
        await call("write", workspace=work, path="kernels/kernel.cpp", text=WRONG)
        self.assertEqual((await call("compile", workspace=work))["state"], "ok")
        self.assertEqual((await call("verify", workspace=work))["state"], "wrong_result")
        await call("edit", workspace=work, path="kernels/kernel.cpp", old="i % 1000 == 7 ? 1",
                   new="in->x[i] < 0 ? 0")
        self.assertEqual((await call("verify", workspace=work))["state"], "ok")
        submitted = await call("submit", workspace=work)
        self.assertEqual(submitted["row"]["state"], "ok")
        self.assertIn(submitted["row"]["reward"]["value"], (1, 2))
        self.assertEqual(await call("submit", workspace=work), submitted)
        await call("read", wanted=True, workspace="0" * 32, path="TASK.md")
        return submitted

    def play(self, make):
        """The same episode in each era; `make(mode)` is a context of a client."""

        async def all_of_them():
            rows = []
            for mode, version in ERAS.items():
                async with make(mode) as client:
                    self.assertEqual(client.protocol_version, version)
                    self.assertEqual(client.server_info.name if client.server_info else "kbench",
                                     "kbench")
                    rows.append(await self.episode(client))
            return rows
        rows = anyio.run(all_of_them)
        self.assertEqual(rows, rows[:1] * len(ERAS), "the same files are measured once")
        self.assertEqual(len(self.stored_rows("milestone_sure")), 1)

    def test_over_http(self):
        server = self.serve()

        @contextlib.asynccontextmanager
        async def make(mode):
            authorization = {"Authorization": f"Bearer {ANN}"}
            async with httpx2.AsyncClient(headers=authorization, timeout=120) as http:
                transport = streamable_http_client(server.url + "/mcp", http_client=http)
                async with Client(transport, mode=mode) as client:
                    yield client
        self.play(make)
        self.assertEqual(server.end(), cli_case.GOOD, self.log())

    def test_on_standard_streams(self):
        environment = {"HOME": str(self.folder), "KBENCH_CACHE": str(cli_case.CACHE),
                       "KBENCH_TORCH": str(self.folder), "PATH": os.environ["PATH"]}

        def make(mode):
            return Client(StdioServerParameters(command=str(cli_case.KBENCH),
                                                args=["mcp", "--device", "cpu"],
                                                cwd=self.folder, env=environment), mode=mode)
        self.play(make)


if __name__ == "__main__":
    client_case.main()
