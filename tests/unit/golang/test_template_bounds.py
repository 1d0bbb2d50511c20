"""Go templates that could crash Python or keep it busy: Go's result, an error of the template, the budget."""

from __future__ import annotations

import time

import pytest

from renderer.golang.template import GoTemplateError, render
from renderer.golang.template.functions import FUNCTIONS
from renderer.model.run.limits import lowered
from renderer.model.run.work import WorkLimitError, begin_run

_NINES = "9" * 5000
_IFS, _ENDS = "{{ if true }}" * 45, "{{ end }}" * 45
_CYCLE = '{{ $d := dict }}{{ $_ := set $d "x" $d }}'
_DOUBLED = "{{ $a := list 1 }}" + "{{ $a = list $a $a }}" * 25
_DOUBLED_TWICE = _DOUBLED + "{{ $b := list 1 }}" + "{{ $b = list $b $b }}" * 25
_DOUBLED_MAP = '{{ $a := dict "x" 1 }}' + '{{ $a = dict "x" $a "y" $a }}' * 25
_DEEP = "{{ $a := list 1 }}{{ range 300 }}{{ $a = list $a }}{{ end }}"
_DEEP_MAP = '{{ $a := dict }}{{ range 300 }}{{ $a = dict "x" $a }}{{ end }}'

