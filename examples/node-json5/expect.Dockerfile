# Made from what was detected in the source. A Dockerfile there is used instead of it.
FROM node:20-slim AS build
RUN npm install -g pnpm@10
WORKDIR /app
COPY package.json5 /app/
RUN --mount=type=cache,id=example-pnpm,target=/root/.local/share/pnpm/store pnpm install
COPY . /app/

FROM node:20-slim
RUN npm install -g pnpm@10
ENV NODE_ENV=production
RUN useradd --uid 10001 --create-home runner
ENV HOST=0.0.0.0 PORT=3000
COPY --from=build --chown=10001:10001 /app /app
WORKDIR /app
USER 10001:10001
EXPOSE 3000
CMD ["node", "main.js"]
