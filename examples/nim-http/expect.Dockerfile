# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM nimlang/nim:2.2.4 AS build
WORKDIR /app
COPY . /app/
RUN nimble build -d:release -y

FROM nimlang/nim:2.2.4-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libssl3 && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8080
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8080
CMD ["./greeter"]
