# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM haskell:9 AS build
WORKDIR /app
COPY . /app/
RUN --mount=type=cache,id=example-stack,target=/root/.stack --mount=type=cache,id=example-cabal,target=/root/.cabal stack build --copy-bins --local-bin-path bin
RUN rm -rf .stack-work dist-newstyle

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libgmp10 && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=3000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 3000
CMD ["./bin/greeter-server"]
