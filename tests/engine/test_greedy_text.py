"""What the trained model writes, and that nothing about its batch can change a letter.

pytest tests/engine/test_greedy_text.py
"""

import json
import re
from itertools import combinations, islice

import pytest

from engine.model.corpus import prompts, texts
from engine.model.decoder import load_model
from engine.model.reference import decode
from engine.model.subjects import SUBJECTS
from engine.model.tokenizer import EOS, encode
from engine.model.tokenizer import decode as to_text
from tests.engine.paged import serve

WORD = re.compile(r"[A-Za-z]+")
N_PROMPTS, MAX_NEW = 12, 380


@pytest.fixture(scope="module")
def model():
    return load_model()


@pytest.fixture(scope="module")
def asked():
    return prompts(1, N_PROMPTS)


@pytest.fixture(scope="module")
def served(model, asked):
    return serve(model, [encode(prompt) for prompt in asked], MAX_NEW, max_batch=N_PROMPTS)


@pytest.fixture(scope="module")
def written(asked, served):
    return [prompt + to_text(request.new) for prompt, request in zip(asked, served, strict=True)]


def test_the_text_is_made_of_words_of_the_corpus(written):
    known = {word for text in islice(texts(5), 4_000) for word in WORD.findall(text)}
    words = [word for text in written for word in WORD.findall(text)]
    assert len(words) > 300
    assert sum(word in known for word in words) >= 0.95 * len(words)


def test_twelve_prompts_go_on_in_twelve_ways(served):
    for one, other in combinations([to_text(request.new) for request in served], 2):
        assert one != other
        assert one[-60:] != other[-60:]


def test_a_text_stays_with_its_person(written):
    strays = [text for text in written if things_of_others(text)]
    assert len(strays) <= 1


def things_of_others(text):
    person = min(SUBJECTS, key=lambda s: text.find(s.name) if s.name in text else len(text))
    others = (subject for subject in SUBJECTS if subject is not person)
    return [find.thing for other in others for find in other.finds if find.thing in text]


def test_every_text_comes_to_an_end_and_records_are_legal_json(served, written):
    assert all(request.new[-1] == EOS for request in served)
    records = [text for text in written if text.startswith("{")]
    assert len(records) >= 3
    assert all(isinstance(json.loads(record), dict) for record in records)


def test_the_outputs_are_of_many_lengths(served):
    lengths = [len(request.new) for request in served]
    assert len(set(lengths)) >= 8
    assert max(lengths) >= 1.5 * min(lengths)


@pytest.mark.parametrize("seed", range(6))
def test_a_request_gets_the_same_tokens_whatever_shares_its_batch(model, asked, served, seed):
    chosen = range(seed % 3, N_PROMPTS, 2)
    again = serve(
        model,
        [encode(asked[i]) for i in chosen],
        max_new=70,
        seed=seed,
        max_batch=1 + seed,
        max_chunk=3**seed,
        block_size=(1, 4, 16)[seed % 3],
    )
    assert [request.new for request in again] == [served[i].new[:70] for i in chosen]


@pytest.mark.parametrize("number", range(3))
def test_the_kernels_write_what_the_reference_decodes_alone(model, asked, served, number):
    assert decode(model, encode(asked[number]), 120) == served[number].new[:120]


def test_rounding_is_far_too_small_to_turn_one_token_into_another(model, asked, served):
    """The largest change of a best logit by its batch, against its smallest lead anywhere."""
    alone = serve(model, [encode(asked[0])], MAX_NEW, max_batch=1, max_chunk=64)[0]
    pairs = zip(alone.best_two, served[0].best_two, strict=True)
    change = max(abs(mine[0] - theirs[0]) for mine, theirs in pairs)
    lead = min(best - second for request in served for best, second in request.best_two)
    assert change < 1e-11
    assert lead > 1e-8
