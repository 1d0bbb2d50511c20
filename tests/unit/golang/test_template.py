"""Go templates: the same results as text/template and sprig."""

from __future__ import annotations

import pytest

from renderer.golang.template import GoTemplateError, render
from renderer.golang.template.functions import FUNCTIONS
from renderer.golang.template.values import TextMap
from renderer.model.run.limits import lowered

VALUES: dict[str, object] = {
    "name": "Big_Barn",
    "host": "a.example.org",
    "list": ["p", "q", ""],
    "labels": {"a.b/c": "deep"},
    "tree": {"x": {"y": "leaf"}},
    "num": 7.0,
    "large": 1234567.0,
    "flag": True,
    "nothing": None,
    "texts": TextMap(env="live"),
}

RENDERED = {
    "plain": "plain",
    "{{ .name }}": "Big_Barn",
    "{{.num}} {{.large}} {{.flag}}": "7 1.234567e+06 true",
    "{{ .absent }}|{{ .nothing }}|{{ .absent.deeper }}": "<no value>|<no value>|<no value>",
    "{{ .tree }} {{ .list }}": "map[x:map[y:leaf]] [p q ]",
    "a {{- 1 -}} b": "a1b",
    "a {{/* no word of it */}} b {{- /* nor */ -}} c": "a  bc",
    "{{ if .absent }}a{{ else if .flag }}b{{ else }}c{{ end }}": "b",
    "{{ with .tree.x }}{{ .y }}{{ $.name }}{{ else }}none{{ end }}": "leafBig_Barn",
    "{{ range $i, $e := .list }}{{ if not $e }}{{ continue }}{{ end }}{{ $i }}={{ $e }};{{ end }}": (
        "0=p;1=q;"
    ),
    "{{ range .absent }}x{{ else }}none{{ end }}": "none",
    "{{ range until 5 }}{{ if gt . 2 }}{{ break }}{{ end }}{{ . }}{{ end }}": "012",
    "{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}": "2",
    '{{ define "t" }}<{{ . }}>{{ end }}{{ template "t" .name }}': "<Big_Barn>",
    '{{ block "b" .num }}[{{ . }}]{{ end }}': "[7]",
    '{{ index .labels "a.b/c" }} {{ (index .list 1) }}': "deep q",
    '{{ and .flag .absent .name }} {{ or .absent "z" }}': "<no value> z",
    '{{ eq .name "x" "Big_Barn" }} {{ ne 1 2 }} {{ lt 1 2 }} {{ ge "b" "a" }}': "true true true true",
    "{{ len .list }} {{ len .name }}": "3 8",
    '{{ print 1 2 "a" 3 }}|{{ println 1 }}': "1 2a3|1\n",
    '{{ printf "%s-%03d-%q-%v-%d-%5s|%-4s|%t" .name 7 "a" .list .num "b" "c" true }}': (
        'Big_Barn-007-"a"-[p q ]-%!d(float64=7)-    b|c   |true'
    ),
    '{{ .absent | default "none" }} {{ default "x" .name }} {{ coalesce "" .nothing "y" }}': (
        "none Big_Barn y"
    ),
    '{{ .name | lower | replace "_" "-" | trunc 5 }} {{ trunc -4 .name }}': "big-b Barn",
    '{{ "it\'s a-b" | title }} {{ untitle "Ab Cd" }} {{ "xAb" | swapcase }}': "It'S A-B ab cd XaB",
    '{{ kebabcase "HTTP20xOK" }} {{ snakecase .name }} {{ camelcase "some_words" }}': (
        "http-20x-ok big_barn SomeWords"
    ),
    '{{ splitList "." .host | last }} {{ (split "." .host)._1 }} {{ join "+" .list }}': "org example p+q+",
    '{{ regexReplaceAll "(a)(b?)" "xaby" "${2}${1}" }} {{ regexFind "[a-z]+" "9ab" }}': "xbay ab",
    '{{ regexSplit "-" "a-b-c" 2 }} {{ regexMatch "^a$" "a" }} {{ regexFindAll "[ab]" "abc" -1 }}': (
        "[a b-c] true [a b]"
    ),
    '{{ add 1 .num "3" }} {{ sub 5 7 }} {{ mul 2 3 4 }} {{ div 7 2 }} {{ mod -7 2 }}': "11 -2 24 3 -1",
    '{{ max 1 5 3 }} {{ round 3.456 2 }} {{ floor 3.9 }} {{ int "0x10" }} {{ atoi "x" }}': "5 3.46 3 16 0",
    "{{ seq 3 }} {{ seq 2 -1 0 }} {{ untilStep 0 6 2 }}": "1 2 3 2 1 0 [0 2 4]",
    '{{ dict "a" 1 "b" (list 1 2) | toJson }} {{ (dict "a" 1).a }}': '{"a":1,"b":[1,2]} 1',
    '{{ hasKey .tree "x" }} {{ get .tree "z" }} {{ keys .tree }} {{ pick .tree "x" }}': (
        "true  [x] map[x:map[y:leaf]]"
    ),
    '{{ dig "x" "y" "none" .tree }} {{ dig "x" "q" "none" .tree }}': "leaf none",
    '{{ has "p" .list }} {{ without .list "" | rest }} {{ uniq (list 1 1 2) }} {{ compact .list }}': (
        "true [q] [1 2] [p q]"
    ),
    '{{ ternary "y" "n" .flag }} {{ empty .nothing }} {{ kindOf .list }} {{ typeOf .num }}': (
        "y true slice float64"
    ),
    "{{ toYaml .tree }}": 'x:\n  "y": leaf',
    '{{ (fromYaml "a: 5").a }} {{ fromYamlArray "[1, x]" }} {{ (fromJson "{\\"b\\": 2}").b }}': "5 [1 x] 2",
    '{{ "a" | b64enc }} {{ "YQ==" | b64dec }} {{ "a" | sha256sum | trunc 8 }}': "YQ== a ca978112",
    '{{ normalize "A_b/C." }} {{ base "a/b" }} {{ dir "a/b/c" }} {{ ext "x.tar.gz" }}': "a-b-c b a/b .gz",
    '{{ quote "a\\"b" 1 }} {{ squote "a" }} {{ cat "a" 1 nil }} {{ nindent 2 "a" }}': (
        '"a\\"b" "1" \'a\' a 1 \n  a'
    ),
    '{{ index .texts "env" }}{{ index .texts "none" }}.': "live.",
    "{{ `raw {{ }}` }}": "raw {{ }}",
}

