# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM node:22-slim AS build
RUN npm install -g --force @yarnpkg/cli-dist@4
WORKDIR /app
COPY package.json yarn.lock /app/
RUN --mount=type=cache,id=example-yarn,target=/root/.yarn/berry/cache yarn install --immutable
COPY . /app/
RUN --mount=type=cache,id=example-yarn,target=/root/.yarn/berry/cache yarn run build

FROM scratch
COPY --from=build /app/www /site
