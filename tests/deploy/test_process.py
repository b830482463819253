"""A process of a class's server turns every switch once before the first learner comes."""

from deploy import process
from engine.mechanisms.table import TABLE, encode
from engine.modes.table import MODES
from lab.timeline.state import DEFAULT_MODE, mode_toggles


def test_each_other_value_of_each_switch_is_run_once(monkeypatch):
    run = []
    monkeypatch.setattr(process, "study_of", run.append)
    process.turn_every_switch()
    turned = [
        (name, encode(getattr(config.mechanisms, name)))
        for config in run
        for name, usual in mode_toggles(MODES[DEFAULT_MODE]).items()
        if encode(getattr(config.mechanisms, name)) != usual
    ]
    assert len(turned) == len(run) == len({config.key() for config in run})
    assert set(turned) == {
        (info.name, value) for info in TABLE for value in info.values if value != info.correct
    }
