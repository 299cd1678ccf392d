# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM node:22-slim AS build
RUN npm install -g pnpm@10.20.0
WORKDIR /app/apps/web
COPY package.json pnpm-workspace.yaml pnpm-lock.yaml /app/
COPY apps/api/package.json /app/apps/api/
COPY apps/web/package.json /app/apps/web/
COPY packages/ui/package.json /app/packages/ui/
RUN --mount=type=cache,id=example-pnpm,target=/root/.local/share/pnpm/store pnpm install --frozen-lockfile
COPY . /app/
RUN --mount=type=cache,id=example-pnpm,target=/root/.local/share/pnpm/store --mount=type=cache,id=example-next,target=/app/apps/web/.next/cache pnpm run build
RUN rm -rf .next/cache

FROM node:22-slim
RUN npm install -g pnpm@10.20.0
ENV NODE_ENV=production PATH="/app/apps/web/node_modules/.bin:/app/node_modules/.bin:$PATH"
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=3000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app/apps/web
USER 10001:10001
EXPOSE 3000
CMD ["next", "start"]
