# Two images:
#   docker build --target api -t atelier:VERSION .            api, cdn, console, desk, migrate and the operator's commands
#   docker build --target worker -t atelier-worker:VERSION .  worker, with the local engines and the classifiers
# Both run as a user without privileges, on a read-only root file system with a /tmp for files in progress (compose.yaml).
# What differs between two builds is removed, such as caches with times: a release is built twice and compared.
# Backups need no client here: `docker compose exec postgres pg_dump` has the version of the server.

# --- npm packages ---

FROM node:24-bookworm-slim AS manifests
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
COPY packages/contract/package.json packages/contract/
COPY packages/engines/package.json packages/engines/
COPY packages/server/package.json packages/server/

# Without engines and classifiers. Not --omit=optional: the binaries of sharp are optional dependencies too.
FROM manifests AS api-packages
RUN npm pkg delete optionalDependencies -w packages/server \
  && rm -r packages/engines \
  && npm install --omit=dev --no-audit --no-fund
COPY deploy/image/trim-packages.sh /build/
RUN mv node_modules/.package-lock.json /build/npm.json && /build/trim-packages.sh

FROM manifests AS worker-packages
RUN npm install --omit=dev --no-audit --no-fund
COPY deploy/image/trim-packages.sh /build/
RUN mv node_modules/.package-lock.json /build/npm.json && /build/trim-packages.sh

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
# The pages of the guide are documents of the whole repository.
COPY ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md ./
COPY packages/ai-sdk-provider/README.md packages/ai-sdk-provider/
COPY packages/cli/README.md packages/cli/
COPY packages/engines/README.md packages/engines/
COPY packages/sdk/README.md packages/sdk/
COPY clients/python/README.md clients/python/
COPY examples examples
COPY scripts/build-docs.ts scripts/
COPY scripts/docs scripts/docs
COPY docs docs
RUN npm run docs:build

# --- programs ---

