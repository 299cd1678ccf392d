# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM node:22-slim AS build
ENV NPM_CONFIG_AUDIT=false NPM_CONFIG_FUND=false NPM_CONFIG_UPDATE_NOTIFIER=false
WORKDIR /app
COPY package.json package-lock.json /app/
RUN --mount=type=cache,id=example-npm,target=/root/.npm npm ci
COPY . /app/

FROM node:22-slim
ENV NPM_CONFIG_AUDIT=false NPM_CONFIG_FUND=false NPM_CONFIG_UPDATE_NOTIFIER=false NODE_ENV=production
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=3000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 3000
CMD ["node", "server.js"]
