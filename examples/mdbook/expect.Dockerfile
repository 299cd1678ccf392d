# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates curl && rm -rf /var/lib/apt/lists/*
RUN curl -fsSL "https://github.com/rust-lang/mdBook/releases/download/v0.4.51/mdbook-v0.4.51-$(uname -m)-unknown-linux-musl.tar.gz" | tar -xz -C /usr/local/bin
WORKDIR /app
COPY . /app/
RUN mdbook build

FROM scratch
COPY --from=build /app/out /site