# The api reads uploads with ffprobe and ffmpeg, so it needs both. This build has only the formats that it accepts, and no encoder of video.
FROM debian:bookworm AS ffmpeg
COPY deploy/image/build-ffmpeg.sh /build/
RUN sed -i 's/^Types: deb$/Types: deb deb-src/' /etc/apt/sources.list.d/*.sources \
  && apt-get update \
  && apt-get install -y --no-install-recommends dpkg-dev gcc libc6-dev libdav1d-dev libvpx-dev make nasm pkg-config zlib1g-dev \
  && /build/build-ffmpeg.sh /build/out

# Node without npm, and bubblewrap, which confines every program that reads files of customers.
FROM debian:bookworm-slim AS system
RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --no-create-home --home-dir /tmp --shell /usr/sbin/nologin node \
  && apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap fonts-dejavu-core tini \
  && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/log/alternatives.log /var/cache/debconf/*-old /var/cache/fontconfig /var/cache/ldconfig/*
COPY --from=manifests /usr/local/bin/node /usr/local/bin/node
WORKDIR /app
# A published port reaches the container on its own address, never on 127.0.0.1.
ENV NODE_ENV=production \
    PORT=8080 \
    CDN_PORT=8081 \
    CONSOLE_PORT=8083 \
    DESK_PORT=8084 \
    METRICS_PORT=9464 \
    HOST=0.0.0.0 \
    WEIGHTS_DIR=/weights
COPY deploy/image/health-check.mjs deploy/image/create-bucket.mjs deploy/image/
# Whether the role is ready and its users' port answers: a user's request would succeed.
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 \
  CMD ["node", "deploy/image/health-check.mjs"]
# Drains for SHUTDOWN_SECONDS, and ends ten seconds later at most: the grace period must be longer.
STOPSIGNAL SIGTERM
ENTRYPOINT ["tini", "--", "node", "packages/server/src/main.ts"]

# --- worker ---

FROM system AS worker
# The last line has the programs of local engines. What is removed is for screens, GPUs and maps: no program here loads it.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ffmpeg \
    gmic espeak-ng fluidsynth fluid-soundfont-gm assimp-utils \
  && rm -rf /usr/lib/*/libLLVM* /usr/lib/*/libz3.so* /usr/lib/*/dri /usr/lib/*/vdpau /usr/lib/*/mfx /usr/lib/*/libmfxhw64* \
    /usr/share/proj /usr/share/gdal /usr/share/X11 /usr/share/mime /usr/share/icons /usr/share/doc /usr/share/man \
  && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/log/alternatives.log /var/cache/debconf/*-old /var/cache/fontconfig /var/cache/ldconfig/* \
  && install -d -o node -g node /weights
# `weights pull` asks npm where packages are.
COPY --from=manifests /usr/local/lib/node_modules/npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
# Packages whose version differs from the one at the root are installed beside the package that needs them.
COPY --from=worker-packages /app/node_modules node_modules
COPY --from=worker-packages /app/packages packages
COPY package.json ./
COPY packages/contract packages/contract
COPY packages/engines packages/engines
COPY packages/server packages/server
COPY catalog catalog
COPY docs/problems docs/problems
COPY deploy/image/write-sbom.mjs deploy/image/
RUN --mount=type=bind,from=worker-packages,source=/build,target=/build \
  dpkg-query -W -f='${Package} ${Version} ${Architecture}\n' >/tmp/debian \
  && node deploy/image/write-sbom.mjs /build/npm.json /tmp/debian sbom.cdx.json \
  && rm /tmp/debian
# The files belong to root, so the service cannot change its own code.
USER node
EXPOSE 9464
VOLUME /weights
CMD ["worker"]
ARG VERSION=1.0.0
ARG COMMIT=
ENV BUILD_COMMIT=$COMMIT
LABEL org.opencontainers.image.title="Atelier worker" \
      org.opencontainers.image.description="Runs generations and delivers webhooks for Atelier, the self-hosted platform for paid media generation" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$COMMIT \
      org.opencontainers.image.base.name="debian:bookworm-slim"

# --- api, the default ---

FROM system AS api
RUN apt-get update \
  && apt-get install -y --no-install-recommends libdav1d6 libvpx7 zlib1g \
  && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/log/alternatives.log /var/cache/debconf/*-old /var/cache/fontconfig /var/cache/ldconfig/*
COPY --from=ffmpeg /build/out/ffmpeg /build/out/ffprobe /usr/bin/
COPY --from=api-packages /app/node_modules node_modules
COPY --from=api-packages /app/packages packages
COPY package.json ./
COPY packages/contract packages/contract
COPY packages/server packages/server
COPY --from=pages /app/packages/console/dist packages/console/dist
COPY --from=pages /app/packages/console/dist-desk packages/console/dist-desk
COPY --from=pages /app/docs/site/dist docs/site/dist
COPY catalog catalog
COPY docs/problems docs/problems
COPY deploy/image/write-sbom.mjs deploy/image/
RUN --mount=type=bind,from=api-packages,source=/build,target=/build \
  --mount=type=bind,from=ffmpeg,source=/build/out,target=/ffmpeg \
  dpkg-query -W -f='${Package} ${Version} ${Architecture}\n' >/tmp/debian \
  && node deploy/image/write-sbom.mjs /build/npm.json /tmp/debian sbom.cdx.json /ffmpeg/ffmpeg.version \
  && rm /tmp/debian
USER node
EXPOSE 8080 8081 8083 9464
CMD ["api"]
ARG VERSION=1.0.0
ARG COMMIT=
ENV BUILD_COMMIT=$COMMIT
LABEL org.opencontainers.image.title="Atelier" \
      org.opencontainers.image.description="API, file host, console and operator's desk of Atelier, the self-hosted platform for paid media generation" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$COMMIT \
      org.opencontainers.image.base.name="debian:bookworm-slim"
