# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM python:3.12-slim AS build
COPY --from=ghcr.io/astral-sh/uv:latest /uv /usr/local/bin/uv
ENV UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never
WORKDIR /app
COPY pyproject.toml /app/
RUN --mount=type=cache,id=example-uv,target=/root/.cache/uv uv sync --no-dev
COPY . /app/

FROM python:3.12-slim
ENV PYTHONUNBUFFERED=1
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8000
CMD ["/bin/sh", "-c", "exec .venv/bin/uvicorn orders.main:app --host ${HOST:-0.0.0.0} --port ${PORT:-8000} --app-dir src"]
