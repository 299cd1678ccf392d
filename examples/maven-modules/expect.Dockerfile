# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM maven:3-eclipse-temurin-17 AS build
WORKDIR /app
COPY . /app/
RUN --mount=type=cache,id=example-maven,target=/root/.m2 mvn -B -DskipTests package
RUN rm -rf target/classes target/test-classes

FROM eclipse-temurin:17-jre
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8080
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8080
CMD ["java", "-jar", "till/target/till-2.1.jar"]
