"""Documents changed by their structure, through every reader of data: an answer or a worded error, in short time."""

from __future__ import annotations

import random

import pytest

from ..fuzz.many import Figures, read_many
from ..fuzz.readers import READERS

_INPUTS = 150


@pytest.mark.parametrize("name", READERS)
def test_nothing_breaks_a_reader(name: str) -> None:
    reader, figures = READERS[name], Figures()
    read_many(reader, tuple(reader.seeds()), random.Random(13), _INPUTS, figures)
    assert figures.inputs == _INPUTS
    assert not figures.broken


@pytest.mark.parametrize("name", READERS)
def test_what_the_inputs_are_made_of_is_read(name: str) -> None:
    """Inputs are changed documents that the readers take: without a change each gives an answer."""
    for data in READERS[name].seeds():
        READERS[name].read_one(data)
