#!/usr/bin/env bash
# Images that stand in for those that Dockerfile and compose.yaml name, made from Debian and npm packages: for machines that reach no registry
# of images. Sourced by scripts/test-containers after engine.sh.

STAND_INS=$PWD/scripts/containers/stand-ins
# The npm that comes with Node 24.
NPM_RANGE=11

has_image() { podman image exists "localhost/$1"; }

# make_base_images NAME...: those that do not exist yet.
make_base_images() {
  local debian name
  for debian in "$OLD" "$NEW"; do has_image "debian:$debian-slim" || make_debian "$debian"; done
  has_image "debian:$OLD" || podman tag "localhost/debian:$OLD-slim" "localhost/debian:$OLD"
  for name in "$@"; do
    has_image "$name" && continue
    printf 'making %s\n' "$name"
    case "$name" in
    node:24-bookworm-slim) make_node "$name" ;;
    postgres:17-*) build_image "$name" "$NEW" "$STAND_INS/postgres" ;;
    valkey/valkey:8-*) build_image "$name" "$NEW" "$STAND_INS/valkey" ;;
    chrislusf/seaweedfs:*) build_image "$name" "$OLD" "$STAND_INS/s3" ;;
    *)
      printf 'no stand-in for %s\n' "$name" >&2
      return 1
      ;;
    esac
  done
}

# As the official slim images: no manuals and translations, no package lists. The empty files are for the mounts of open_network.
make_debian() {
  local debian=$1 mirrors=() archive=$STATE/build/$1.tar
  if [ "$debian" = "$OLD" ]; then
    mapfile -t mirrors < <(ls /etc/apt/sources.list /etc/apt/sources.list.d/*.sources 2>/dev/null)
  else
    mirrors=("$(new_sources)")
  fi
  printf 'making debian:%s-slim\n' "$debian"
  # shellcheck disable=SC2016 # hooks of mmdebstrap
  mmdebstrap --quiet --variant=minbase --include=usr-is-merged --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --customize-hook='rm -rf "$1"/etc/apt/sources.list "$1"/etc/apt/sources.list.d/* "$1"/var/lib/apt/lists/*' \
    --customize-hook='rm -rf "$1"/usr/share/man/* "$1"/usr/share/locale/* "$1"/var/cache/apt/*.bin' \
    --customize-hook='for f in etc/apt/apt.conf usr/local/etc/npmrc usr/local/etc/npm-ca.crt; do : >"$1/$f"; done' \
    --customize-hook='upload '"$STAND_INS/docker-clean"' /etc/apt/apt.conf.d/docker-clean' \
    "$debian" "$archive" "${mirrors[@]}"
  podman import --quiet --change 'CMD ["bash"]' \
    --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' "$archive" "localhost/debian:$debian-slim" >/dev/null
  rm -f "$archive"
}

make_node() {
  local arch dir=$STATE/build/node
  arch=$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')
  rm -rf "$dir"
  mkdir -p "$dir"
  (
    cd "$dir" || exit
    npm pack --silent "node-linux-$arch@24" "npm@$NPM_RANGE" >/dev/null
    tar xzf node-linux-*.tgz --strip-components=1 package/bin/node
    tar xzf npm-*.tgz --transform 's#^package#npm#'
  )
  build_image "$1" "$OLD" -f "$STAND_INS/node/Dockerfile" "$dir"
  rm -rf "$dir"
}
