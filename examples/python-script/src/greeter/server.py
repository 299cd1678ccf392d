import os
from http.server import HTTPServer, SimpleHTTPRequestHandler


def main() -> None:
    HTTPServer(("0.0.0.0", int(os.environ.get("PORT", "8000"))), SimpleHTTPRequestHandler).serve_forever()
