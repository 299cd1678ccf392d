# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM denoland/deno:debian AS build
ENV DENO_DIR=/app/.deno
WORKDIR /app
COPY deno.json /app/
RUN deno install
COPY . /app/
RUN deno task build

FROM scratch
COPY --from=build /app/_site /site
