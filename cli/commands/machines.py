"""``ai-estimate machines``: the catalog, every figure of some machines, or this machine measured."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.errors import OptionError
from analyzer.near_names import did_you_mean
from roofline.catalog import example_machine, find_machine, load_catalog

from ..colors import colors_allowed, shows_colors
from ..output import write_report
from ..parser import machines_parser
from ..render.text.machines import catalog_json, catalog_sheet, machine_sheets, machines_json
from ..render.typesetting.sheet import render_plain, render_rich

_ACTIONS = ("list", "show", "example", "measure", "import")


def run_machines(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code; an unknown machine raises ``MachineError``."""
    if arguments[:1] == ["measure"]:
        from .measure import run_measure

        return run_measure(arguments[1:])
    if arguments[:1] == ["import"]:
        from .import_machine import run_import

        return run_import(arguments[1:])
    if arguments and arguments[0].isalpha() and arguments[0] not in _ACTIONS:
        name = arguments[0]
        others = f"write machines show {name}, or one of {', '.join(_ACTIONS)}"
        known = [f"show {machine}" for machine in load_catalog().ids]
        hint = did_you_mean(name, _ACTIONS) or did_you_mean(f"show {name}", known, least_alike=0.8) or others
        raise OptionError(f"machines does not know {name}", hint=hint)
    options = machines_parser().parse_args(arguments)
    names = [part for name in options.names for part in name.split(",") if part]
    if options.action == "list":
        if names:
            raise OptionError(f"machines list takes no name, but {names[0]} is given", hint="write machines show NAME")
        catalog = load_catalog()
        machines = [catalog.machine(name) for name in catalog.ids]
    elif options.action == "example":
        write_report(example_machine(), options.output)
        return 0
    elif names:
        machines = [find_machine(name) for name in names]
    else:
        raise OptionError("machines show needs a name", hint="ai-estimate machines lists them")
    colors = False
    if options.format == "json":
        text = catalog_json(machines) if options.action == "list" else machines_json(machines)
    else:
        sheets = [catalog_sheet(machines)] if options.action == "list" else machine_sheets(machines)
        drawn = options.output is None and shows_colors()
        colors = drawn and colors_allowed(no_color=options.no_color)
        text = render_rich(sheets, color=colors) if drawn else render_plain(sheets)
    write_report(text, options.output, colors=colors)
    return 0
