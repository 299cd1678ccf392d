# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM perl:5.40 AS build
WORKDIR /app
COPY . /app/

FROM perl:5.40-slim
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=3000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 3000
CMD ["/bin/sh", "-c", "exec plackup -I local/lib/perl5 -E production --host ${HOST:-0.0.0.0} --port ${PORT:-5000} app.psgi"]
