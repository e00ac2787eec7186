"""Reinforcement learning against kbench, small enough for a CPU: TRL's GRPO, ten steps.

    pip install trl
    python3 trl_example.py                # starts `kbench serve` itself, and trains
    KBENCH_URL=http://127.0.0.1:8377 KBENCH_TOKEN=… python3 trl_example.py   # of a server that runs

The model is random and has two layers: its one token says which of eight kernels is handed in, two of
which are right. What it learns is to name those; all else is as with a model that writes kernels itself,
and of that only the marked lines differ: name it instead of `tiny_model()`, take out `as_answer`, and let
prompts be what `kbench tasks prompt TASK` prints.
"""

import argparse
import contextlib
import os
import pathlib
import secrets
import subprocess
import tempfile

import kbench_reward
from datasets import Dataset
from scripted_endpoint import RIGHT, TASK
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, TrainerCallback,
                          set_seed)
from trl import GRPOConfig, GRPOTrainer

FORMULA = "in->x[i] < 0 ? 0 : in->x[i]"
KERNELS = [
    RIGHT,
    RIGHT.replace(FORMULA, "in->x[i] > 0 ? in->x[i] : 0"),
    RIGHT.replace(FORMULA, "in->x[i]"),
    RIGHT.replace(FORMULA, "in->x[i] < 0 ? -in->x[i] : in->x[i]"),
    RIGHT.replace(FORMULA, "i % 1000 == 7 ? 1 : in->x[i]"),
    RIGHT.replace("return 0;", "return nothing;"),
    RIGHT.replace("return 0;", "return 0"),
    RIGHT.replace("#include", "#exclude"),
]


@contextlib.contextmanager
def server(program, database):
    """A server for as long as it is needed, and one token for it; none where there is one."""
    if os.environ.get("KBENCH_URL"):
        yield
        return
    with tempfile.TemporaryDirectory() as folder:
        token = secrets.token_hex(32)
        tokens = pathlib.Path(folder, "tokens")
        tokens.touch(mode=0o600)
        tokens.write_text(f"trl evaluate {token}\n", encoding="ascii")
        process = subprocess.Popen(
            [program, "serve", "--port", "0", "--device", "cpu", "--trust-estimates", "--db", database,
             "--tokens", str(tokens)], stdout=subprocess.PIPE, text=True)
        try:
            # Its first line is its address.
            os.environ["KBENCH_URL"] = process.stdout.readline().strip()
            os.environ["KBENCH_TOKEN"] = token
            yield
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()


def tiny_model():
    """A random model and its tokenizer, whose words are the names of the kernels."""
    words = ["<pad>", "<eos>", "<unk>", "relu", *(f"kernel{i}" for i in range(len(KERNELS)))]
    core = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=core, pad_token="<pad>", eos_token="<eos>",
                                        unk_token="<unk>")
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=len(words), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=2, pad_token_id=0, eos_token_id=1, bos_token_id=None))
    return model, tokenizer


def as_answer(completion):
    """What a model that writes kernels would have said."""
    name = completion.strip()
    if not name.startswith("kernel"):
        return "I do not know."
    return f"```cpp\n{KERNELS[int(name.removeprefix('kernel'))]}```\n"


def reward(prompts, completions, **columns):
    return kbench_reward.reward(prompts, [as_answer(one) for one in completions], **columns)


class Report(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **_):
        if "reward" in (logs or {}):
            print(f"step {state.global_step}  mean reward {logs['reward']:+.3f}", flush=True)


def train(steps, seed):
    set_seed(seed)
    model, tokenizer = tiny_model()                                   # else: the name of yours
    trainer = GRPOTrainer(
        model=model, processing_class=tokenizer,
        reward_funcs=reward,                                          # else: kbench_reward.reward
        train_dataset=Dataset.from_list([{"prompt": "relu", "task": TASK}] * 64),
        callbacks=[Report()],
        args=GRPOConfig(
            output_dir="trl", max_steps=steps, per_device_train_batch_size=16, num_generations=16,
            max_completion_length=1, learning_rate=5e-3, lr_scheduler_type="constant", beta=0.0,
            logging_steps=1, save_strategy="no", report_to=[], disable_tqdm=True, use_cpu=True,
            bf16=False, seed=seed))
    trainer.train()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kbench", default="kbench", help="the program")
    parser.add_argument("--db", default="trl.sqlite", help="where rows are stored")
    options = parser.parse_args()
    with server(options.kbench, options.db):
        train(options.steps, options.seed)


if __name__ == "__main__":
    main()
