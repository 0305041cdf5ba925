"""The surface tree as one line of C per statement, for tests."""

from analyzer.frontend.surface import nodes as sx


def show_type(kind):
    match kind:
        case sx.ScalarT(element):
            return str(element)
        case sx.PointerT(target, restrict):
            return f"{show_type(target)}*{'r' if restrict else ''}"
        case sx.ArrayT(element, extent):
            sizes = "" if extent is None else show(extent)
            while isinstance(element, sx.ArrayT):
                sizes += "][" + ("" if element.extent is None else show(element.extent))
                element = element.element
            return f"{show_type(element)}[{sizes}]"
        case sx.StructT(name):
            return name
        case sx.UnknownT(text):
            return f"?{text}?"


def show_list(items):
    return ", ".join(show(item) for item in items)


def show_variable(variable):
    return f"{show_type(variable.type)}{'&' if variable.reference else ''} {variable.name}"


def show_expression(node):
    match node:
        case sx.Number(value, kind):
            return f"{value}" if kind in (sx.INT, sx.DOUBLE) else f"{value}:{show_type(kind)}"
        case sx.Text(text):
            return f'"{text}"'
        case sx.Name(variable):
            return variable.name
        case sx.Unary(operator, operand) if "x" in operator:
            return f"({operator.replace('x', show(operand))})"
        case sx.Unary(operator, operand):
            return f"({operator}{show(operand)})"
        case sx.Binary(operator, left, right):
            return f"({show(left)} {operator} {show(right)})"
        case sx.Assign(operator, target, value):
            return f"{show(target)} {operator}= {show(value)}"
        case sx.Conditional(condition, then, orelse):
            return f"({show(condition)} ? {show(then)} : {show(orelse)})"
        case sx.Call(_, name, arguments):
            return f"{name}({show_list(arguments)})"
        case sx.Launch(name=name, grid=grid, block=block, shared=shared, arguments=arguments):
            parts = ", ".join(show(part) for part in (grid, block, shared) if part is not None)
            return f"{name}<<<{parts}>>>({show_list(arguments)})"
        case sx.Index(base, index):
            return f"{show(base)}[{show(index)}]"
        case sx.Member(base, name):
            return f"{show(base)}.{name}"
        case sx.Cast(kind, operand):
            return f"({show_type(kind)}){show(operand)}"
        case sx.Comma(left, right):
            return f"({show(left)}, {show(right)})"
        case sx.InitializerList(_, items):
            return "{" + show_list(items) + "}"
        case sx.OpaqueExpression(reason, operands):
            return f"<{reason}: {show_list(operands)}>"


def show_statement(node):
    match node:
        case sx.Declare(variable, initial):
            return show_variable(variable) + ("" if initial is None else f" = {show(initial)}") + ";"
        case sx.Evaluate(expression):
            return show(expression) + ";"
        case sx.Block(statements):
            return "{ " + " ".join(show(statement) for statement in statements) + " }"
        case sx.If(condition, then, orelse):
            return f"if ({show(condition)}) {show(then)}" + ("" if orelse is None else f" else {show(orelse)}")
        case sx.For(initial=initial, condition=condition, advance=advance, body=body, pragmas=pragmas):
            parts = "; ".join("" if part is None else show(part).rstrip(";") for part in (initial, condition, advance))
            return "".join(f"#{pragma}# " for pragma in pragmas) + f"for ({parts}) {show(body)}"
        case sx.While(condition, body, test_last):
            return (
                f"do {show(body)} while ({show(condition)})" if test_last else f"while ({show(condition)}) {show(body)}"
            )
        case sx.Switch(subject, cases):
            return f"switch ({show(subject)}) {{ " + " ".join(show_case(case) for case in cases) + " }"
        case sx.Return(value):
            return "return;" if value is None else f"return {show(value)};"
        case sx.Break():
            return "break;"
        case sx.Continue():
            return "continue;"
        case sx.Goto(label):
            return f"goto {label};"
        case sx.Label(label):
            return f"{label}:"
        case sx.Skippable(label, body):
            return f"{show(body)} {label}:"
        case sx.Repeated(label, body):
            return f"{label}: {show(body)}"
        case sx.OpaqueStatement(reason):
            return f"<{reason}>;"


def show_case(case):
    labels = " ".join("default:" if label is None else f"case {show(label)}:" for label in case.labels)
    return f"{labels} {' '.join(show(s) for s in case.statements)}{' ->' if case.falls_through else ''}"


def show(node):
    """Any node of the tree."""
    match node:
        case sx.Unit():
            return "\n".join(show(function) for function in node.functions.values())
        case sx.Function():
            parameters = ", ".join(show_variable(parameter) for parameter in node.parameters)
            return f"{show_type(node.result)} {node.name}({parameters}) {show(node.body)}"
        case _:
            return show_expression(node) or show_statement(node)
