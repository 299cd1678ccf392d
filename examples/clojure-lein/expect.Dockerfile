# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM clojure:temurin-21-lein AS build
WORKDIR /app
COPY . /app/
RUN --mount=type=cache,id=example-maven,target=/root/.m2 lein uberjar
RUN rm -rf target/classes

FROM eclipse-temurin:21-jre
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=3000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 3000
CMD ["java", "-jar", "target/greeter.jar"]
