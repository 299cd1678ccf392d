# Mooring as a container; see compose.yaml. The engine's socket gives it root rights on the machine.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /mooring
COPY package.json package-lock.json ./
COPY server/package.json server/
COPY client/package.json client/
COPY cli/package.json cli/
COPY web/package.json web/
COPY bench/package.json bench/
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/build.mjs --now

FROM ${NODE_IMAGE}
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --user-group --home-dir /var/lib/mooring --shell /usr/sbin/nologin mooring
WORKDIR /opt/mooring
COPY --from=build /mooring/LICENSE ./
COPY --from=build /mooring/server/package.json /mooring/server/openapi.json server/
COPY --from=build /mooring/server/dist server/dist
COPY --from=build /mooring/web/dist web/dist
COPY --from=build /mooring/cli/package.json cli/
COPY --from=build /mooring/cli/bin cli/bin
COPY --from=build /mooring/cli/dist cli/dist
COPY --from=build /mooring/install/container-entry.sh /usr/local/bin/mooring-entry
RUN ln -s /opt/mooring/cli/bin/mooring.mjs /usr/local/bin/mooring
ENV MOORING_DATA_DIR=/var/lib/mooring MOORING_RUNTIME=docker MALLOC_ARENA_MAX=1
EXPOSE 80 443 4600
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4600}/api/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["mooring-entry"]
CMD ["node", "--max-semi-space-size=2", "server/dist/main.js"]
