# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM ghcr.io/cirruslabs/flutter:stable AS build
WORKDIR /app
COPY pubspec.yaml /app/
RUN --mount=type=cache,id=example-pub,target=/root/.pub-cache flutter pub get
COPY . /app/
RUN --mount=type=cache,id=example-pub,target=/root/.pub-cache flutter build web --release

FROM scratch
COPY --from=build /app/build/web /site
