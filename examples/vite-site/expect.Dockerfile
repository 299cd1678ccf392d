# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM node:22-slim AS build
ENV NPM_CONFIG_AUDIT=false NPM_CONFIG_FUND=false NPM_CONFIG_UPDATE_NOTIFIER=false
WORKDIR /app
COPY package.json package-lock.json /app/
RUN --mount=type=cache,id=example-npm,target=/root/.npm npm ci
COPY . /app/
RUN --mount=type=cache,id=example-npm,target=/root/.npm npm run build

FROM scratch
COPY --from=build /app/dist /site
