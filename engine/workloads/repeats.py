"""Prompts that begin their own text again: drafts from what stood before are often right.

What this module does not know: how drafts are found (`engine.drafting`).
"""

_RECORD = '{"owner": "Zora", "thing": "fallen meteorite", "place": "in the desert", "seen": true}'

_BEGUN: tuple[tuple[str, int, int], ...] = (
    (_RECORD, 27, 56),
    ("Lena the doctor lived above the village clinic with a spaniel named Pulse.", 27, 48),
    ("Kofi, a drummer aged 30, lived near the bus station with a snake named Snare.", 27, 16),
    ('{"owner": "Tess", "thing": "velvet bookmark", "seen": true}', 22, 40),
    ("Felix, a postman aged 26, lived at the railway crossing.", 31, 48),
    ('{"name": "Yara", "job": "diver", "habits": ["held her breath"]}', 23, 40),
    ("Wren the shepherd lived in a stone hut.", 20, 32),
    ("Otto the fisher lived by the harbour.", 10, 24),
)

REPEATS = tuple((f"{text}\n{text[:begun]}", length) for text, begun, length in _BEGUN)
"""(prompt, longest output in tokens)"""
