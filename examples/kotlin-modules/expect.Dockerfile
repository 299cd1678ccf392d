# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM eclipse-temurin:21-jdk AS build
WORKDIR /app
COPY . /app/
RUN --mount=type=cache,id=example-gradle,target=/root/.gradle ./gradlew --no-daemon :counter:installDist
RUN rm -rf .gradle build/classes build/tmp

FROM eclipse-temurin:21-jre
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8080
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8080
CMD ["counter/build/install/counter/bin/counter"]
