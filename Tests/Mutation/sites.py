"""Where a Swift file can be changed, and how: tokens in, mutants out.

A site is found in the tokens alone, without types. What does not compile is dropped by the build.
Every mutant is a switch at run time, so that one build holds them all:

- an operator becomes an operator of its own, with the same precedence;
- a condition, `true` and `false` are passed through `mutantFlipped`;
- a number becomes `(mutant(7) ? 5 : 4)`;
- a statement that is only a call is put into `if !mutant(7) { … }`.

Lines stay where they are, so that an error of the compiler names the mutant.
"""

import dataclasses
import re

# For each operator: what it may become. Neighbours first (a boundary is shifted), then opposites.
OPERATORS = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
    "+": ["-"], "-": ["+"], "&+": ["&-"], "&-": ["&+"], "+=": ["-="], "-=": ["+="],
    "&": ["|"], "|": ["&"],
}
KINDS = {
    **dict.fromkeys(["<", "<=", ">", ">=", "==", "!="], "comparison"),
    **dict.fromkeys(["&&", "||"], "logic"),
    **dict.fromkeys(["+", "-", "&+", "&-", "+=", "-=", "&", "|"], "arithmetic"),
}
PRECEDENCES = {
    **dict.fromkeys(["<", "<=", ">", ">=", "==", "!="], "Comparison"),
    "&&": "LogicalConjunction", "||": "LogicalDisjunction",
    **dict.fromkeys(["+", "-", "&+", "&-", "|"], "Addition"), "&": "Multiplication",
    **dict.fromkeys(["+=", "-="], "Assignment"),
}
# Operators are named by two characters of the block of mathematical operators.
FIRST_OPERATOR, OPERATOR_COUNT = 0x2200, 256

# No statement begins with them that is only a call.
KEYWORDS = set(
    "return throw if for while switch guard let var func init case deinit subscript precondition "
    "fatalError preconditionFailure assert import class struct enum extension protocol typealias "
    "static private public internal fileprivate final mutating override repeat do catch defer else "
    "break continue default in is as where inout indirect lazy weak unowned super print nonisolated "
    "associatedtype get set willSet didSet _read _modify operator infix prefix postfix some any open package consuming borrowing".split())
# A loosened assertion changes nothing until there is another fault.
ASSERTIONS = {"precondition", "assert", "fatalError", "preconditionFailure"}


@dataclasses.dataclass
class Token:
    kind: str  # word, number, string, operator, or the mark itself
    text: str
    start: int
    end: int
    partner: int = -1  # index of the matching bracket
    inside: int = -1  # index of the innermost bracket that is open
    is_asserted: bool = False  # in the arguments of an assertion or an attribute


@dataclasses.dataclass
class Mutant:
    file: str
    start: int
    end: int
    kind: str
    before: str
    after: str
    line: int
    line_end: int
    number: int = 0

    @property
    def key(self):
        """Names it from run to run, as long as its file is the same."""
        return f"{self.file}:{self.start}:{self.kind}:{self.after}"

    def __str__(self):
        return f"{self.file}:{self.line}: {self.before} → {self.after}"


TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<comment>//[^\n]*)"
    r"|(?P<word>\$?[A-Za-z_][A-Za-z0-9_]*|`[^`]+`|\$[0-9]+|#[a-z]+)"
    r"|(?P<number>0x[0-9A-Fa-f_]+|0b[01_]+|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:e[+-]?[0-9]+)?)"
    r"|(?P<mark>[()\[\]{},;:@])|(?P<operator>[-+*/%<>=!&|^~?.]+)|(?P<other>.)", re.S)


def string_end(text, at):
    """The end of the string literal or regular expression that begins here."""
    hashes = 0
    while text[at + hashes] == "#":
        hashes += 1
    i = at + hashes
    if text[i] == "/":
        return text.index("/" + "#" * hashes, i + 1) + 1 + hashes
    quote = '"""' if text.startswith('"""', i) else '"'
    i += len(quote)
    escape = "\\" + "#" * hashes
    while not text.startswith(quote + "#" * hashes, i):
        if text.startswith(escape + "(", i):
            depth, i = 1, i + len(escape) + 1
            while depth:
                if text[i] == '"':
                    i = string_end(text, i)
                    continue
                depth += {"(": 1, ")": -1}.get(text[i], 0)
                i += 1
        elif text.startswith(escape, i):
            i += len(escape) + 1
        else:
            i += 1
    return i + len(quote) + hashes


def comment_end(text, at):
    depth, i = 1, at + 2
    while depth:
        if text.startswith("/*", i):
            depth, i = depth + 1, i + 2
        elif text.startswith("*/", i):
            depth, i = depth - 1, i + 2
        else:
            i += 1
    return i


