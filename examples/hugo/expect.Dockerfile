# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM ghcr.io/gohugoio/hugo:v0.147.9 AS build
USER root
WORKDIR /app
COPY . /app/
RUN hugo --gc --minify

FROM scratch
COPY --from=build /app/site /site