#: What Go makes of values that Python's numbers and texts cannot hold.
RESULTS = {
    '{{ int "08" }} {{ int "0_7" }} {{ int "1_000" }} {{ int "1.00" }} {{ int "1." }} {{ int " 1" }}': (
        "0 7 1000 1 0 0"
    ),
    '{{ int "0b11" }} {{ int "0x_f" }} {{ int "-0o17" }} {{ int "٣" }}': "3 15 -15 0",
    '{{ add 1 "09" }} {{ add1 "08" }} {{ mul 2 "0x" }}': "1 1 0",
    f'{{{{ int "{_NINES}" }}}} {{{{ int64 "-{_NINES}" }}}} {{{{ float64 "{_NINES}" }}}}': "0 0 0",
    f'{{{{ atoi "{_NINES}" }}}} {{{{ atoi "-{_NINES}" }}}} {{{{ atoi "1_0" }}}} {{{{ atoi "08" }}}}': (
        "9223372036854775807 -9223372036854775808 0 8"
    ),
    f'{{{{ toDecimal "0777" }}}} {{{{ toDecimal "{_NINES}" }}}}': "511 0",
    "{{ add 9223372036854775807 1 }} {{ mul 4611686018427387904 4 }} {{ sub -9223372036854775808 1 }}": (
        "-9223372036854775808 0 9223372036854775807"
    ),
    "{{ div -9223372036854775808 -1 }}": "-9223372036854775808",
    '{{ ceil "nan" }} {{ floor "inf" }} {{ ceil "-Infinity" }} {{ round "nan" 2 }}': "NaN +Inf -Inf NaN",
    "{{ round 1.5 400 }} {{ round 1.5 -400 }} {{ round 0 400 }} {{ round 15.5 -1 }}": "NaN NaN NaN 20",
    '{{ int (float64 "nan") }} {{ int 1e300 }} {{ float64 "1e999" }} {{ float64 " 1" }}': (
        "-9223372036854775808 -9223372036854775808 0 0"
    ),
    '{{ maxf 1 "nan" 3 }} {{ minf "inf" 2 }} {{ maxf "-inf" 1e308 }}': "NaN 2 1e+308",
    '{{ toJson (float64 "nan") }}|{{ toPrettyJson (list (float64 "inf")) }}': "|",
    "{{ toJson (list 1e21 1e20 0.000001 0.0000001 1.5 -0.0 1e308) }}": (
        "[1e+21,100000000000000000000,0.000001,1e-7,1.5,-0,1e+308]"
    ),
    '{{ toPrettyJson (dict "a" (list 1 "<") "b" dict) }}': (
        '{\n  "a": [\n    1,\n    "\\u003c"\n  ],\n  "b": {}\n}'
    ),
    '{{ printf "%c%c%c%c" -1 55296 1114112 65 }}': "\ufffd\ufffd\ufffdA",
    '{{ printf "%U %x %X %o %b %+d % d" 233 -255 255 8 5 5 5 }}': "U+00E9 -ff FF 10 101 +5  5",
    f'{{{{ printf "%{_NINES}d|" 1 }}}}': "%!(NOVERB)%!(EXTRA int=1)",
    f'{{{{ printf "%.{_NINES}f|" 1.5 }}}}': "%!(NOVERB)%!(EXTRA float64=1.5)",
    '{{ printf "%" }}|{{ printf "%d" }}|{{ printf "%!" 1 }}|{{ printf "%d%%" 1 2 }}': (
        "%!(NOVERB)|%!d(MISSING)|%!!(int=1)|1%%!(EXTRA int=2)"
    ),
    '{{ printf "%*d|%-*d|%.*f" 5 1 5 2 1 1.55 }}': "    1|2    |1.6",
    '{{ printf "%[2]s-%[1]s-%[2]s|%[3]*.[2]*[1]f|%[9]d|%[x]d" "a" "b" }}': (
        "b-a-b|%!(BADWIDTH)%!(BADPREC)%!f(BADINDEX)|%!d(BADINDEX)|%!d(BADINDEX)"
    ),
    '{{ printf "%[1]q %[1]x %[1]v|%s|%d" "a" (list 1 `b`) }}': '"a" 61 a|[%!s(int=1) b]|%!d(MISSING)',
    '{{ printf "%d|%05s|%-5v|%+.2e" (list 1 (dict `k` 2)) "ab" nil 12345.678 }}': (
        "[1 map[%!d(string=k):2]]|000ab|<nil>|+1.23e+04"
    ),
    '{{ printf "%*d" "x" 1 }} {{ printf "%g %e %.2f" 1.5 1.5 1.5 }}': "%!(BADWIDTH)1 1.5 1.500000e+00 1.50",
    '{{ printf "%5.1f|%05d|%-5d|%x|%q" 3.14159 42 7 "hi" "a\\tb" }}': '  3.1|00042|7    |6869|"a\\tb"',
    '{{ printf "%f %d" (float64 "inf") (float64 "nan") }}': "+Inf %!d(float64=NaN)",
    '{{ len (fromJson "\\"\\\\ud800\\"") }} {{ b64enc (fromJson "\\"\\\\ud800\\"") }}': "3 77+9",
    '{{ sha256sum (fromJson "\\"\\\\ud800\\"") | trunc 8 }}': "83d544cc",
    '{{ regexMatch "." (fromJson "\\"\\\\ud800\\"") }}': "true",
    f"{{{{ fromJson `{_NINES}` }}}} {{{{ fromJson `NaN` }}}} {{{{ fromJson `1e999` }}}}": (
        "<no value> <no value> <no value>"
    ),
    "{{ $x := fromJson (print (repeat 3000 `[`) (repeat 3000 `]`)) }}{{ $x }}": "<no value>",
    '{{ "\\u00e9\\xc3\\xa9\\303\\251" }} {{ len "\\U0001F600" }}': "ééé 4",
    "{{ 'a' }} {{ '\\n' }} {{ '\\xff' }} {{ '\\'' }} {{ 0x10 }} {{ 1_0 }} {{ 017 }} {{ -5 }}": (
        "97 10 255 39 16 10 15 -5"
    ),
    '{{ trunc 2 "é" }} {{ trunc 1 "é" }} {{ substr 0 2 "éa" }} {{ index "éa" 2 }}': "é \ufffd é 97",
    '{{ repeat 99999999999999 "" }}{{ substr 0 99999999999 "a" }}{{ trimAll "xy" "xyaxyx" }}': "aa",
    "{{ range $i, $x := list }}{{ else }}{{ $x }}{{ end }}": "[]",
    "{{ range $x := 0 }}{{ else }}{{ $x }}{{ end }}": "0",
    "{{ range 3 }}{{ . }}{{ end }}{{ range -3 }}x{{ else }}none{{ end }}": "012none",
    "{{ range 20 }}{{ range 4000000 }}{{ break }}{{ end }}{{ end }}": "",
    "{{ until 3 }}{{ until -3 }}{{ untilStep 5 0 -2 }}{{ untilStep 0 5 0 }}{{ typeOf (until 1) }}": (
        "[0 1 2][0 -1 -2][5 3 1][][]int"
    ),
    "{{ len (until 100000) }} {{ index (until 9) 3 }} {{ first (until 9) }} {{ last (until 9) }}": (
        "100000 3 0 8"
    ),
    "{{ rest (until 4) }} {{ reverse (until 3) }} {{ append (until 2) `x` }} {{ has 2 (until 3) }}": (
        "[1 2 3] [2 1 0] [0 1 x] true"
    ),
    "{{ toJson (until 3) }} {{ join `-` (until 3) }} {{ toYaml (until 2) }} {{ kindOf (until 1) }}": (
        "[0,1,2] 0-1-2 - 0\n- 1 slice"
    ),
    "{{ len (uniq (concat (until 5000) (until 5000))) }} {{ uniq (list 1 1.0 `1` (list 1) (list 1)) }}": (
        "5000 [1 1 1 [1]]"
    ),
    "{{ len (without (until 5000) 1 2 3) }} {{ len (uniq (list (float64 `nan`) (float64 `nan`))) }}": (
        "4997 2"
    ),
    '{{ deepEqual (list "a") "a" }} {{ deepEqual (until 2) (list 0 1) }}': "false false",
    _DOUBLED + "{{ deepEqual $a $a }} {{ len $a }}": "true 2",
    _DOUBLED_TWICE
    + "{{ deepEqual $a $b }} {{ has $a (list $b) }} {{ len (uniq (list $a $b)) }}": "true true 1",
    '{{ $d := dict "a" (dict) }}{{ $c := deepCopy $d }}{{ $_ := set $c.a "x" 1 }}{{ $d }} {{ $c }}': (
        "map[a:map[]] map[a:map[x:1]]"
    ),
    "{{ $d := dict `a` 1 }}{{ merge $d $d }}{{ mergeOverwrite $d (dict `a` 2) }}": "map[a:1]map[a:2]",
    '{{ html "<a href=\'x\'>&" }} {{ js "a\'<\\"" }} {{ urlquery "a b&é" }}': (
        "&lt;a href=&#39;x&#39;&gt;&amp; a\\'\\u003C\\\" a+b%26%C3%A9"
    ),
}

