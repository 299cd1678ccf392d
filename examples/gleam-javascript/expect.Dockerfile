# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM ghcr.io/gleam-lang/gleam:v1.11.0-node AS build
WORKDIR /app
COPY gleam.toml /app/
RUN gleam deps download
COPY . /app/
RUN gleam build

FROM ghcr.io/gleam-lang/gleam:v1.11.0-node-slim
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8000
CMD ["gleam", "run"]
