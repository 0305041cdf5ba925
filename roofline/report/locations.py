"""Where a finding points: references as the source spells them, and columns.

Input: lines of a source and what a rule found.  Output: text and columns from 1 (0: not known).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzer.python.regex import regex

_LOOP = regex(r"\b(?:for|while|do)\b")
_NAMED = regex(r"(?:\(\s*\*\s*)?\b([A-Za-z_]\w*)(?:\s*\))?(?=\s*\[)")
_LEADING = regex(r"^(\w+)\[0\](?=\[)")
_NUMBER = regex(r"-?[\d.]+(?:e[+-]?\d+)?")
_DIVISION = regex(r"(?<!/)/=?(?![/*=])\s*")
_DIVISOR = regex(r"([A-Za-z_]\w*|\.?\d[\w.]*)(?!\w*\s*[(\[.])")
_WORD = regex(r"(?<![\w.])[A-Za-z_]\w*")
_LITERAL = regex(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?=[fFlL]?$)")
_NUMBERED = regex(r"(?<=[A-Za-z_])\.\d+\b")
_SUM_OF_PRODUCTS = regex(r"\w+(?:[+*]\w+)*")
_OFFSET = regex(r"(?:\.\w+)?\+\d+$")  # of a member
_LONGEST_REFERENCE = 48
_LONGEST_STATEMENT = 12  # lines
_UNKNOWN = 0


def column_of_loop(line: str) -> int:
    """Return the column of the first loop in a line, else that of its first character; 0 for a blank one.

    >>> column_of_loop("  if (a) for (;;)"), column_of_loop("  x = 1;"), column_of_loop("")
    (10, 3, 0)
    """
    found = _LOOP.search(line)
    return found.start() + 1 if found else first_column(line)


def first_column(line: str) -> int:
    """Return the column of the first character of a line; 0 for a blank one."""
    return len(line) - len(line.lstrip()) + 1 if line.strip() else _UNKNOWN


def spelled_reference(array: str, text: str, lines: Sequence[str]) -> tuple[str, int]:
    """Return a reference as its statement, which begins in the first of some lines, spells it, and its column.

    The column is that of the statement where the reference is in a later line, or is not found.
    """
    subscripts = tuple(map(_summands, _subscripts(text)))
    own_names = [name.rpartition(".")[2].rpartition(">")[2] for name in array.split("|")]  # pointers that are swapped
    named: list[tuple[str, int]] = []
    alike: dict[int, tuple[str, int]] = {}
    for number, line in enumerate(lines[:_LONGEST_STATEMENT]):
        for name, spelled, column in _references(line):
            own = tuple(map(_summands, _subscripts(spelled)))
            found = spelled, column if not number else first_column(lines[0])
            if own and own == subscripts[len(subscripts) - len(own) :]:
                if name in own_names:
                    return found
                alike.setdefault(len(own), found)
            elif name in own_names:
                named.append(found)
        if ";" in line:
            break
    if len({spelled for spelled, _ in named}) == 1:  # its subscripts are those of the source with values put in
        return named[0]
    if alike:  # an array that is passed on has another name here: the most subscripts in common tell it
        return alike[max(alike)]
    spelled = _OFFSET.sub("", _NUMBERED.sub("", _LEADING.sub(r"\1", text)))
    if len(spelled) > _LONGEST_REFERENCE:  # subscripts that no line of the source has
        spelled = f"{own_names[0]}[...]"
    return spelled, first_column(lines[0]) if lines else _UNKNOWN


def spelled_divisor(text: str, line: str) -> str:
    """Return a divisor as its line spells it, without the leading index of an array that is passed on as a whole.

    >>> spelled_divisor("R[0][k][k]", "Q[i][k] = A[i][k] / R[k][k];"), spelled_divisor("d[0][1]", "x / d[0][1]")
    ('R[k][k]', 'd[0][1]')
    >>> spelled_divisor("1000.0", "a[i] = (double) (i % n) / n;"), spelled_divisor("17.0", "x = y / 17;")
    ('n', '17')
    >>> spelled_divisor("9500.0", "a[i] = (double) (i % n) / (5*m);"), spelled_divisor("7.0", "a = i / 13; b = i / 7;")
    ('5*m', '7')
    """
    short = _LEADING.sub(r"\1", text)
    plain = "".join(line.split())
    if "".join(text.split()) in plain:
        return text
    if "".join(short.split()) in plain:
        return short
    spelled = set(_divisors(line))
    if not _NUMBER.fullmatch(text):
        names = set(_WORD.findall(short))
        spelled = {each for each in spelled if names and names <= set(_WORD.findall(each))}
        return spelled.pop() if len(spelled) == 1 else text
    numbers = {each: float(found[0]) for each in spelled if (found := _LITERAL.match(each)) is not None}
    equal = [each for each, number in numbers.items() if number == float(text)] or [*spelled]
    return equal[0] if len(equal) == 1 else text


def _divisors(line: str) -> Iterator[str]:
    """Yield what a line divides by: names, numbers, and what stands in parentheses, but for a cast."""
    for division in _DIVISION.finditer(line):
        end = division.end()
        if plain := _DIVISOR.match(line, end):
            yield plain[1]
            continue
        depth = 0
        for position in range(end, len(line)):
            depth += (line[position] == "(") - (line[position] == ")")
            if depth <= 0:
                break
        else:
            continue
        behind = line[position + 1 :].lstrip()[:1]
        if line[end] == "(" and not (behind.isalnum() or behind in ("_", "(")):
            yield line[end + 1 : position].strip()


def _references(line: str) -> Iterator[tuple[str, str, int]]:
    """Yield the array, the text and the column of every subscripted reference in a line."""
    for found in _NAMED.finditer(line):
        end = _end_of_subscripts(line, found.end())
        yield found[1], line[found.start() : end].strip(), found.start() + 1


def _end_of_subscripts(text: str, start: int) -> int:
    """Return the position behind all subscripts that follow a name."""
    end, depth = start, 0
    for position in range(start, len(text)):
        character = text[position]
        depth += (character == "[") - (character == "]")
        if character == "]" and not depth:
            end = position + 1
        elif not depth and not character.isspace():
            break
    return end


def _subscripts(text: str) -> tuple[str, ...]:
    """Return the subscripts of a reference without blanks, from the first one.

    >>> _subscripts("(*a)[b[i]][j + 1]")
    ('b[i]', 'j+1')
    """
    found, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character == "[":
            depth += 1
            start = position + 1 if depth == 1 else start
        elif character == "]":
            depth -= 1
            if not depth:
                found.append("".join(text[start:position].split()))
    return tuple(found)


def _summands(subscript: str) -> tuple[str, ...]:
    """Return the products of a sum in one order, each with its factors in one order; another expression as it is.

    >>> _summands("i+k*lda") == _summands("lda*k+i"), _summands("i-1"), _summands("(i+1)*n")
    (True, ('i-1',), ('(i+1)*n',))
    """
    if not _SUM_OF_PRODUCTS.fullmatch(subscript):
        return (subscript,)
    return tuple(sorted("*".join(sorted(product.split("*"))) for product in subscript.split("+")))
