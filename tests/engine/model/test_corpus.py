"""The generated texts and prompts. Run: pytest tests/engine/model/test_corpus.py"""

import json
from collections import Counter
from itertools import islice
from random import Random

import pytest

from engine.model.corpus import (
    MAX_TEXT_BYTES,
    UNFINISHED_BYTES,
    prompts,
    record,
    story,
    texts,
    unfinished,
)
from engine.model.subjects import SUBJECTS
from engine.model.tokenizer import encode

SAMPLE = list(islice(texts(7), 2_000))


def is_record(text):
    return text.startswith("{")


def test_the_same_seed_gives_the_same_texts_and_prompts_and_another_seed_others():
    assert list(islice(texts(7), 50)) == SAMPLE[:50]
    assert list(islice(texts(8), 50)) != SAMPLE[:50]
    assert prompts(3, 20) == prompts(3, 20) != prompts(4, 20)


def test_texts_are_short_ascii_that_the_tokenizer_takes():
    assert all(100 <= len(encode(text)) - 1 <= MAX_TEXT_BYTES for text in SAMPLE)
    assert all(text.isascii() for text in SAMPLE)


def test_records_are_legal_json_objects_of_one_line():
    records = [text for text in SAMPLE if is_record(text)]
    assert 0.2 < len(records) / len(SAMPLE) < 0.4
    assert all(isinstance(json.loads(text), dict) and "\n" not in text for text in records)


def test_stories_are_sentences_that_begin_with_a_capital_and_end_with_a_stop():
    stories = [text for text in SAMPLE if not is_record(text)]
    assert all(text[0].isupper() and text[-1] in '."' for text in stories)
    assert not any("  " in text or "{" in text or "}" in text for text in stories)


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_a_text_is_about_its_person_and_a_story_remembers_its_thing(subject):
    rng = Random(1)
    for _ in range(40):
        text = story(rng, subject)
        mentions = [text.count(find.thing) for find in subject.finds]
        assert subject.name in text
        assert sorted(mentions)[:-1] == [0] * (len(mentions) - 1)
        assert max(mentions) >= 2
        assert subject.name in json.loads(record(rng, subject)).values()


def test_no_two_people_share_anything_that_is_theirs():
    own = Counter(
        item
        for subject in SUBJECTS
        for item in (
            *(subject.name, subject.job, subject.home, subject.pet, subject.food, subject.when),
            *subject.habits,
            *(find.thing for find in subject.finds),
        )
    )
    assert [item for item, count in own.items() if count > 1] == []
    assert len(SUBJECTS) >= 20


def person_of(prompt):
    named = [subject.name for subject in SUBJECTS if subject.name in prompt]
    return min(named, key=prompt.index)


@pytest.mark.parametrize("seed", range(20))
def test_prompts_are_short_name_their_person_and_share_none_before_all_had_their_turn(seed):
    found = prompts(seed, len(SUBJECTS))
    assert len({person_of(prompt) for prompt in found}) == len(SUBJECTS)
    assert all(12 <= len(prompt) <= 40 for prompt in found)
    assert 6 <= sum(map(is_record, found)) <= 10


def test_more_prompts_than_people_can_be_had():
    assert len(prompts(0, 100)) == 100
    assert prompts(0, 0) == []


def test_unfinished_texts_lack_only_their_last_words():
    whole = list(islice(texts(3), 3000))
    cut = list(islice(unfinished(3), 20))
    assert cut == list(islice(unfinished(3), 20))
    assert all(len(text) <= UNFINISHED_BYTES for text in cut)
    for text in cut:
        ends = [full[len(text) :] for full in whole if full.startswith(text)]
        assert any(ending[0] == " " and 8 <= len(ending) <= 90 for ending in ends)
