"""Maps, sets and string streams in host code: the option parsers of programs."""

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.host.interpreter import find_launches
from analyzer.frontend.options import ParseOptions
from analyzer.source import Language, SourceFile

NAMES = ("map", "set", "unordered_map", "string", "sstream", "vector", "cstdlib", "cstring")
HEADERS = "".join(f"#include <{name}>\n" for name in NAMES) + "__global__ void k(int n) {}\n"


def sizes(text, arguments):
    """The arguments of the launches of a program; None where one is not known."""
    parsed = parse_clang(SourceFile("x.cu", HEADERS + text, Language.CUDA), ParseOptions())
    assert parsed.diagnostics == ()
    return [item.arguments.get("n") for item in find_launches([parsed.unit], arguments)]


def main(body, *arguments):
    return sizes("int main(int argc, char **argv) { int n = 0; " + body + " k<<<1, 32>>>(n); }", arguments)


WORDS = 'std::map<std::string, int> m = {{"a", 1}, {"b", 2}}; '


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (WORDS + 'n = m["b"];', 2),
        (WORDS + 'n = m["c"] + m.size();', 3),
        (WORDS + 'm["a"] += 40; n = m.at("a");', 41),
        (WORDS + 'n = m.find("b")->second;', 2),
        (WORDS + 'n = m.find("x") == m.end() ? 5 : 6;', 5),
        (WORDS + 'n = m.count("a") * 10 + m.count("z");', 10),
        (WORDS + 'm.insert(std::make_pair("c", 3)); m.insert({"a", 9}); n = m["a"] + m["c"];', 4),
        (WORDS + 'm.insert(std::pair<std::string, int>("c", 3)); m.emplace("d", 4); n = m["c"] + m["d"];', 7),
        (WORDS + 'm.erase("a"); n = m.size();', 1),
        (WORDS + 'm.erase(m.find("a")); n = m.size() + m.count("b");', 2),
        (WORDS + "m.clear(); n = m.empty() ? 8 : 9;", 8),
        (WORDS + "for (auto it = m.begin(); it != m.end(); ++it) n = 10 * n + it->second;", 12),
        ("std::unordered_map<int, int> m; for (int i = 0; i < 5; i++) m[i * i] = i; n = m[9];", 3),
        ("std::set<int> s; s.insert(4); s.insert(4); s.insert(7); n = s.size() + s.count(7);", 3),
        ("std::map<char, std::string> m; m['n'] = \"12\"; n = std::stoi(m['n']);", 12),
    ],
    ids=lambda value: str(value)[-40:],
)
def test_entries_of_trees(body, expected):
    assert main(body) == [expected]


@pytest.mark.parametrize(
    "body",
    [
        WORDS + 'std::string key; if (argc > rand()) key = "b"; m[key] = 7; n = m["b"];',
        WORDS + 'if (rand()) m["b"] = 7; n = m["b"];',
        WORDS + 'if (rand()) m["z"] = 7; n = m.size();',
        "std::multimap<int, int> m; m.insert({1, 2}); n = m.size();",
    ],
    ids=lambda value: value[-40:],
)
def test_what_is_not_known_of_a_tree_is_not_guessed(body):
    assert main(body, "x") == [None]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("std::stringstream s(argv[1]); s >> n;", 12),
        ("std::stringstream s(argv[1]); int a; char c; s >> a >> c >> n;", 34),
        ("std::istringstream s; s.str(argv[2]); s >> n;", 7),
        (
            "std::string p; std::stringstream s(argv[1]); while (getline(s, p, ',')) n = 100 * n + std::stoi(p);",
            1234,
        ),
        ("std::stringstream s(argv[2]); if (!(s >> n) || !s.eof()) n = 99;", 7),
        ('std::stringstream s("x"); if (!(s >> n)) n = 99;', 99),
        ('std::ostringstream s; s << "4" << 2; n = atoi(s.str().c_str());', 42),
        ("std::string a(argv[1]); n = atoi(std::string(a, 3, 2).c_str());", 34),
        ("n = atoi(std::string(argv[1], 1).c_str());", 1),
        ("std::string a(argv[1]); a += \"5\"; n = atoi(a.substr(a.find(',') + 1).c_str());", 345),
        ("char *c = (char *)malloc(9); strcpy(c, argv[2]); n = atoi(c);", 7),
    ],
    ids=lambda value: str(value)[-40:],
)
def test_texts_and_streams_on_them(body, expected):
    assert main(body, "12,34", "7") == [expected]


