# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM debian:bookworm-slim AS build
COPY --from=ghcr.io/getzola/zola:v0.20.0 /bin/zola /usr/local/bin/zola
WORKDIR /app
COPY . /app/
RUN zola build

FROM scratch
COPY --from=build /app/public /site
