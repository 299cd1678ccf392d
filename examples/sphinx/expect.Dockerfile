# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM python:3.13-slim AS build
WORKDIR /app
COPY requirements.txt /app/
RUN --mount=type=cache,id=example-pip,target=/root/.cache/pip ["/bin/sh", "-c", "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"]
COPY . /app/
RUN --mount=type=cache,id=example-pip,target=/root/.cache/pip .venv/bin/sphinx-build -b html docs docs/_build/html

FROM scratch
COPY --from=build /app/docs/_build/html /site
