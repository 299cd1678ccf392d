# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM python:3.13-slim AS build
RUN pip install --no-cache-dir pdm
WORKDIR /app
COPY pyproject.toml /app/
RUN --mount=type=cache,id=example-pdm,target=/root/.cache/pdm ["/bin/sh", "-c", "pdm install --prod --no-self && .venv/bin/python -m ensurepip && .venv/bin/python -m pip install uvicorn"]
COPY . /app/

FROM python:3.13-slim
ENV PYTHONUNBUFFERED=1
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8000
CMD ["/bin/sh", "-c", "exec .venv/bin/uvicorn main:app --host ${HOST:-0.0.0.0} --port ${PORT:-8000}"]
