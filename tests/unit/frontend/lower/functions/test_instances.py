"""Instances of functions, each for its own call."""

from analyzer.frontend.lower.functions.instances import Instances
from analyzer.frontend.surface import nodes as sx
from analyzer.source import Span

AT = Span("x.cpp", 1, 1)
POINTER = sx.PointerT(sx.DOUBLE)
LOCAL = sx.Variable("p", POINTER, sx.Storage.LOCAL, AT)


def test_a_call_does_not_construct_the_object_of_one_that_had_its_place() -> None:
    body = sx.Block((sx.Declare(LOCAL, None, AT), sx.Return(sx.Name(LOCAL, AT), AT)), AT)
    kind = sx.FunctionKind.HOST
    function = sx.Function(key="f", name="f", kind=kind, parameters=(), result=POINTER, body=body, span=AT)
    instances = Instances()
    for number in range(9):
        instances.note_object(sx.Call("f", "f", (), POINTER, AT), f"object{number}")
    _, own = instances.of(sx.Call("f", "f", (), POINTER, AT), function, ())
    assert own[LOCAL].name == "p"
