# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc gnucobol3 libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY . /app/
RUN ["/bin/sh", "-c", "mkdir -p bin && cobc -x -o bin/main src/main.cbl"]

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libcob4 && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8080
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8080
CMD ["./bin/main"]
