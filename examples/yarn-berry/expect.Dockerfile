# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM node:22-slim AS build
RUN npm install -g --force @yarnpkg/cli-dist@4.9.1
WORKDIR /app
COPY package.json .yarnrc.yml /app/
RUN --mount=type=cache,id=example-yarn,target=/root/.yarn/berry/cache yarn install
COPY . /app/

FROM node:22-slim
RUN npm install -g --force @yarnpkg/cli-dist@4.9.1
ENV NODE_ENV=production
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=3000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 3000
CMD ["yarn", "run", "start"]
