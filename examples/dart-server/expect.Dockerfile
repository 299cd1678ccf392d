# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM dart:3 AS build
WORKDIR /app
COPY pubspec.yaml /app/
RUN --mount=type=cache,id=example-pub,target=/root/.pub-cache dart pub get
COPY . /app/
RUN --mount=type=cache,id=example-pub,target=/root/.pub-cache dart compile exe bin/server.dart -o bin/server
RUN rm -rf .dart_tool

FROM debian:bookworm-slim
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8080
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8080
CMD ["./bin/server"]
