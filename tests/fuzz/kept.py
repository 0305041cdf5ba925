"""Kept results, damaged: without the key every change is a miss; with it the report is as it was, or another valid one.

    python -m tests.fuzz.kept [COUNT] [--seed N] [--kind KIND | --only-decode]

Entries of several kinds of sources and options are changed, and the command runs again each time.  What is changed
without the key (bits, lengths, entries under other names, the key itself) has to be found missing, and gives the report
of a fresh analysis.  What is changed in the JSON and sealed again with the right key may be believed where its types
and ranges are right, since no check can tell one count from another: the report is then any valid one.  The exit status
is 1 where something else happened.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
from msgspec import Struct

from cli.cache.codec import CodecError, decode
from cli.cache.private import private_folder
from cli.cache.seal import key_in, sealed, unsealed
from cli.cache.store import Store, compressed, decompressed
from cli.main import main as command

ROOT = Path(__file__).parents[2]
_DIAGNOSED = """
int g(int);
// ai-estimate: hot, min-ai=0.4, bound=memory, assume n=4096, ignore[AI105]
void f(int n, int *idx, double *a, double *b)
{
  for (int i = 0; i < n; i++) {
    if (a[i] > 0) a[idx[i]] += b[i / 2] * g(i);
    while (b[i] > 1) b[i] *= 0.5;
  }
}
"""
_TEXTS = ("", "x", "AI213", "AI999", "n", "\ud800", "\x1b[2J", "\x00", "analyzer.profile:FileProfile", "x" * 10**5)
_NUMBERS = (0, 1, -1, 7, 2**31, 2**63, -(2**63), 10**400, 0.5, -0.5, 1e308, 5e-324)
_VALUES = (*_TEXTS, *_NUMBERS, None, True, False)
_TOLD = ("table", "text", "markdown", "json", "html")
_CHECKED = ("text", "json", "sarif", "github", "gitlab", "junit")


class Case(Struct, frozen=True):
    """A source, options, and the formats that share one kept result."""

    file: str
    options: tuple[str, ...]
    formats: tuple[str, ...]


class Shown(Struct, frozen=True):
    """What a run left."""

    code: int
    stdout: str
    stderr: str


CASES = (
    Case("corpus/stencil7/kernel.c", (), _TOLD),
    Case("corpus/stencil7/kernel.c", ("--machine", "haswell", "-D", "N=200"), _TOLD),
    Case("corpus/loops/trsv.c", ("--machine", "haswell", "--advise"), _TOLD),
    Case("corpus/loops/gather.c", ("--machine", "haswell"), ("csv",)),
    Case("corpus/elementwise/kernel.cpp", (), ("csv",)),
    Case("corpus/elementwise/kernel.cpp", ("--machine", "haswell", "--explain"), _TOLD),
    Case("corpus/cuda_matmul/kernel.cu", (), _TOLD),
    Case("corpus/cuda_matmul/kernel.cu", ("--machine", "v100"), _TOLD),
    Case("corpus/cuda_reduction/kernel.cu", ("--machine", "v100", "--by-line"), _TOLD),
    Case("corpus/vector_triad/README.md", (), _TOLD),
    Case("diagnosed.c", ("--machine", "haswell"), _TOLD),
    Case("diagnosed.c", ("check", "--machine", "haswell", "--exit-zero"), _CHECKED),
    Case("corpus/cuda_transpose/kernel.cu", ("check", "--machine", "v100", "--exit-zero"), _CHECKED),
)


class Entry(Struct):
    """A kept result on disk, as it was written, and the reports with it."""

    case: Case
    digest: str
    path: Path
    data: bytes
    fresh: dict[str, Shown]


class Cache:
    """A folder of kept results, one for each case."""

    def __init__(self, folder: Path, cases: Sequence[Case] = CASES) -> None:
        self.folder = folder / "kept"
        self.other_key = b"another key of thirty-two bytes."
        (folder / "diagnosed.c").write_text(_DIAGNOSED)
        os.environ["AI_ESTIMATE_CACHE_DIR"] = str(self.folder)
        self._sources = {case.file: folder if case.file == "diagnosed.c" else ROOT for case in cases}
        self.entries = [self._entry(case) for case in cases]
        with private_folder(self.folder) as opened:
            self.key = key_in(opened)

    def _entry(self, case: Case) -> Entry:
        before = set(self.folder.glob("v1/*/*"))
        fresh = {form: self.show(case, form) for form in case.formats}
        assert not any(shown.code for shown in fresh.values()), fresh
        (path,) = set(self.folder.glob("v1/*/*")) - before
        assert all(self.show(case, form) == shown for form, shown in fresh.items())
        return Entry(case, path.parent.name + path.name, path, path.read_bytes(), fresh)

    def show(self, case: Case, form: str) -> Shown:
        """Run the command in this process."""
        stdout, stderr = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
            path = self._sources[case.file] / case.file
            code = command([*case.options, str(path), "-j", "1", "--format", form])
        return Shown(code, stdout.getvalue(), stderr.getvalue())

    def text(self, entry: Entry) -> str:
        """The JSON of an entry."""
        return decompressed(unsealed(entry.data, entry.digest, self.key))

    def restore(self) -> None:
        """Put every entry back as it was."""
        key = self.folder / "key"
        if key.read_bytes() != self.key:
            key.write_bytes(self.key)
        for entry in self.entries:
            if entry.path.read_bytes() != entry.data:
                entry.path.write_bytes(entry.data)


Mutation = Callable[[Cache, Entry, random.Random], bool]


def _bits(cache: Cache, entry: Entry, chance: random.Random) -> bool:
    data = bytearray(entry.data)
    for _ in range(chance.choice((1, 1, 2, 30))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return _written(entry, bytes(data))


def _length(cache: Cache, entry: Entry, chance: random.Random) -> bool:
    cut = chance.randrange(len(entry.data))
    return _written(entry, chance.choice((entry.data[:cut], entry.data[cut:], entry.data + entry.data[:cut], b"")))


def _swap(cache: Cache, entry: Entry, chance: random.Random) -> bool:
    other = chance.choice([other for other in cache.entries if other is not entry])
    return _written(entry, other.data)


def _splice(cache: Cache, entry: Entry, chance: random.Random) -> bool:
    """The seal of one entry before the content of another."""
    other = chance.choice([other for other in cache.entries if other is not entry])
    return _written(entry, entry.data[:32] + other.data[32:])


def _forged(cache: Cache, entry: Entry, chance: random.Random) -> bool:
    """Plausible content, sealed with a key that is not the one of the folder."""
    key = chance.choice((cache.other_key, bytes(32), cache.key[::-1]))
    return _written(entry, sealed(_changed(cache, entry, chance), entry.digest, key))


def _rekeyed(cache: Cache, entry: Entry, chance: random.Random) -> bool:
    (cache.folder / "key").write_bytes(chance.choice((b"", cache.other_key, cache.key[:-1], cache.key + b"x")))
    return True


def _written(entry: Entry, data: bytes) -> bool:
    entry.path.write_bytes(data)
    return data != entry.data


def _resealed(cache: Cache, entry: Entry, chance: random.Random) -> bool:
    return _written(entry, sealed(_changed(cache, entry, chance), entry.digest, cache.key))


WITHOUT_KEY: dict[str, Mutation] = {
    "bits": _bits, "length": _length, "another entry": _swap, "seal of one, content of another": _splice,
    "another key": _forged, "key replaced": _rekeyed,
}  # fmt: skip


def _changed(cache: Cache, entry: Entry, chance: random.Random) -> bytes:
    """The content after some edits of its JSON."""
    return compressed(changed(cache.text(entry), chance))


def changed(text: str, chance: random.Random) -> str:
    """The JSON of a kept result after some edits, most of which leave JSON."""
    document = json.loads(text)
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        chance.choice((_near, _near, _near, _value, _part, _part, _node, _class))(document, chance)
    if chance.random() < 0.02:
        document[chance.choice(("nodes", "x", "classes"))] = chance.choice((*_VALUES, [], {}))
    text = json.dumps(document)
    if chance.random() < 0.05:
        cut = chance.randrange(len(text))
        text = chance.choice((text[:cut], text[:cut] + "[" * 10**5, text[:cut] + "9" * 5000 + text[cut:], "[" * 10**5))
    return text


def _value(document: Any, chance: random.Random) -> None:
    """Another number or text in place of one."""
    nodes = document["nodes"]
    number = chance.randrange(len(nodes))
    nodes[number] = chance.choice((*_VALUES, chance.choice(nodes)))


def _near(document: Any, chance: random.Random) -> None:
    """A value of the same kind in place of one: types alone find nothing wrong with it."""
    nodes = document["nodes"]
    number = chance.choice([k for k, node in enumerate(nodes) if not isinstance(node, list)] or [0])
    old = nodes[number]
    others = [node for node in nodes if type(node) is type(old)]
    near = [old + 1, old * 1000, old // 2, 0] if type(old) is int else [*_TEXTS] if isinstance(old, str) else []
    nodes[number] = chance.choice((*near, *chance.choices(others, k=3)))


def _part(document: Any, chance: random.Random) -> None:
    """Another part of a value, one more, or one less."""
    nodes = document["nodes"]
    number = chance.choice([k for k, node in enumerate(nodes) if isinstance(node, list) and node] or [0])
    node = list(nodes[number]) if isinstance(nodes[number], list) else [nodes[number]]
    place = chance.randrange(len(node))
    match chance.randrange(4):
        case 0:
            del node[place]
        case 1:
            node.insert(place, chance.randrange(len(nodes)))
        case _:
            node[place] = chance.choice((*_NUMBERS, *[chance.randrange(number + 1) for _ in range(20)], "x", None, []))
    nodes[number] = node


def _node(document: Any, chance: random.Random) -> None:
    """A value in place of another, twice, or not at all."""
    nodes = document["nodes"]
    one, other = chance.randrange(len(nodes)), chance.randrange(len(nodes))
    match chance.randrange(3):
        case 0:
            nodes[one], nodes[other] = nodes[other], nodes[one]
        case 1:
            nodes[one] = nodes[other]
        case _:
            del nodes[one]


def _class(document: Any, chance: random.Random) -> None:
    """Another class, or other fields."""
    classes = document["classes"]
    one, other = chance.randrange(len(classes)), chance.randrange(len(classes))
    match chance.randrange(4):
        case 0:
            classes[one], classes[other] = classes[other], classes[one]
        case 1:
            classes[one][1].append("x")
        case 2 if classes[one][1]:
            classes[one][1].pop()
        case _:
            classes[one][0] = chance.choice(("os:system", "analyzer.source:Path", "analyzer.source:read_source", "x"))


class Verdict(Struct, frozen=True):
    """What a mutation came to: ``missing``, ``same``, ``another`` report; or ``trouble``, in words."""

    kind: str
    outcome: str
    trouble: str = ""


def mutated(cache: Cache, chance: random.Random, kind: str | None = None) -> Verdict:
    """Change one entry, look at what is made of it, and put it back."""
    chosen = kind or chance.choice((*WITHOUT_KEY, *["sealed again"] * len(WITHOUT_KEY)))
    entry = chance.choice(cache.entries)
    try:
        differs = WITHOUT_KEY.get(chosen, _resealed)(cache, entry, chance)
        is_missing = Store(cache.folder).get(entry.digest) is None
        form = chance.choice(entry.case.formats)
        found, fresh = cache.show(entry.case, form), entry.fresh[form]
    except Exception:
        return Verdict(chosen, "traceback", f"{entry.case} {traceback.format_exc()}")
    finally:
        cache.restore()
    outcome = "missing" if is_missing else "same" if found == fresh else "another"
    trouble = ""
    if chosen in WITHOUT_KEY and differs and not is_missing:
        trouble = "believed without the key"
    elif outcome == "missing" and found != fresh:
        trouble = "made anew, but another report"
    elif outcome == "another":
        trouble = _invalid(found, form, entry.case)
    return Verdict(chosen, outcome, trouble and f"{entry.case.file} {form}: {trouble}\n{found.stderr[:2000]}")


def _invalid(found: Shown, form: str, case: Case) -> str:
    """What is wrong with a report that may be any valid one; a count may have become negative."""
    if found.code not in (0, 2) or "a defect of" in found.stderr or "Traceback" in found.stderr:
        return f"exit {found.code}"
    if form != "json" or not found.stdout or "check" in case.options:
        return ""
    try:
        errors = _schema().iter_errors(json.loads(found.stdout))
    except ValueError as error:
        return str(error)
    return "".join(str(error)[:500] for error in errors if error.validator not in ("minimum", "exclusiveMinimum"))


@cache
def _schema() -> Any:
    return jsonschema.Draft202012Validator(
        json.loads((ROOT / "roofline" / "report" / "report.schema.json").read_text())
    )


def run(cache: Cache, count: int, seed: int, kind: str | None = None) -> Iterator[Verdict]:
    """Yield what some random mutations came to."""
    chance = random.Random(seed)
    for _ in range(count):
        yield mutated(cache, chance, kind)


def read(cache: Cache, count: int, seed: int) -> Iterator[Verdict]:
    """Yield what the decoder made of some random edits, which is much faster."""
    chance = random.Random(seed)
    texts = list(map(cache.text, cache.entries))
    for _ in range(count):
        try:
            decode(changed(chance.choice(texts), chance))
        except CodecError:
            yield Verdict("decoded", "missing")
        except Exception:
            yield Verdict("decoded", "traceback", traceback.format_exc())
        else:
            yield Verdict("decoded", "a value of these types")


def main() -> int:
    """Print what came of every kind of mutation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=(*WITHOUT_KEY, "sealed again"), help="only mutations of this kind")
    parser.add_argument("--only-decode", action="store_true", help="edits of the JSON, given to the decoder alone")
    options = parser.parse_args()
    os.environ["AI_ESTIMATE_TRACEBACK"] = "1"
    counts: Counter[tuple[str, str]] = Counter()
    troubles = 0
    with tempfile.TemporaryDirectory(prefix="kept-") as folder:
        made = Cache(Path(folder))
        of_reports = run(made, options.count, options.seed, options.kind)
        for verdict in read(made, options.count, options.seed) if options.only_decode else of_reports:
            counts[verdict.kind, verdict.outcome] += 1
            if verdict.trouble:
                troubles += 1
                print(f"{verdict.kind}: {verdict.trouble}", flush=True)
    for (kind, outcome), number in sorted(counts.items()):
        print(f"{number:6} {kind}: {outcome}")
    print(f"{options.count} mutations, {troubles} troubles")
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main())
