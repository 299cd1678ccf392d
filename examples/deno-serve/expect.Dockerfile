# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM denoland/deno:debian AS build
ENV DENO_DIR=/app/.deno
WORKDIR /app
COPY deno.json /app/
RUN deno install
COPY . /app/

FROM denoland/deno:debian
ENV DENO_DIR=/app/.deno
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8000
CMD ["deno", "run", "--allow-all", "main.ts"]