#: What Go reports as an error, or ends with.
ERRORS = {
    _CYCLE + "{{ toJson $d }}": "contain itself",
    '{{ $d := dict }}{{ $_ := set $d "x" (list 1 (dict "y" $d)) }}': "contain itself",
    '{{ $d := dict }}{{ merge $d (dict "x" $d) }}': "contain itself",
    '{{ $d := dict }}{{ mergeOverwrite $d (dict) (dict "x" (list $d)) }}': "contain itself",
    '{{ $a := dict }}{{ $b := dict "a" $a }}{{ $_ := set $a "b" $b }}': "contain itself",
    '{{ $_ := set .tree "x" . }}': "contain itself",
    f"{{{{ {_NINES} }}}}": "integer overflow",
    f"{{{{ 0x{'f' * 5000} }}}}": "integer overflow",
    f"{{{{ 1e{'9' * 50} }}}}": "illegal number",
    "{{ 09 }}": "illegal number",
    "{{ 'ab' }}": "unexpected",
    "{{ '\\nb' }}": "malformed character",
    '{{ "\\U00110000" }}': "invalid escape",
    '{{ "\\ud800" }}': "invalid escape",
    '{{ "\\xff" }}': "not UTF-8",
    '{{ "\\400" }}': "invalid escape",
    '{{ "\\q" }}': "unknown escape",
    '{{ b64dec "/////w==" }}': "not UTF-8",
    '{{ printf "%#v" 1 }}': "not supported",
    '{{ printf "%p" .tree }}': "not supported",
    '{{ printf "%x" 1.5 }}': "not supported",
    "{{ range $i, $e := 3 }}{{ end }}": "more than one variable",
    "{{ print(list 1) }}": "unexpected",
    "{{ index (list 1) 99999999999999999999999 }}": "integer overflow",
    "{{ index (list 1) 9223372036854775807 }}": "out of range",
    '{{ substr 2 1 "abc" }}': "slice bounds",
    '{{ substr -1 9 "abc" }}': "slice bounds",
    '{{ repeat -1 "a" }}': "negative",
    '{{ indent -1 "a" }}': "negative",
    '{{ repeat 9223372036854775807 "a" }}': "more than",
    '{{ indent 9223372036854775807 "a" }}': "more than",
    '{{ $x := join (repeat 1048576 "x") (until 1000) }}': "more than",
    "{{ seq 1 99999999999 }}": "more than",
    "{{ until 9223372036854775807 }}": "more than",
    "{{ untilStep -9223372036854775808 9223372036854775807 1 }}": "more than",
    "{{ div 1 0 }}": "divide by zero",
    "{{ mod 1 0 }}": "divide by zero",
    "{{ divf 1 0 }}": "division by 0",
    '{{ addf "nan" 1 }}': "NaN",
    '{{ mustToJson (float64 "nan") }}': "unsupported value",
    '{{ toYaml (float64 "nan") }}': "unsupported value",
    "{{ mustFromJson `1e999` }}": "too large",
    '{{ regexMatch "(a{1000}){1000}" "a" }}': "regexp",
    "{{ eq (until 1) (until 1) }}": "non-comparable",
    _DEEP + "{{ print $a }}": "nested more than",
    _DEEP + "{{ toJson $a }}": "nested more than",
    _DEEP + "{{ toYaml $a }}": "nested more than",
    _DEEP + "{{ deepCopy $a }}": "nested more than",
    _DEEP + "{{ deepEqual $a (list $a) }}": "nested more than",
    _DEEP_MAP + "{{ $a }}": "nested more than",
    _DEEP_MAP + "{{ merge $a (deepCopy $a) }}": "nested more than",
    f'{{{{ define "t" }}}}{_IFS}{{{{ template "t" }}}}{_ENDS}{{{{ end }}}}{{{{ template "t" }}}}': (
        "nested more"
    ),
}

