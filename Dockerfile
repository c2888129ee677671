# One image for every role: api, worker, cdn, console, desk, migrate, verify, all.

FROM node:24-bookworm-slim AS dependencies
# `--build-arg ENGINES=no` makes an image without local engines and classifiers, a tenth of the size of node_modules.
ARG ENGINES=yes
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
COPY packages/contract/package.json packages/contract/
COPY packages/engines/package.json packages/engines/
COPY packages/server/package.json packages/server/
RUN if [ "$ENGINES" = no ]; then npm pkg delete optionalDependencies -w packages/server && rm -r packages/engines; fi \
  && npm install --omit=dev --no-audit --no-fund && npm cache clean --force

FROM node:24-bookworm-slim AS pages
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
COPY packages/contract/package.json packages/contract/
COPY packages/console/package.json packages/console/
RUN npm install --ignore-scripts --no-audit --no-fund
# The build reads it: the settings of the pages extend it.
COPY tsconfig.json ./
COPY packages/contract packages/contract
COPY packages/console packages/console
RUN npm run console:build

FROM node:24-bookworm-slim
# postgresql-client is for backups from inside the image; the last line installs the programs of local engines.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ffmpeg fonts-dejavu-core postgresql-client tini \
    gmic espeak-ng fluidsynth fluid-soundfont-gm assimp-utils \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
# Packages whose version differs from the one at the root are installed beside the package that needs them.
COPY --from=dependencies /app/packages packages
COPY package.json ./
COPY packages/contract packages/contract
COPY packages/engines packages/engines
COPY packages/server packages/server
COPY --from=pages /app/packages/console/dist packages/console/dist
COPY --from=pages /app/packages/console/dist-desk packages/console/dist-desk
COPY catalog catalog
COPY docs/problems docs/problems

# A published port reaches the container on its own address, never on 127.0.0.1.
ENV NODE_ENV=production \
    PORT=8080 \
    CDN_PORT=8081 \
    CONSOLE_PORT=8083 \
    DESK_PORT=8084 \
    METRICS_PORT=9464 \
    HOST=0.0.0.0 \
    WEIGHTS_DIR=/weights
EXPOSE 8080 8081 8083 9464
# The files belong to root, so the service cannot change its own code.
USER node
# Every role serves health checks on the metrics port, which is the first to listen.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/healthz`, { signal: AbortSignal.timeout(4000) }).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "node", "packages/server/src/main.ts"]
CMD ["all"]
