"""The page of options and configuration keys is what the parsers and the configuration say."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.main import COMMANDS
from tests.option_tables import page

PAGE = Path(__file__).parents[2] / "cli" / "OPTIONS.md"


def test_the_page_of_options_is_that_of_the_parsers(request: pytest.FixtureRequest) -> None:
    found = page()
    if request.config.getoption("--update-goldens"):
        PAGE.write_text(found)
    assert PAGE.read_text() == found


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_table(command: str) -> None:
    assert f"\n## `ai-estimate {'FILE...' if command == 'analyze' else command}`\n" in page()