#: What the budget of the run ends.
TOO_MUCH_WORK = (
    _DOUBLED + "{{ $x := toJson $a }}",
    _DOUBLED + "{{ $x := toPrettyJson $a }}",
    _DOUBLED + "{{ $x := print $a }}",
    _DOUBLED + "{{ $x := deepCopy $a }}",
    _DOUBLED + "{{ $x := quote $a }}",
    _DOUBLED + "{{ $x := printf `%v` $a }}",
    _DOUBLED + "{{ $x := join `` $a }}",
    _DOUBLED + "{{ $a }}",
    _DOUBLED_MAP + "{{ $x := toYaml $a }}",
    _DOUBLED_MAP + "{{ $x := merge (deepCopy $a) $a }}",
    "{{ range 20 }}{{ range 4000000 }}{{ end }}{{ end }}",
    "{{ range 1000000 }}{{ range 1000000 }}{{ end }}{{ end }}",
    '{{ define "t" }}{{ template "u" }}{{ template "u" }}{{ end }}'
    '{{ define "u" }}{{ range 9 }}{{ range 9999 }}{{ end }}{{ end }}{{ end }}' + '{{ template "t" }}' * 50,
    '{{ $b := repeat 1000000 "x" }}{{ range 1000 }}{{ $x := upper $b }}{{ end }}',
    '{{ $b := repeat 1000000 "x" }}{{ range 1000 }}{{ $x := list $b $b | join "-" }}{{ end }}',
    '{{ $b := repeat 100000 "a" }}{{ $x := regexFindAll "a.*b|a" $b -1 }}',
    '{{ $b := repeat 100000 "a" }}{{ $x := regexReplaceAll "(a+)+b|a" $b "${1}" }}',
    '{{ $b := repeat 100000 "a" }}{{ $x := regexSplit "a.*b|a" $b -1 }}',
    '{{ $b := repeat 1000 "a" }}{{ range 4000 }}{{ $x := regexMatch "(a|b)*a(a|b){20}c" $b }}{{ end }}',
    "{{ range 10000 }}{{ $x := has -1 (until 10000) }}{{ end }}",
    "{{ $l := list }}{{ range 100000 }}{{ $l = append $l 1 }}{{ end }}",
    "{{ $l := list }}{{ range 2000 }}{{ $l = append $l (list .) }}{{end}}{{ range 9 }}{{ uniq $l }}{{end}}",
    "{{ $d := dict }}{{ range $i := until 100000 }}{{ $_ := set $d (print $i) $d.x }}{{ end }}",
    '{{ $b := repeat 500000 "[1]," }}{{ range 30 }}{{ $x := fromYamlArray (print "[" $b "]") }}{{ end }}',
    "{{ range 100000 }}{{ sortAlpha (until 1000) }}{{ end }}",
    '{{ range 100000 }}{{ $x := printf "%1000000d" 1 }}{{ end }}',
    '{{ range 100000 }}{{ $x := printf "%.1000000f" 1.5 }}{{ end }}',
)

