# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM swift:6.0 AS build
WORKDIR /app
COPY Package.swift /app/
RUN swift package resolve
COPY . /app/
RUN swift build -c release
RUN rm -rf .build/checkouts .build/repositories .build/*/release/*.build .build/*/release/*.swiftmodule .build/*/release/ModuleCache

FROM swift:6.0-slim
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8080
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8080
CMD ["/bin/sh", "-c", "exec .build/release/App serve --env production --hostname ${HOST:-0.0.0.0} --port ${PORT:-8080}"]
