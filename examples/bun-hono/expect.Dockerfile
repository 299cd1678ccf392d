# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM oven/bun:1 AS build
WORKDIR /app
COPY package.json bun.lock /app/
RUN --mount=type=cache,id=example-bun,target=/root/.bun/install/cache bun install --frozen-lockfile
COPY . /app/

FROM oven/bun:1-slim
ENV NODE_ENV=production
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=3000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 3000
CMD ["bun", "src/index.ts"]
