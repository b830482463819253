"""Texts that lack only their last words: the model ends most of them by EOS within a few steps.

Two have a longest length below what they lack, and end by it. Each comes with that length.
"""

ENDINGS: tuple[tuple[str, int], ...] = (
    (
        "There was a sailor named Silas who lived aboard a tarred schooner. But",
        19,
    ),
    (
        '{"owner": "Lena", "thing": "skeleton chart", "seen": true, "witness": '
        '{"name": "Quentin", "job": "violinist"}, "place": "behind the curtain", '
        '"story": ["misread", "that feve',
        24,
    ),
    (
        '{"owner": "Yara", "thing": "sunken bell", "seen": true, "witness": {"name": '
        '"Clem", "job": "carpenter"}, "place": "beyond the buoy", "story": '
        '["traced", "at ',
        24,
    ),
    (
        '{"owner": "Greta", "thing": "tiny seascape", "place": "above the piano", '
        '"story": ["framed", "one misty Thursday"], "seen": true, "witness": '
        '{"name": "Si',
        16,
    ),
    (
        '{"owner": "Juno", "thing": "feathered mask", "place": "from the clown", '
        '"story": ["borrowed", "before the gala"], "seen": true, "witness": {"name": '
        '"Otto", "job": ',
        24,
    ),
)
