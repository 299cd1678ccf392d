# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM denoland/deno:debian-2.1.4 AS build
ENV DENO_DIR=/app/.deno
WORKDIR /app
COPY deno.jsonc /app/
RUN deno install
COPY . /app/
RUN deno task build

FROM denoland/deno:debian-2.1.4
ENV DENO_DIR=/app/.deno
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8000
CMD ["deno", "task", "start"]
