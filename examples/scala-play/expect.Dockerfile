# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM eclipse-temurin:17-jdk AS build
RUN curl -fsSL https://github.com/sbt/sbt/releases/download/v1.10.11/sbt-1.10.11.tgz | tar -xz -C /usr/local --strip-components=1
WORKDIR /app
COPY . /app/
RUN --mount=type=cache,id=example-sbt,target=/root/.sbt --mount=type=cache,id=example-coursier,target=/root/.cache/coursier sbt stage
RUN rm -rf project/target target/streams

FROM eclipse-temurin:17-jre
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=9000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 9000
CMD ["/bin/sh", "-c", "exec target/universal/stage/bin/pages -Dhttp.port=${PORT:-9000} -Dpidfile.path=/dev/null"]
