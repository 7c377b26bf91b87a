# syntax=docker/dockerfile:1
# The gateway as an image without compilers, shells' tools or an embedded database: give it DATABASE_URL.
# It runs as an ordinary user on a read-only file system; only /data is written to. See docs/guides/deploy.md.

FROM node:26.10.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build:console

# What is optional is an embedded database and a Node, and the image has both otherwise.
FROM node:26.10.0-bookworm-slim AS modules
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund

FROM node:26.10.0-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 WAYPOST_DATA_DIR=/data
COPY --from=modules /app/node_modules ./node_modules
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/scripts/start.js /app/scripts/compile-ahead.js /app/scripts/early-stop.js /app/scripts/limit-heap.js ./scripts/
COPY --from=build /app/scripts/console-state.js /app/scripts/healthcheck.js ./scripts/
COPY --from=build /app/src ./src
COPY --from=build /app/sandbox ./sandbox
COPY --from=build /app/cli ./cli
COPY --from=build /app/client/src ./client/src
COPY --from=build /app/client/README.md ./client/
COPY --from=build /app/docs ./docs
COPY --from=build /app/console/dist ./console/dist
RUN install --directory --owner=node --group=node --mode=0700 /data
# The user `node` by its number: where pods must not run as root (runAsNonRoot), Kubernetes starts none whose user is only a name.
USER 1000:1000
VOLUME /data
EXPOSE 8080 9464
STOPSIGNAL SIGTERM
# Alive, and not ready: a database that is away must not make an orchestrator end the gateways that wait for it.
# A start answers nothing while it waits for its database or migrates it. As soon as it answers, the start period is over.
HEALTHCHECK --interval=10s --timeout=5s --start-period=300s --retries=3 CMD ["node", "scripts/healthcheck.js"]
CMD ["node", "scripts/start.js"]