def tokenize(text):
    tokens, opened, at = [], [], 0
    while at < len(text):
        if text.startswith("/*", at):
            at = comment_end(text, at)
            continue
        if text[at] == '"' or re.match(r'#+["/]', text[at:at + 8]):
            end = string_end(text, at)
            tokens.append(Token("string", text[at:end], at, end))
        else:
            found = TOKEN.match(text, at)
            end = found.end()
            if found.lastgroup not in ("space", "comment"):
                kind = found.lastgroup
                tokens.append(Token(found.group() if kind == "mark" else kind, found.group(), at, end))
        if tokens and tokens[-1].start == at:
            token = tokens[-1]
            token.inside = opened[-1] if opened else -1
            if token.kind in ("(", "[", "{"):
                opened.append(len(tokens) - 1)
            elif token.kind in (")", "]", "}"):
                token.partner = opened.pop()
                token.inside = opened[-1] if opened else -1
                tokens[token.partner].partner = len(tokens) - 1
        at = end
    for index, token in enumerate(tokens):
        is_asserting = token.text in ASSERTIONS and tokens[index + 1].kind == "("
        is_attribute = index > 0 and tokens[index - 1].kind == "@" and tokens[index + 1].kind == "("
        if is_asserting or is_attribute:
            for inner in tokens[index + 1:tokens[index + 1].partner]:
                inner.is_asserted = True
    return tokens


class Sites:
    """The mutants of one file."""

    def __init__(self, file, text):
        self.file, self.text, self.tokens = file, text, tokenize(text)
        self.mutants = []
        for index, token in enumerate(self.tokens):
            if token.is_asserted:
                continue
            self.look_at_operator(index, token)
            self.look_at_constant(index, token)
            self.look_at_condition(index, token)
            self.look_at_call(index, token)

    def add(self, start, end, kind, before, after):
        def line(at):
            return self.text.count("\n", 0, at) + 1

        self.mutants.append(
            Mutant(self.file, start, end, kind, before, after, line(start), line(end)))

    def around(self, token):
        """The line of a token, for people."""
        start = self.text.rfind("\n", 0, token.start) + 1
        end = self.text.find("\n", token.start)
        return self.text[start:token.start].lstrip(), self.text[token.end:end]

    def look_at_operator(self, index, token):
        if token.kind != "operator" or token.text not in OPERATORS:
            return
        is_infix = self.text[token.start - 1].isspace() and self.text[token.end].isspace()
        if not is_infix or self.tokens[index - 1].text in ("func", "operator"):
            return
        left, right = self.around(token)
        for other in OPERATORS[token.text]:
            self.add(token.start, token.end, KINDS[token.text], f"{left}{token.text}{right}",
                     f"{left}{other}{right}")

    def look_at_constant(self, index, token):
        is_member = index > 0 and self.tokens[index - 1].text.endswith(".")
        if token.kind == "number" and not is_member and re.fullmatch(r"0x[0-9A-Fa-f_]+|[0-9_]+", token.text):
            other = str(int(token.text, 0 if token.text.startswith("0x") else 10) + 1)
        elif token.text in ("true", "false") and token.kind == "word":
            other = "false" if token.text == "true" else "true"
        else:
            return
        left, right = self.around(token)
        self.add(token.start, token.end, "constant", f"{left}{token.text}{right}", f"{left}{other}{right}")

    def look_at_condition(self, index, token):
        if token.text not in ("if", "guard", "while") or token.kind != "word":
            return
        if token.text == "while" and self.tokens[index - 1].kind == "}":
            return
        clauses, clause, at = [], [], index + 1
        while at < len(self.tokens):
            next_token = self.tokens[at]
            if next_token.kind == "{" and token.text != "guard" or next_token.text == "else":
                break
            if next_token.kind == ",":
                clauses.append(clause)
                clause, at = [], at + 1
                continue
            last = next_token.partner if next_token.kind in ("(", "[", "{") else at
            clause += self.tokens[at:last + 1]
            at = last + 1
        for clause in [*clauses, clause]:
            if not clause or clause[0].text in ("let", "var", "case", "#available", "#unavailable"):
                continue
            start, end = clause[0].start, clause[-1].end
            before = " ".join(self.text[start:end].split())
            self.add(start, end, "condition", before, f"!({before})")

    def look_at_call(self, index, token):
        if token.kind != "word" or token.inside < 0 or self.tokens[token.inside].kind != "{":
            return
        previous = self.tokens[index - 1]
        left, _ = self.around(token)
        is_first = previous.kind in ("{", "}") or (
            previous.kind == ":" and left.startswith(("case ", "default:"))
            or previous.text == "in" and not left.startswith("for "))
        is_below = "\n" in self.text[previous.end:token.start] and (
            previous.kind in ("word", "number", "string", ")", "]"))
        if not (is_first or is_below):
            return
        at = index
        while self.tokens[at].text in ("try", "await") or self.tokens[at].text == "?":
            at += 1
        if self.tokens[at].text in KEYWORDS or self.tokens[at].kind != "word":
            return
        last = None
        while at < len(self.tokens):
            part = self.tokens[at]
            is_on_line = last is None or "\n" not in self.text[self.tokens[last].end:part.start]
            if part.kind in ("(", "[", "{") and is_on_line and last is not None:
                last = part.partner
            elif part.kind == "operator" and part.text in (".", "?.", "!.", "?", "!"):
                last = at
            elif part.kind == "word" and (last is None or self.tokens[last].text.endswith(".")):
                last = at
            else:
                break
            at = last + 1
        if last is None or self.tokens[last].kind not in (")", "}") or at >= len(self.tokens):
            return
        following, end = self.tokens[at], self.tokens[last].end
        if following.kind != "}" and "\n" not in self.text[end:following.start]:
            return
        if following.kind == "operator" or self.text.count("\n", token.start, end) > 3:
            return
        before = " ".join(self.text[token.start:end].split())
        self.add(token.start, end, "call", before, "(nothing)")