PARSER = """
struct Option { std::string name, value; };
class Options {
  std::map<std::string, Option> options;
  std::map<char, std::string> letters;
 public:
  void add(const std::string &name, const std::string &value, char letter) {
    if (options.find(name) != options.end()) return;
    Option option; option.name = name; option.value = value;
    options[name] = option;
    letters[letter] = name;
  }
  bool parse(int argc, char **argv) {
    std::vector<std::string> words;
    for (int i = 1; i < argc; i++) words.push_back(argv[i]);
    for (int i = 0; i < (int)words.size(); i++) {
      std::string word = words[i];
      std::string name = word[1] == '-' ? word.substr(2) : letters[word[1]];
      if (options.find(name) == options.end()) return false;
      options[name].value = words[++i];
    }
    return true;
  }
  int number(const std::string &name) const {
    std::map<std::string, Option>::const_iterator it = options.find(name);
    if (it == options.end()) return -1;
    int found; std::stringstream text((*it).second.value); text >> found; return found;
  }
};
int main(int argc, char **argv) {
  Options options;
  options.add("size", "1024", 's'); options.add("passes", "10", 'p');
  if (!options.parse(argc, argv)) return 1;
  k<<<1, 32>>>(options.number("size"));
}
"""


@pytest.mark.parametrize(
    ("words", "expected"), [("", [1024]), ("--size 4096", [4096]), ("-s 77 -p 3", [77]), ("--other 3", [])]
)
def test_an_option_parser_of_maps(words, expected):
    assert sizes(PARSER, words.split()) == expected


SINGLETON = """
class Reader {
 public:
  static Reader *self;
  static int count;
  int n;
  static void init(int argc) { if (self) return; self = new Reader(); self->n = argc; count++; }
};
Reader *Reader::self;
int Reader::count;
int main(int argc, char **argv) {
  Reader::init(argc); Reader::init(argc + 5);
  k<<<1, 32>>>(Reader::self->n + Reader::count);
}
"""


def test_globals_without_an_initialiser_start_at_zero():
    assert sizes(SINGLETON, ["a", "b"]) == [4]
    assert sizes("extern int size; int main() { k<<<1, 32>>>(size); }", []) == [None]


LISTED = "std::vector<std::string> args(argv + 1, argv + argc); "


@pytest.mark.parametrize(
    ("body", "words", "expected"),
    [
        (LISTED + "n = args.size();", [], 0),
        (LISTED + "n = args.size();", ["-n", "7"], 2),
        (LISTED + 'n = 9; for (size_t i = 0; i < args.size(); i++) if (args[i] == "-n") n = stoi(args[++i]);', [], 9),
        (LISTED + 'for (size_t i = 0; i < args.size(); i++) if (args[i] == "-n") n = stoi(args[++i]);', ["-n", "7"], 7),
        (
            LISTED + 'for (const auto &a : args) if (a.find("--n=") == 0) n = std::stoi(a.substr(4));',
            ["-v", "--n=12"],
            12,
        ),
        (
            LISTED + 'for (auto a : args) if (a.compare(0, 4, "--n=") == 0) n = std::stoi(a.substr(4));',
            ["-v", "--n=12"],
            12,
        ),
        (LISTED + 'args.push_back("5"); n = args.size() + std::stoi(args.back());', ["x"], 7),
        (
            LISTED + 'for (auto it = args.begin(); it != args.end(); ++it) if (*it == "-n") n = std::stoi(*(it + 1));',
            ["-n", "7"],
            7,
        ),
        (
            LISTED
            + 'auto it = std::find(args.begin(), args.end(), "-n"); n = it == args.end() ? 3 : std::stoi(*++it);',
            ["-n", "7"],
            7,
        ),
        ("std::vector<std::string> args(argv, argv + argc); if (args.size() > 1) n = std::stoi(args.at(1));", ["6"], 6),
        (
            "std::vector<std::string> args{argv + 1, argv + argc}; n = args.empty() ? 4 : std::stoi(args.front());",
            ["6"],
            6,
        ),
        ("for (char **a = argv + 1; a != argv + argc; ++a) n += atoi(*a);", ["6", "8"], 14),
    ],
    ids=lambda value: str(value)[-40:],
)
def test_arguments_in_a_vector_of_strings(body, words, expected):
    assert main(body, *words) == [expected]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('std::string a = "1", b = a + "2"; n = std::stoi(b);', 12),
        ('std::string a = "1", b = "3" + a + a; n = std::stoi(b);', 311),
        ("std::string a = \"1\"; n = std::stoi(a + '7');", 17),
        ("std::string a = \"1\"; n = std::stoi('7' + a);", 71),
        ('std::string a = "1"; if (argc > rand()) a = "2"; n = std::stoi(a + "3");', None),
        ('std::map<std::string, int> m; m["size"] = 3; std::string a = "ze"; n = m[std::string("si") + a];', 3),
    ],
    ids=lambda value: str(value)[-40:],
)
def test_sums_of_texts(body, expected):
    assert main(body) == [expected]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("std::string *s = new std::string; *s = argv[1]; n = atoi(s->c_str());", 64),
        ('std::string *s = new std::string("32"); n = atoi(s->c_str());', 32),
        ("auto *v = new std::vector<int>; v->push_back(7); v->push_back(9); n = (*v)[1] + v->size();", 11),
        ("struct A { int x; A(int v) : x(v) {} }; A *a = new A(5); a->x++; n = a->x;", 6),
    ],
    ids=lambda value: str(value)[-40:],
)
def test_objects_of_the_library_behind_pointers(body, expected):
    assert main(body, "64") == [expected]
