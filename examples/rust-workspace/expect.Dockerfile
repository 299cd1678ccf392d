# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM rust:1.84.0-bookworm AS build
WORKDIR /app
COPY . /app/
RUN --mount=type=cache,id=example-cargo-registry,target=/usr/local/cargo/registry --mount=type=cache,id=example-cargo-git,target=/usr/local/cargo/git --mount=type=cache,id=example-cargo-target,target=/target ["/bin/sh", "-c", "export CARGO_TARGET_DIR=/target && cargo build --release --bin till-server && mkdir -p target/release && cp /target/release/till-server target/release/till-server"]
RUN rm -rf target/release/deps target/release/build target/release/.fingerprint target/release/incremental

FROM debian:bookworm-slim
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8080
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8080
CMD ["./target/release/till-server"]
