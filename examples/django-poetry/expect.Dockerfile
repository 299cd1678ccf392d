# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM python:3.13-slim AS build
RUN pip install --no-cache-dir poetry
WORKDIR /app
COPY pyproject.toml /app/
RUN --mount=type=cache,id=example-poetry,target=/root/.cache/pypoetry ["/bin/sh", "-c", "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --only main --no-interaction --no-root && .venv/bin/python -m ensurepip && .venv/bin/python -m pip install gunicorn"]
COPY . /app/

FROM python:3.13-slim
ENV PYTHONUNBUFFERED=1
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8000
CMD ["/bin/sh", "-c", "exec .venv/bin/gunicorn --bind ${HOST:-0.0.0.0}:${PORT:-8000} site_settings.wsgi:application"]
