"""The training command, with models that are small. Run: pytest tests/engine/test_train.py"""

from dataclasses import replace

import pytest
import torch

from engine import train as training
from engine.model.tokenizer import BOS, EOS, PLACEHOLDER
from engine.model.weights import ModelConfig, load
from engine.train import Settings, batch_at, main, rate_at, train

TINY = ModelConfig(n_layers=1, dim=16, n_heads=2, head_dim=8, ff_dim=16)
SETTINGS = Settings(steps=6, batch=4, seed=5, config=TINY)


def equal(one, other):
    return all(torch.equal(one[name], other[name]) for name in one)


def ignore(done, loss):
    pass


def test_a_stopped_run_goes_on_from_its_checkpoint_as_if_nothing_had_happened(tmp_path):
    def interrupt_after_five(done, loss):
        if done == 5:
            raise KeyboardInterrupt

    halves, seen = tmp_path / "halves.pt", []
    whole = train(SETTINGS, tmp_path / "whole.pt", ignore)
    with pytest.raises(KeyboardInterrupt):
        train(SETTINGS, halves, interrupt_after_five, checkpoint_every=2)
    resumed = train(SETTINGS, halves, lambda done, loss: seen.append(done))
    assert seen == [5, 6]
    assert equal(whole, resumed)


def test_a_finished_run_is_not_trained_again(tmp_path):
    seen = []
    first = train(SETTINGS, tmp_path / "c.pt", ignore)
    assert equal(first, train(SETTINGS, tmp_path / "c.pt", lambda done, loss: seen.append(done)))
    assert seen == []


def test_a_checkpoint_of_other_settings_is_not_used(tmp_path):
    train(replace(SETTINGS, steps=2), tmp_path / "c.pt", ignore)
    fresh = train(SETTINGS, tmp_path / "none.pt", ignore)
    assert equal(fresh, train(SETTINGS, tmp_path / "c.pt", ignore))


def test_a_damaged_checkpoint_is_named_with_the_way_out(tmp_path):
    (tmp_path / "c.pt").write_bytes(b"half a file")
    with pytest.raises(ValueError, match=r"c\.pt cannot be read.*--fresh"):
        train(SETTINGS, tmp_path / "c.pt", ignore)


def test_the_loss_falls(tmp_path):
    losses = []
    settings = replace(SETTINGS, steps=120, learning_rate=0.01)
    train(settings, tmp_path / "c.pt", lambda done, loss: losses.append(loss))
    assert len(losses) == 120
    assert losses[-1] < 0.8 * losses[0]


def test_a_batch_depends_on_step_and_seed_alone_and_holds_whole_texts():
    batch = batch_at(19, SETTINGS)
    assert torch.equal(batch, batch_at(19, SETTINGS))
    assert not torch.equal(batch[:, :50], batch_at(19, replace(SETTINGS, seed=6))[:, :50])
    for row in batch.tolist():
        text = row[: row.index(EOS) + 1]
        assert text[0] == BOS
        assert PLACEHOLDER not in text
        assert set(row[len(text) :]) <= {PLACEHOLDER}


def test_the_learning_rate_rises_and_then_falls_to_nearly_nothing():
    settings = Settings(steps=1000)
    rates = [rate_at(step, settings) for step in range(1000)]
    top = rates.index(max(rates))
    assert 0 < top < 100
    assert rates[: top + 1] == sorted(rates[: top + 1])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    assert 0 < rates[-1] < 0.05 * max(rates)


def test_the_command_writes_weights_and_shows_loss_and_three_continuations(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(training, "_SHOWN_TOKENS", 5)
    out, checkpoint = tmp_path / "m.safetensors", tmp_path / "c.pt"
    main([f"--out={out}", f"--checkpoint={checkpoint}", "--steps=2", "--batch=2", "--fresh"])
    config, _ = load(out)
    printed = capsys.readouterr().out.splitlines()
    assert config == ModelConfig()
    assert "loss on unseen text" in printed[1]
    assert sum("|" in line for line in printed) == 3


def test_a_senseless_number_of_steps_is_refused(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["--steps=0"])
    assert "--steps must be at least 1" in capsys.readouterr().err
