"""The table of mechanisms: every value there and back as text, and what is refused."""

from dataclasses import fields, replace

import pytest

from engine.mechanisms.table import (
    ASYNC,
    BY_NAME,
    MOST,
    SYNC,
    TABLE,
    MechanismError,
    Mechanisms,
    encode,
    parse,
)

EVERY_VALUE = [(info.name, value) for info in TABLE for value in info.values]
NUMBERS = [info.name for info in TABLE if info.is_number]


@pytest.mark.parametrize(("name", "value"), EVERY_VALUE)
def test_every_value_goes_through_text_unharmed(name, value):
    parsed = parse(name, value)
    assert encode(parsed) == value
    mechanisms = ASYNC.with_settings({name: value})
    assert getattr(mechanisms, name) == parsed
    assert Mechanisms().with_settings(mechanisms.settings()) == mechanisms


@pytest.mark.parametrize(("name", "value"), EVERY_VALUE)
def test_only_what_is_wrong_is_a_setting(name, value):
    settings = ASYNC.with_settings({name: value}).settings()
    assert settings == ({} if value == BY_NAME[name].correct else {name: value})


@pytest.mark.parametrize("info", TABLE, ids=lambda info: info.name)
def test_every_mechanism_is_explained(info):
    assert info.values[0] == info.correct
    assert len(set(info.values)) == len(info.values) > 1
    assert info.group and info.protects.endswith(".") and info.seen_when_wrong


@pytest.mark.parametrize("info", TABLE, ids=lambda info: info.name)
def test_a_value_has_the_type_of_its_field(info):
    wanted = {field.name: type(field.default) for field in fields(Mechanisms)}[info.name]
    assert {type(parse(info.name, value)) for value in info.values} == {wanted}


def test_the_correct_engines_are_the_defaults_and_depth_one():
    assert ASYNC.settings() == {}
    assert SYNC.settings() == {"depth": "1"}
    assert replace(SYNC, depth=2) == ASYNC


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_go_from_one_to_their_limit(name):
    assert [parse(name, text) for text in ("1", "17", str(MOST))] == [1, 17, MOST]
    for text in ("0", str(MOST + 1), "-1", "1.5", "", "two", "on", " 2", "²"):
        with pytest.raises(MechanismError, match=f"^{name} must be a whole number from 1 to"):
            parse(name, text)


@pytest.mark.parametrize("name", [info.name for info in TABLE if not info.is_number])
def test_an_unknown_value_is_refused_with_the_known_ones(name):
    known = ", ".join(BY_NAME[name].values)
    for text in ("", "true", "ON", "1"):
        with pytest.raises(MechanismError) as refusal:
            parse(name, text)
        assert str(refusal.value) == f"{name} must be one of {known}, not {text!r}"


@pytest.mark.parametrize("name", ["", "wait", "WAIT_H2D", "__class__"])
def test_an_unknown_name_is_refused_in_one_sentence(name):
    with pytest.raises(MechanismError) as refusal:
        ASYNC.with_settings({name: "on"})
    assert str(refusal.value) == f"no mechanism {name!r}: `python -m engine mechanisms` lists them"
