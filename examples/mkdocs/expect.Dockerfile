# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM python:3.13-slim AS build
WORKDIR /app
COPY requirements.txt /app/
RUN --mount=type=cache,id=example-pip,target=/root/.cache/pip ["/bin/sh", "-c", "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"]
COPY . /app/
RUN --mount=type=cache,id=example-pip,target=/root/.cache/pip .venv/bin/mkdocs build

FROM scratch
COPY --from=build /app/site /site