def operator_name(number):
    return chr(FIRST_OPERATOR + number // OPERATOR_COUNT) + chr(FIRST_OPERATOR + number % OPERATOR_COUNT)


def rewrite(text, mutants):
    """The text with a switch for each of its mutants."""
    openers, closers, replaced = {}, {}, {}
    for mutant in sorted(mutants, key=lambda mutant: mutant.start - mutant.end):  # the longest first
        number, own = mutant.number, text[mutant.start:mutant.end]
        if mutant.kind == "call":
            before, after = f"if !mutant({number}) {{ ", " }"
        elif mutant.kind == "condition" or own in ("true", "false"):
            before, after = f"mutantFlipped({number}, ", ")"
        elif mutant.kind == "constant":
            other = int(own, 0 if own.startswith("0x") else 10) + 1
            before, after = f"(mutant({number}) ? {other} : ", ")"
        else:
            replaced[mutant.start] = (mutant.end, operator_name(number))
            continue
        openers[mutant.start] = openers.get(mutant.start, "") + before
        closers[mutant.end] = after + closers.get(mutant.end, "")
    output, at = [], 0
    for place in sorted({*openers, *closers, *replaced}):
        output.append(text[at:place])
        output.append(closers.get(place, "") + openers.get(place, ""))
        at = place
        if place in replaced:
            at, name = replaced[place]
            output.append(name)
    output.append(text[at:])
    return "".join(output)


def declarations(mutants, texts):
    """What one module's switches need: a Swift file."""
    lines = [
        "import CMutants", "",
        "@inline(__always) func mutant(_ number: Int32) -> Bool { CMutants.mutant(number) }",
        "func mutantFlipped(_ number: Int32, _ value: Bool) -> Bool { mutant(number) != value }", ""]
    for mutant in mutants:
        if mutant.kind not in ("comparison", "logic", "arithmetic"):
            continue
        own = texts[mutant.file][mutant.start:mutant.end]
        other = mutant_operator(mutant, texts)
        name, number = operator_name(mutant.number), mutant.number
        lines.append(f"infix operator {name} : {PRECEDENCES[own]}Precedence")
        choice = f"mutant({number}) ? a {other} b : a {own} b"
        if mutant.kind == "logic":
            lines.append(
                f"@inline(__always) func {name} (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool "
                f"{{ mutant({number}) ? try a {other} b() : try a {own} b() }}")
        elif mutant.kind == "comparison":
            protocol = "Equatable" if own in ("==", "!=") else "Comparable"
            lines.append(f"@inline(__always) func {name} <T: {protocol}>(a: T, b: T) -> Bool {{ {choice} }}")
            lines.append(
                f"@_disfavoredOverload @inline(__always) func {name} <A: BinaryInteger, B: BinaryInteger>"
                f"(a: A, b: B) -> Bool {{ {choice} }}")
        elif own in ("+=", "-="):
            lines.append(
                f"@inline(__always) func {name} <T: AdditiveArithmetic>(a: inout T, b: T) "
                f"{{ if mutant({number}) {{ a {other} b }} else {{ a {own} b }} }}")
        else:
            protocol = {"+": "AdditiveArithmetic", "-": "AdditiveArithmetic", "&": "BinaryInteger",
                        "|": "BinaryInteger"}.get(own, "FixedWidthInteger")
            lines.append(f"@inline(__always) func {name} <T: {protocol}>(a: T, b: T) -> T {{ {choice} }}")
    return "\n".join(lines) + "\n"


def mutant_operator(mutant, texts):
    """The operator that the mutant has instead of its own."""
    text = texts[mutant.file]
    left = text[text.rfind("\n", 0, mutant.start) + 1:mutant.start].lstrip()
    return mutant.after[len(left):].split(maxsplit=1)[0]
