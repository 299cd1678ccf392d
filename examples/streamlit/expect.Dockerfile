# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM python:3.11.9-slim AS build
WORKDIR /app
COPY requirements.txt /app/
RUN --mount=type=cache,id=example-pip,target=/root/.cache/pip ["/bin/sh", "-c", "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"]
COPY . /app/

FROM python:3.11.9-slim
ENV PYTHONUNBUFFERED=1
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8501
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8501
CMD ["/bin/sh", "-c", "exec .venv/bin/streamlit run streamlit_app.py --server.address ${HOST:-0.0.0.0} --server.port ${PORT:-8501} --server.headless true"]
