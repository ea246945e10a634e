"""The generated pages of docs/reference are up to date, and prose has its form."""

import pathlib
import re
import subprocess
import urllib.request


ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_requests_are_those_of_the_service(program, tmp_path):
    vectors = tmp_path / "v.txt"
    vectors.write_text("2 2\na 1 0\nb 0 1\n")
    service = subprocess.Popen(
        [program, "serve", vectors, "--port", "0", "--access-log", "off"],
        stderr=subprocess.PIPE, text=True)
    try:
        address = next(re.search(r"http://\S+", line)[0]
                       for line in service.stderr if "http://" in line)
        with urllib.request.urlopen(address + "/openapi.json") as answer:
            description = answer.read()
    finally:
        service.terminate()
        service.wait()
        service.stderr.close()
    for name, option in (("http.md", []), ("questions.md", ["--questions"])):
        page = subprocess.run([ROOT / "tests" / "docs" / "http_page", *option],
                              check=True, input=description,
                              capture_output=True).stdout.decode()
        written = (ROOT / "docs" / "reference" / name).read_text("utf-8")
        assert written == page, (
            "curl http://localhost:8080/api/v1/openapi.json | tests/docs/http_page "
            f"{' '.join(option)} >docs/reference/{name} renews it")


def test_pages_keep_their_form():
    done = subprocess.run([ROOT / "tests" / "docs" / "check_prose"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_comments_of_the_headers_are_sentences():
    done = subprocess.run(
        [ROOT / "tests" / "docs" / "check_comments", ROOT / "include" / "firth", "2"],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
