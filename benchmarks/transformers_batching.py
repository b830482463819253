"""The continuous batching of Hugging Face transformers, synchronous and asynchronous.

A Llama of the sizes of one of our random models, its weights random as well: nothing is
downloaded. The same number of requests of the same lengths as our own runs beside it.
"""

import random
import time
from typing import Any

import torch

from benchmarks.steady import OUTPUT, PROMPT
from engine.model.sizes import RANDOM

UNREACHABLE = 1 << 20
"""An end-of-sequence id that no token has: every request runs to its full length."""


def installed() -> str:
    """The version of transformers; empty where there is none."""
    try:
        import transformers
    except ImportError:
        return ""
    return str(transformers.__version__)


def random_llama(name: str) -> Any:  # noqa: ANN401 - the library has types of its own
    """A causal Llama of one of our sizes, with random weights in bf16, on the GPU."""
    from transformers import AutoModelForCausalLM, LlamaConfig

    size = RANDOM[name]
    config = LlamaConfig(
        vocab_size=size.vocab, hidden_size=size.dim, intermediate_size=size.ff_dim,
        num_hidden_layers=size.n_layers, num_attention_heads=size.n_heads,
        num_key_value_heads=size.n_kv_heads, head_dim=size.head_dim,
        max_position_embeddings=size.max_positions, rope_theta=size.rope_theta,
    )  # fmt: skip
    with torch.device("cuda"):
        model = AutoModelForCausalLM.from_config(
            config, dtype=torch.bfloat16, attn_implementation="sdpa"
        )
    return model.eval()


def seconds(model: Any, batch: int, asynchronous: bool) -> tuple[float, list[list[int]]]:  # noqa: ANN401
    """Wall time of one batch of requests (s), and the tokens of each, sorted (its ids differ
    from run to run). The first run warms up and is not counted."""
    from transformers.generation import ContinuousBatchingConfig, GenerationConfig

    dice = random.Random(0)
    prompts = [[dice.randrange(256) for _ in range(PROMPT)] for _ in range(batch)]
    generation = GenerationConfig(
        max_new_tokens=OUTPUT, do_sample=False, eos_token_id=UNREACHABLE, pad_token_id=0
    )
    batching = ContinuousBatchingConfig(use_async_batching=asynchronous, use_cuda_graph=True)
    for _ in range(2):
        torch.cuda.synchronize()
        began = time.perf_counter()
        outputs = model.generate_batch(
            inputs=prompts, generation_config=generation, continuous_batching_config=batching,
            progress_bar=False,
        )  # fmt: skip
        torch.cuda.synchronize()
        took = time.perf_counter() - began
    return took, sorted(list(output.generated_tokens) for output in outputs.values())
