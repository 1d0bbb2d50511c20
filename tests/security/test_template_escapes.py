"""Known ways out of Jinja's sandbox, and out of templates without one.

From CVE-2014-1402 to CVE-2025-27516, from lists of testers (PayloadsAllTheThings, HackTricks) and from
write-ups of competitions. None may have any effect except to stop the template.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from renderer.model.codes import Code
from tests.unit.authoring.templates.rendering import failure

#: Created by any of them that manages to run something.
TRACE = "escaped"
OPEN = f"open('{TRACE}', 'w')"
RUN = f"popen('touch {TRACE}').read()"

#: Starting points: an object of each type that a template can have.
CHAINS = {
    "subclasses of object": "''.__class__.__mro__[1].__subclasses__()",
    "subclasses by base": "().__class__.__base__.__subclasses__()",
    "subclasses by bases": "[].__class__.__bases__[0].__subclasses__()",
    "subclasses by mro()": "{}.__class__.mro()[-1].__subclasses__()",
    "subclasses of a number": "(1).__class__.__base__.__subclasses__()",
    "subclasses of a range": "range(1).__class__.__base__.__subclasses__()",
    "subclasses by items": "''['__class__']['__mro__'][1]['__subclasses__']()",
    "an import": f"''.__class__.__mro__[1].__subclasses__()[0].__init__.__globals__['os'].{RUN}",
    "cycler": f"cycler.__init__.__globals__.os.{RUN}",
    "joiner": f"joiner.__init__.__globals__.os.{RUN}",
    "namespace": f"namespace.__init__.__globals__.os.{RUN}",
    "an instance of namespace": f"namespace().__init__.__globals__.os.{RUN}",
    "lipsum": f"lipsum.__globals__['os'].{RUN}",
    "lipsum by attr": f"(lipsum|attr('__globals__')).os.{RUN}",
    "dict": "dict.__base__.__subclasses__()",
    "dict by mro": "dict.mro()",
    "range": "range.__base__",
    "builtins": f"self.__init__.__globals__.__builtins__.__import__('os').{RUN}",
    "import": f"self._TemplateReference__context.cycler.__init__.__globals__.os.{RUN}",
    "context of self": "self.__dict__",
    "undefined": f"nothing.__init__.__globals__.os.{RUN}",
    "undefined's class": "nothing.__class__",
    "undefined's exception": "nothing._undefined_exception",
    "config of Flask": "config.__class__.__init__.__globals__['os']",
    "request of Flask": "request.application.__globals__.__builtins__",
    "url_for of Flask": "url_for.__globals__",
    "get_flashed_messages of Flask": "get_flashed_messages.__globals__",
    "g of Flask": "g.pop.__globals__.__builtins__",
    "settings of Django": "settings.SECRET_KEY",
    "open": OPEN,
    "eval": f'eval("{OPEN}")',
    "exec": f'exec("{OPEN}")',
    "compile": "compile('1', '', 'eval')",
    "getattr": "getattr('', '__class__')",
    "globals": "globals()",
    "vars": "vars()",
    "type": "type('')",
    "object": "object.__subclasses__()",
    "str": "str.format('{0.__class__}', 1)",
    "import function": f"__import__('os').{RUN}",
    "the environment": "environment",
    "the context": "context",
    "the resolver": "resolve('range').__class__",
    "missing": "missing.__class__",
    "loop's internals": "loop.__class__",
    # attributes by other ways (CVE-2025-27516, and the filters that look them up)
    "attr": "''|attr('__class__')",
    "attr of an escaped name": r"''|attr('\x5f\x5fclass\x5f\x5f')",
    "attr of an octal name": r"''|attr('\137\137class\137\137')",
    "attr of a joined name": "''|attr(['_'*2, 'class', '_'*2]|join)",
    "attr of a formatted name": "''|attr('%s%sclass%s%s'|format('_','_','_','_'))",
    "attr of a reversed name": "''|attr('__ssalc__'|reverse)",
    "attr of a replaced name": "''|attr('xxclassxx'|replace('x','_'))",
    "attr for format": "('{0.__class__.__init__.__globals__}'|attr('format'))(1)",
    "an item of an escaped name": r"''['\x5f\x5fclass\x5f\x5f']",
    "an item of a joined name": "''['_'*2 ~ 'class' ~ '_'*2]",
    "an item of a unicode name": "''['\\u005f\\u005fclass\\u005f\\u005f']",
    "a fullwidth name": "''.\uff3f\uff3fclass\uff3f\uff3f",
    "map with an attribute": "['']|map(attribute='__class__')|list",
    "map with attr": "['']|map('attr', '__class__')|list",
    "map with a dotted attribute": "['']|map(attribute='__class__.__mro__')|list",
    "select by attribute": "['']|selectattr('__class__')|list",
    "reject by attribute": "['']|rejectattr('__class__')|list",
    "group by attribute": "['']|groupby('__class__')",
    "sort by attribute": "['']|sort(attribute='__class__')",
    "unique by attribute": "['']|unique(attribute='__class__')|list",
    "sum of an attribute": "['']|sum(attribute='__class__')",
    "min of an attribute": "['', '']|min(attribute='__class__')",
    "join of an attribute": "['']|join(',', attribute='__class__')",
    # format strings (CVE-2016-10745, CVE-2019-10906, CVE-2024-56326)
    "format": "'{0.__class__.__init__.__globals__}'.format(1)",
    "format of a name": "'{a.__class__}'.format(a=1)",
    "format_map": "'{a.__class__.__mro__}'.format_map({'a': 1})",
    "a method kept for later": "{'a': '{0.__class__}'.format}.a(1)",
    "a method that is mapped": "['{0.__class__}']|map('format', 1)|list|first|attr('x')",
    "format by item": "''['format']('{0.__class__}', 1)",
    "format of markup": "('{0.__class__}'|safe).format(1)",
    "format of escaped text": "('{0.__class__}'|escape).format(1)",
    "format_map of markup": "('{a.__class__}'|safe).format_map({'a': 1})",
    "format_map by attr": "('{a.__class__}'|attr('format_map'))({'a': 1})",
    "a filter as a function": "(['{0.__class__}']|map|first).format(1)",
    # frames of generators and coroutines
    "frame of a generator": "([1]|map('string')).gi_frame.f_globals",
    "code of a generator": "([1]|select).gi_code",
    "frame back": "([1]|batch(1)).gi_frame.f_back.f_builtins",
    "frame of a coroutine": "m.cr_frame.f_globals",
    "frame of an async generator": "m.ag_frame",
    "code of a function": "m.func_code",
    "globals of a function": "m.func_globals",
    "code of a macro": "m._func.__code__",
    "environment of a macro": "m._environment",
    "a macro's caller": "m.caller",
    "self of a method": "''.upper.__self__",
    "function of a method": "[].append.im_func",
    "self of a built-in": "range.__self__",
    "globals by call": "m.__call__.__globals__",
    "traceback": "m.__traceback__.tb_frame",
    # what changes values that are shared
    "list.append": "[].append(1)",
    "dict.update": "{}.update({'a': 1})",
    "dict.setdefault": "{}.setdefault('a', 1)",
    "dict.pop": "{'a': 1}.pop('a')",
    "dict.clear": "{}.clear()",
    "dict.__setitem__": "{}.__setitem__('a', 1)",
    "set by namespace": "namespace(__class__=1).__class__",
    # to other files
    "a file of the loader": "self.environment.loader",
    "get_template": "environment.get_template('/etc/passwd')",
    "from_string": "environment.from_string('x')",
}
STATEMENTS = {
    "include": "{% include '/etc/passwd' %}",
    "include of a list": "{% include ['/etc/passwd'] ignore missing %}",
    "import": "{% import 'os' as os %}{{ os.name }}",
    "from import": "{% from 'os' import system %}{{ system('true') }}",
    "extends": "{% extends '/etc/passwd' %}",
    "block": "{% block a %}{{ self.a() }}{% endblock %}",
    "do": f"{{% do {OPEN} %}}",
    "debug": "{% debug %}",
    "trans": "{% trans %}x{% endtrans %}",
    "autoescape": "{% autoescape false %}{% endautoescape %}",
    "set of an attribute": "{% set a.__class__ = 1 %}",
    "set of a namespace": "{% set n = namespace() %}{% set n.__class__ = 1 %}{{ n.__class__ }}",
    "with": "{% with a = ''.__class__ %}{{ a }}{% endwith %}",
    "for": "{% for c in ''.__class__.__mro__ %}{{ c }}{% endfor %}",
    "if": "{% if ''.__class__ %}{% endif %}{{ ''.__class__ }}",
    "call": "{% macro m() %}{{ caller.__globals__ }}{% endmacro %}{% call m() %}{% endcall %}",
    "filter": "{% filter attr('__class__') %}x{% endfilter %}",
    "filter of a set": "{% set a | attr('__class__') %}x{% endset %}{{ a }}",
    "recursion": "{% for a in [1] recursive %}{{ loop.__call__.__globals__ }}{% endfor %}",
    "loop": "{% for a in [1] %}{{ loop._recurse }}{{ loop.__init__.__globals__ }}{% endfor %}",
    "cycle": "{% for a in [1] %}{{ loop.cycle.__globals__ }}{% endfor %}",
    "await": "{{ (await x) }}",
    "a line statement": "# for a in ''.__class__\n{{ ''.__class__ }}",
    "varargs": "{% macro m() %}{{ varargs.__class__ }}{% endmacro %}{{ m(1) }}",
    "kwargs": "{% macro m() %}{{ kwargs.__class__ }}{% endmacro %}{{ m(a=1) }}",
    "arguments": "{% macro m(a=''.__class__) %}{{ a }}{% endmacro %}{{ m() }}",
}


@pytest.fixture(autouse=True)
def _nothing_is_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("chain", CHAINS)
def test_expression_cannot_escape(chain: str, tmp_path: Path) -> None:
    error = failure(f"{{% macro m() %}}{{% endmacro %}}{{{{ {CHAINS[chain]} }}}}")
    assert error.code is Code.TEMPLATE_FAILED
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - names


@pytest.mark.parametrize("statement", STATEMENTS)
def test_statement_cannot_escape(statement: str, tmp_path: Path) -> None:
    error = failure(STATEMENTS[statement])
    assert error.code is Code.TEMPLATE_FAILED
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - names
