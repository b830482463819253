"""The bundled samples are what this engine makes today, and each can be opened."""

import pytest

from engine import configure, execute
from engine.make_samples import ENGINE_SAMPLES, FOLDER, STEPS
from traces import list_samples, open_sample, trace_bytes


@pytest.mark.parametrize("mode", ENGINE_SAMPLES)
def test_an_engine_sample_is_what_the_engine_makes_today(mode):
    made = trace_bytes(execute(configure(mode, steps=STEPS)).trace)
    bundled = (FOLDER / f"engine-{mode}.json.gz").read_bytes()
    assert made == bundled, "run `python -m engine.make_samples`"


def test_every_sample_opens_and_is_described():
    samples = list_samples()
    assert len(samples) == len(ENGINE_SAMPLES) + 1
    for sample in samples:
        assert sample.title and sample.about
        assert len(open_sample(sample).spans) > 100