#: A tenth of the usual budget, and the time that it takes at most, on a busy machine.
WORK, SECONDS = 400_000, 2


@pytest.mark.parametrize(("text", "expected"), RESULTS.items(), ids=lambda text: text[:40])
def test_result_is_the_one_of_go(text: str, expected: str) -> None:
    begin_run()
    assert render(text, {}) == expected


@pytest.mark.parametrize(("text", "reason"), ERRORS.items(), ids=lambda text: text[:40])
def test_what_go_refuses_is_an_error_of_the_template(text: str, reason: str) -> None:
    begin_run()
    with pytest.raises(GoTemplateError) as refused:
        render(text, {"tree": {}})
    assert reason in str(refused.value)


@pytest.mark.parametrize("text", TOO_MUCH_WORK, ids=lambda text: text[-60:])
def test_expensive_template_ends_within_the_budget(text: str) -> None:
    begin_run()
    start = time.process_time()
    with lowered({"work": WORK}), pytest.raises((WorkLimitError, GoTemplateError)):
        render(text, {})
    assert time.process_time() - start < SECONDS


def test_budget_applies_to_a_template_outside_of_a_run() -> None:
    with lowered({"work": WORK}), pytest.raises(WorkLimitError):
        render(_DOUBLED + "{{ print $a }}", {})


def test_many_variables_are_found_in_constant_time() -> None:
    begin_run()
    names = "".join(f"{{{{ $v{index} := 1 }}}}" for index in range(8000))
    start = time.process_time()
    assert render(names + "{{ range 50000 }}{{ $v0 }}{{ end }}", {}) == "1" * 50000
    assert time.process_time() - start < SECONDS


def test_template_does_not_change_its_input() -> None:
    values = {"tree": {"x": [{"y": 1.0}]}}
    for text in (
        '{{ $_ := set .tree "a" 1 }}{{ .tree.a }}',
        '{{ $_ := set (index .tree.x 0) "y" 2 }}1',
        '{{ $_ := unset .tree "x" }}1',
        '{{ $_ := mergeOverwrite .tree (dict "x" 3) }}1',
        '{{ $_ := mustMerge .tree (dict "z" 3) }}1',
    ):
        assert render(text, values) == "1"
        assert values == {"tree": {"x": [{"y": 1.0}]}}


def test_output_is_bounded() -> None:
    with lowered({"template_output": 100}), pytest.raises(GoTemplateError, match="more than 100"):
        render("{{ range 101 }}x{{ end }}", {})


def test_every_function_refuses_numbers_and_texts_that_python_cannot_hold() -> None:
    """Each function with each of them, in each place."""
    hostile = (
        *(
            "-1",
            "9223372036854775807",
            '(float64 "nan")',
            '(float64 "inf")',
            '"08"',
            '"é"',
            "nil",
            "(until 3)",
        ),
        *('(fromJson "\\"\\\\ud800\\"")', '(dict "x" (list 1))', '""', "1e308", "true", f'"{_NINES}"'),
    )
    for name, function in FUNCTIONS.items():
        for one in hostile:
            for count in range(1, 4):
                begin_run()
                others = hostile[: count - 1] if function.rest else hostile[: len(function.parameters) - 1]
                for arguments in ((one, *others), (*others, one)):
                    try:
                        render(f"{{{{ {name} {' '.join(arguments)} }}}}", {})
                    except (GoTemplateError, WorkLimitError):
                        continue
