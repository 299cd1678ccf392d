# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM node:22-slim AS build
WORKDIR /app
COPY package.json yarn.lock /app/
RUN --mount=type=cache,id=example-yarn,target=/usr/local/share/.cache/yarn yarn install --frozen-lockfile
COPY . /app/
RUN --mount=type=cache,id=example-yarn,target=/usr/local/share/.cache/yarn yarn run build

FROM scratch
COPY --from=build /app/build /site
