import pytest

from analyzer.ir.written.expression import parse_index


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4096", 4096),
        ("0x10", 16),
        ("1e6", 10**6),
        ("64Ki", 65536),
        ("3k", 3000),
        ("2^20", 2**20),
        ("(7 + 1)/3", 2),
        ("-7/2", -3),  # as in C, towards zero
        ("2*(N - 1)", 18),
        ("N/M", 3),
        ("blockDim.x", 128),
    ],
)
def test_expressions(text, value):
    assert parse_index(text).evaluate({"N": 10, "M": 3, "blockDim.x": 128}) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1.5",
        "f(x)",
        "a[0]",
        "1/0",
        "N &",
        "2^N",
        "2^1000",
        "'x'",
        "N == 2",
        "(" * 300,
        "True",
        "a\nb",
        "1 if 2 else 3",
    ],
)
def test_what_is_no_expression_is_told(text):
    with pytest.raises(ValueError, match=r"^\w"):
        parse_index(text)
