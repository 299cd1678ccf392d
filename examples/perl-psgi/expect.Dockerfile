# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM perl:5.40 AS build
WORKDIR /app
COPY . /app/
RUN cpanm --notest --local-lib-contained local Plack

FROM perl:5.40-slim
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=5000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 5000
CMD ["/bin/sh", "-c", "exec perl -Mlib=local/lib/perl5 local/bin/plackup -E production --host ${HOST:-0.0.0.0} --port ${PORT:-5000} app.psgi"]
