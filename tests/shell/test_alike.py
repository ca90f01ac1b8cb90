"""The same commands have the same results in every sandbox."""
# ruff: noqa: E501 (one line, one command)

from __future__ import annotations

import functools

import pytest
from support.shell import SANDBOXES, need, run

from pi_gym.tools.shell_result import ShellResult

FILES = {"a.txt": b"hello\n", "d/e.txt": b"x\ny\n", "s.py": b"#!/usr/bin/env python3\nprint(6 * 7)\n"}
COMMANDS = {
    "a script made and run": "printf '#!/bin/sh\\necho ran $1\\n' > s; chmod +x s; ./s once; chmod 644 s; ./s twice",
    "a script that came executable": "./s.py",
    "modes": "chmod 640 a.txt; stat -c %a a.txt; chmod -R u=rwX,go= d; stat -c %a d d/e.txt; mkdir -m 700 k; stat -c %a k",
    "modes by descriptor": "python3 -c \"import os; f = open('a.txt'); os.fchmod(f.fileno(), 0o755)\"; stat -c %a a.txt",
    "times": "touch -d 2001-02-03T04:05:06Z a.txt; stat -c %Y a.txt; touch -r a.txt d/e.txt; stat -c %Y d/e.txt",
    "times of a link": "ln -s a.txt l; touch -h -d @5 l; stat -c %Y l; rm l",
    "newer": "touch -d 2001-02-03 a.txt; touch n; find . -newer a.txt -name '[an]*'; [ a.txt -ot n ] && echo older",
    "copies keep modes and times": "touch -d @99 a.txt; chmod 600 a.txt; cp -p a.txt b; stat -c '%a %Y' b; rm b",
    "archives": "tar czf t.tgz d && rm -r d && tar xzf t.tgz && cat d/e.txt && rm t.tgz",
    "moves between folders": "mv a.txt d/b.txt; mv d q; mkdir r; mv q r/; cat r/q/b.txt; ls -R",
    "a folder that moves into another, by Python": "python3 -c \"import shutil; shutil.move('d', 'k/l')\"; ls k/l",
    "links": "ln a.txt h; stat -c %h a.txt; rm h; ln -s d/e.txt l; cat l; readlink l; rm l",
    "in place": "sed -i s/hello/bye/ a.txt; cat a.txt; truncate -s 2 a.txt; cat a.txt; python3 -c \"open('a.txt','w')\"",
    "signals": "sleep 30 & kill $!; wait $!; echo $?; trap 'echo got' USR1; kill -USR1 $$; kill -0 $$ && echo alive",
    "groups of processes": "set -m; sleep 30 & kill -TERM -- -$!; wait $!; echo $?; timeout 0.2 sleep 9; echo $?",
    "a child's signals by Python": (
        "python3 -c \"import subprocess as s; p = s.Popen(['sleep', '9']); p.terminate(); print(p.wait())\""
    ),
    "substitution": "diff <(sort d/e.txt) <(sort -r d/e.txt) | wc -l; cat <<< word; echo x | tee /dev/stderr | cat",
    "pipes of Python": (
        "python3 -c \"import subprocess as s, asyncio as a; print(s.run('echo hi', shell=True, capture_output=True).stdout);"
        ' a.run(a.sleep(0)); from concurrent.futures import ThreadPoolExecutor as T; print(sum(T(4).map(abs, range(9))))"'
    ),
    "a pair of sockets": (
        "python3 -c \"import socket as s; a, b = s.socketpair(); a.setsockopt(1, 7, 4096); a.send(b'x'); print(b.recv(1))\""
    ),
    "temporary files": "t=$(mktemp -d); echo x > $t/y; cat $t/y; python3 -c 'import tempfile; tempfile.TemporaryFile()'",
    "devices": "head -c 3 /dev/zero | od -An -tx1; echo x > /dev/null; head -c 4 /dev/urandom | wc -c",
    "home": "cd; pwd; echo x > .note; cat ~/.note; cd workspace 2>/dev/null || cd $OLDPWD; pwd",
    "a temporary file by its name": "echo x > /tmp/x; cat /tmp/x; ls /tmp; echo '/tmp'",
    "who": "echo $USER $LANG $TZ; umask; ulimit -n; nice",
    "statuses": "false; echo $?; (exit 7); echo $?; nosuch; echo $?; ./a.txt; echo $?; kill -9 $$",
    "a database": "python3 -c \"import sqlite3 as s; c = s.connect('x.db'); c.execute('create table t(a)'); c.commit()\"; rm x.db",
    "a program of its own": "cp /usr/bin/env ./mine; ./mine true; echo $?; rm mine",
    "long output": "seq 100000",
}


@functools.cache
def result(backend: str, name: str) -> ShellResult:
    return run(COMMANDS[name], FILES, backend=backend, wall_s=20)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("backend", SANDBOXES[1:])
def test_a_command_has_the_result_that_it_has_in_bubblewrap(backend: str, name: str) -> None:
    need("bubblewrap")
    need(backend)
    assert result(backend, name) == result("bubblewrap", name)
