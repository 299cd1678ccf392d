# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM crystallang/crystal:1 AS build
WORKDIR /app
COPY shard.yml /app/
RUN shards install --production
COPY . /app/
RUN shards build --release

FROM crystallang/crystal:1
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=3000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 3000
CMD ["./bin/greeter"]
