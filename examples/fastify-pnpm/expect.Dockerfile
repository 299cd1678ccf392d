# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM node:22-slim AS build
RUN npm install -g pnpm@10.20.0
WORKDIR /app
COPY package.json pnpm-lock.yaml /app/
RUN --mount=type=cache,id=example-pnpm,target=/root/.local/share/pnpm/store pnpm install --frozen-lockfile
COPY . /app/
RUN --mount=type=cache,id=example-pnpm,target=/root/.local/share/pnpm/store pnpm run build

FROM node:22-slim
RUN npm install -g pnpm@10.20.0
ENV NODE_ENV=production PATH="/app/node_modules/.bin:$PATH"
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=8080
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 8080
CMD ["fastify", "start", "--port", "8080", "dist/app.js"]
