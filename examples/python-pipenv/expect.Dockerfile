# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM python:3.11-slim AS build
RUN pip install --no-cache-dir pipenv
WORKDIR /app
COPY Pipfile /app/
RUN --mount=type=cache,id=example-pipenv,target=/root/.cache/pipenv PIPENV_VENV_IN_PROJECT=1 pipenv install --skip-lock
COPY . /app/

FROM python:3.11-slim
ENV PYTHONUNBUFFERED=1
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8000
CMD [".venv/bin/python", "bot.py"]