REFUSED = {
    "{{ .name": "unclosed action",
    "{{ if .name }}": "a block has no {{end}}",
    "{{ end }}": "unexpected {{end}}",
    "{{ frobnicate }}": "not defined",
    "{{ $x }}": "undefined variable",
    "{{ .name.first }}": "can't evaluate field first in type string",
    "{{ eq .num 7 }}": "incompatible types",
    "{{ index .list 9 }}": "out of range",
    "{{ trunc .num .name }}": "expected int; got float64",
    "{{ lower .absent }}": "expected string",
    "{{ upper 1 2 }}": "wrong number of args",
    '{{ hasKey .texts "env" }}': "wrong type",
    '{{ fail "no" }}': "no",
    "{{ now }}": "time of day",
    "{{ uuidv4 }}": "a different result each time",
    '{{ template "none" }}': "not defined",
    '{{ define "t" }}{{ template "t" }}{{ end }}{{ template "t" }}': "calls are nested",
    "{{ range until 100000 }}{{ range until 100000 }}x{{ end }}{{ end }}": "more than",
    '{{ repeat 9999999 "a" }}': "more than",
    "{{ 1 | 2 }}": "non executable",
    "{{ break }}": "outside {{range}}",
    '{{ regexMatch "(" "a" }}': "regexp",
    "{{" + "(" * 60 + "1" + ")" * 60 + "}}": "nested",
}


def test_templates_render_like_go() -> None:
    assert {text: render(text, VALUES) for text in RENDERED} == RENDERED


@pytest.mark.parametrize(("text", "reason"), REFUSED.items(), ids=lambda text: text[:40])
def test_template_refused_by_go_has_a_reason(text: str, reason: str) -> None:
    with lowered({"template_steps": 200_000}), pytest.raises(GoTemplateError) as refused:
        render(text, VALUES)
    assert reason in str(refused.value)


def test_missing_key_follows_the_options() -> None:
    assert render("{{ .a }}", {}, ["missingkey=zero"]) == "<no value>"
    assert render("{{ .texts.none }}", VALUES, ["missingkey=zero"]) == ""
    with pytest.raises(GoTemplateError, match="no entry for key 'a'"):
        render("{{ .a }}", {}, ["missingkey=error"])
    with pytest.raises(GoTemplateError, match="unrecognized option"):
        render("{{ .a }}", {}, ["missing=error"])


def test_functions_that_need_randomness_or_the_clock_are_refused_by_name() -> None:
    for name in ("now", "date", "randAlpha", "genCA", "uuidv4", "bcrypt"):
        with pytest.raises(GoTemplateError, match=name):
            FUNCTIONS[name].call()
