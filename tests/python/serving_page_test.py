"""The commands of docs/guides/serving.md are run against services.

Each "$ firth serve" of the page starts a service at a free port, after ending the one
before it; the commands that follow ask this one instead of port 8080. What they print
is compared, except for numbers with a fraction and times, which vary.
"""

import os
import re
import shutil
import signal
import subprocess

import pytest

from pages_test import ROOT, blocks_of, commands_of, matches, run_block, run_shell

PAGE = ROOT / "docs" / "guides" / "serving.md"
VARYING = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z|\d+\.\d+(?= ms| kB)|\b0\.\d+")


class Services:
    """The service that the page has started last."""

    def __init__(self, folder, environment):
        self.folder = folder
        self.environment = environment
        self.process = None
        self.port = "8080"

    def start(self, command):
        """Returns the lines that the service prints until it answers, with port 8080."""
        self.end()
        self.process = subprocess.Popen(
            ["bash", "-c", f"exec {command} --port 0"], cwd=self.folder,
            env=self.environment, stderr=subprocess.PIPE, text=True)
        lines = [self.process.stderr.readline().rstrip()]
        while lines[-1] and "answering at" not in lines[-1]:
            lines.append(self.process.stderr.readline().rstrip())
        self.port = re.search(r":(\d+)/", lines[-1])[1]
        return [*lines[:-1], lines[-1].replace(self.port, "8080")]

    def end(self):
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()
        assert self.process.returncode == 0
        self.process = None

    def run(self, command):
        if command.startswith("firth serve "):
            return self.start(command)
        command = command.replace(":8080", f":{self.port}")
        return run_shell(command.replace("curl ", "curl --silent "), self.folder,
                         self.environment)


def steady(lines):
    return [VARYING.sub("#", line) for line in lines]


@pytest.mark.skipif(not shutil.which("curl") or not shutil.which("openssl"),
                    reason="curl and openssl are not installed")
def test_the_commands_for_services_print_what_the_page_shows(program, tmp_path):
    bin_folder = tmp_path / ".bin"
    bin_folder.mkdir()
    (bin_folder / "firth").symlink_to(program.resolve())
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "NO_PROXY": "*",
                   "PATH": f"{bin_folder}:{os.environ['PATH']}"}
    services, count = Services(tmp_path, environment), 0
    try:
        for block in blocks_of(PAGE):
            if block.mark != "run by tests/python/serving_page_test.py":
                if block.language == "bash":
                    run_block(block, tmp_path, environment, {})
                continue
            for command, expected in commands_of(block.text):
                printed = services.run(command)
                count += 1
                assert matches(steady(expected), steady(printed)), (
                    f"{PAGE}:{block.line}: $ {command}\nshould print\n"
                    + "\n".join(expected) + "\nand printed\n" + "\n".join(printed))
    finally:
        if services.process is not None:
            services.process.kill()
            services.process.communicate()
    assert count >= 15
