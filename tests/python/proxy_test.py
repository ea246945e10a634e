"""The proxies of docs/guides/serving.md pass requests on to a service.

nginx and Caddy are used if they are installed, or at FIRTH_NGINX and FIRTH_CADDY.
"""

import os
import re
import shutil
import socket
import ssl
import subprocess
import time

import pytest

from pages_test import ROOT

PAGE = (ROOT / "docs" / "guides" / "serving.md").read_text("utf-8")
TOKEN = "0123456789abcdef"
NAME = "words.example.org"


def program_of(name):
    path = shutil.which(os.environ.get(f"FIRTH_{name.upper()}", name),
                        path=os.environ["PATH"] + ":/usr/sbin")
    return path or pytest.skip(f"{name} is not installed")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def certificate(tmp_path):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}",
         "-keyout", tmp_path / "words.key", "-out", tmp_path / "words.pem"],
        check=True, capture_output=True)
    return tmp_path / "words.pem"


@pytest.fixture
def service(program, tmp_path):
    """The port of a service that was started as the page says."""
    (tmp_path / "v.txt").write_text("2 2\nking 1 0\nqueen 1 1\n")
    token = tmp_path / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    with subprocess.Popen(
            [program, "serve", tmp_path / "v.txt", "--token", token, "--allow-host",
             NAME, "--port", "0", "--access-log", "off"],
            stderr=subprocess.PIPE, text=True) as process:
        yield next(int(re.search(r"http://[\d.]+:(\d+)", line)[1])
                   for line in process.stderr if "http://" in line)
        process.terminate()


def block_with(text):
    """The block of code on the page that contains the text."""
    return next(block for block in re.findall(r"```\w+\n(.*?)```", PAGE, re.DOTALL)
                if text in block)


def answer_through(port, certificate, path, body=None, token=TOKEN):
    """Asks over TLS, with the name of the certificate; the status and the answer."""
    context = ssl.create_default_context(cafile=certificate)
    with socket.create_connection(("127.0.0.1", port)) as plain, \
            context.wrap_socket(plain, server_hostname=NAME) as client:
        head = [f"{'POST' if body else 'GET'} {path} HTTP/1.1", f"Host: {NAME}",
                "Connection: close", f"Authorization: Bearer {token}"]
        if body:
            head += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        client.sendall(("\r\n".join(head) + "\r\n\r\n" + (body or "")).encode())
        answer = b""
        while piece := client.recv(65536):
            answer += piece
    return int(answer.split()[1]), answer.decode()


def check(process, port, certificate):
    for _ in range(100):
        try:
            status, _ = answer_through(port, certificate, "/readyz")
            break
        except OSError:
            assert process.poll() is None, process.communicate()[0]
            time.sleep(0.1)
    assert status == 200
    status, answer = answer_through(port, certificate, "/api/v1/neighbors",
                                    '{"queries":["king"]}')
    assert status == 200
    assert '"word":"queen"' in answer
    assert answer_through(port, certificate, "/readyz", token="wrong")[0] == 401


def test_nginx(certificate, service, tmp_path):
    nginx = program_of("nginx")
    port = free_port()
    server = block_with("proxy_pass").replace("443 ssl", f"127.0.0.1:{port} ssl")
    server = server.replace("/etc/ssl", str(tmp_path)).replace("8080", str(service))
    paths = "".join(f"{kind}_temp_path {tmp_path}/{kind};\n" for kind in (
        "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (tmp_path / "nginx.conf").write_text(
        f"daemon off;\npid {tmp_path}/pid;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{paths}{server}}}\n")
    with subprocess.Popen([nginx, "-p", tmp_path, "-e", "stderr", "-c",
                           tmp_path / "nginx.conf"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as process:
        try:
            check(process, port, certificate)
        finally:
            process.terminate()


def test_caddy(certificate, service, tmp_path):
    caddy = program_of("caddy")
    port = free_port()
    site = block_with("reverse_proxy").replace("8080", str(service))
    # It would fetch the certificate of a name that exists.
    site = site.replace(NAME, f"{NAME}:{port}").replace(
        "{\n", f"{{\n  tls {certificate} {tmp_path}/words.key\n", 1)
    (tmp_path / "Caddyfile").write_text(
        "{\n  admin off\n  auto_https disable_redirects\n}\n" + site)
    with subprocess.Popen(
            [caddy, "run", "--config", tmp_path / "Caddyfile", "--adapter", "caddyfile"],
            env={**os.environ, "HOME": str(tmp_path)}, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True) as process:
        try:
            check(process, port, certificate)
        finally:
            process.terminate()
