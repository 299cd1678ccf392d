# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates curl xz-utils && rm -rf /var/lib/apt/lists/*
RUN curl -fsSL "https://ziglang.org/download/0.14.1/zig-$(uname -m)-linux-0.14.1.tar.xz" | tar -xJ -C /opt && ln -s /opt/zig-*/zig /usr/local/bin/zig
WORKDIR /app
COPY . /app/
RUN zig build -Doptimize=ReleaseSafe
RUN rm -rf .zig-cache

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8080
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8080
CMD ["./zig-out/bin/greeter"]
