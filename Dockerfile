# One target per process: discovery, provisioner and mock-node, and cli, the slipway command, which is also on PATH in
# the others. They share all layers but the last.
#
#   docker build --target provisioner -t slipway-provisioner .
#
# The helper is yours: mount it, or make an image FROM slipway-provisioner with what it needs.

FROM node:24-bookworm-slim AS dependencies
WORKDIR /slipway
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund && npm cache clean --force

FROM dependencies AS build
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY shared shared
COPY services services
COPY cli cli
RUN npm run build

FROM node:24-bookworm-slim AS runtime
ENV NODE_ENV=production
WORKDIR /slipway
# Owned by the user that the services run as; a new volume that is mounted there is owned likewise.
RUN install -d -o node -g node /var/lib/slipway
COPY --from=dependencies /slipway/node_modules node_modules
COPY package.json ./
COPY proto proto
COPY deploy/containers/health.js health.js
COPY deploy/containers/slipway /usr/local/bin/slipway
COPY --from=build /slipway/dist dist
USER node
STOPSIGNAL SIGTERM

FROM runtime AS discovery
EXPOSE 7410 7411 7412
HEALTHCHECK --interval=10s --timeout=5s --start-period=15s CMD ["node", "health.js", "7412"]
ENTRYPOINT ["node", "dist/services/discovery/main.js"]

FROM runtime AS provisioner
EXPOSE 7420 7421
VOLUME /var/lib/slipway
HEALTHCHECK --interval=10s --timeout=5s --start-period=15s CMD ["node", "health.js", "7420"]
ENTRYPOINT ["node", "--max-semi-space-size=64", "dist/services/provisioner/main.js"]

FROM runtime AS mock-node
EXPOSE 7430
HEALTHCHECK --interval=10s --timeout=5s --start-period=15s CMD ["node", "health.js", "7430"]
ENTRYPOINT ["node", "dist/services/mock-node/main.js"]

FROM runtime AS cli
USER root
# For the volumes of docker-compose.yml.
RUN install -d -o node -g node -m 700 /trust/authority /trust/discovery /trust/provisioner /trust/nodes
USER node
ENTRYPOINT ["slipway"]
