# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM golang:1.23-bookworm AS build
WORKDIR /app
COPY go.mod /app/
RUN --mount=type=cache,id=example-go-modules,target=/go/pkg/mod --mount=type=cache,id=example-go-build,target=/root/.cache/go-build go mod download
COPY . /app/
RUN --mount=type=cache,id=example-go-modules,target=/go/pkg/mod --mount=type=cache,id=example-go-build,target=/root/.cache/go-build go build -o bin/ .

FROM debian:bookworm-slim
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8080
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8080
CMD ["./bin/storefront"]
