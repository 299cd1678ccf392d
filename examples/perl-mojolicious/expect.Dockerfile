# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM perl:5.40 AS build
WORKDIR /app
COPY cpanfile /app/
RUN cpanm --notest --local-lib-contained local --installdeps .
COPY . /app/

FROM perl:5.40-slim
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=3000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 3000
CMD ["/bin/sh", "-c", "exec perl -Mlib=local/lib/perl5 app.pl daemon -m production -l http://${HOST:-0.0.0.0}:${PORT:-3000}"]
