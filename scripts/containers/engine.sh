#!/usr/bin/env bash
# Runs containers without an installed Docker: podman and Compose from Debian packages, in a directory of their own. Sourced by
# scripts/test-containers, as root on Debian 12.
# STATE has everything that these functions make: images, volumes, programs.

# The Debian of this machine, and the one with Compose 2, PostgreSQL 17 and Valkey 8.
OLD=bookworm
NEW=trixie
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
COMPOSE=$STATE/bin/docker-compose
SOCKET=$STATE/podman.sock
ENGINE_START_S=20

prepare_engine() {
  mkdir -p "$STATE"/{bin,build,run,networks,tmp}
  chmod 0711 "$STATE"
  # runc, because crun refuses machines with both generations of cgroups. podman asks for higher limits than a root without
  # CAP_SYS_RESOURCE may set. The system call filter is the one that compose.yaml names: podman takes none from Compose.
  cat >"$STATE/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=$(ulimit -Hn):$(ulimit -Hn)", "nproc=32768:32768"]
seccomp_profile = "$PWD/deploy/seccomp.json"
[engine]
runtime = "runc"
tmp_dir = "$STATE/run/libpod"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
network_config_dir = "$STATE/networks"
CONF
  cat >"$STATE/storage.conf" <<CONF
[storage]
driver = "overlay"
graphroot = "$STATE/storage"
runroot = "$STATE/run"
CONF
  export CONTAINERS_CONF=$STATE/containers.conf CONTAINERS_STORAGE_CONF=$STATE/storage.conf
  install_engine
}

install_engine() {
  local packages=(podman runc netavark aardvark-dns catatonit nftables iptables mmdebstrap)
  if ! dpkg-query -W "${packages[@]}" >/dev/null 2>&1; then
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${packages[@]}" >/dev/null
  fi
  [ -x "$COMPOSE" ] || fetch_compose
}

# The mirror that this machine uses.
mirror() {
  # shellcheck disable=SC2016 # a format of apt
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $OLD" 2>/dev/null | grep -v security | head -n 1
}

new_sources() { printf 'deb [signed-by=%s] %s %s main\n' "$KEYRING" "$(mirror)" "$NEW"; }

# Compose 2 needs nothing but libc, so its package is unpacked and not installed.
fetch_compose() {
  local dir=$STATE/tmp/apt
  mkdir -p "$dir"/{lists/partial,archives/partial}
  new_sources >"$dir/sources.list"
  : >"$dir/status"
  cat >"$dir/apt.conf" <<CONF
Dir::Etc::sourcelist "$dir/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "$dir/lists";
Dir::State::status "$dir/status";
Dir::Cache "$dir";
APT::Sandbox::User "root";
CONF
  (
    cd "$dir" || exit
    export APT_CONFIG=$dir/apt.conf
    apt-get -qq update
    apt-get -qq download docker-compose
    dpkg-deb -x docker-compose_*.deb unpacked
  )
  install -m 0755 "$dir/unpacked/usr/libexec/docker/cli-plugins/docker-compose" "$COMPOSE"
  rm -rf "$dir"
}

# The machine's ways to the package registries are mounted during a build, and are in no layer. Sets NETWORK for a build on Debian $1,
# REGISTRY for a container that reads packages of npm, and NETWORK_DIR, which the caller removes.
open_network() {
  local dir ca
  dir=$(mktemp -d "$STATE/tmp/network.XXXXXX")
  # shellcheck disable=SC2034 # removed by the caller
  NETWORK_DIR=$dir
  mkdir "$dir/sources.$OLD" "$dir/sources.$NEW"
  cp /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list "$dir/sources.$OLD" 2>/dev/null || true
  [ ! -s /etc/apt/sources.list ] || cp /etc/apt/sources.list "$dir/sources.$OLD/machine.list"
  new_sources >"$dir/sources.$NEW/machine.list"
  apt-config dump | grep -E '^Acquire::https?::' >"$dir/apt.conf" || true
  ca=$(npm config get cafile 2>/dev/null)
  [ -r "$ca" ] || ca=${NODE_EXTRA_CA_CERTS:-}
  {
    printf 'registry=%s\n' "$(npm config get registry 2>/dev/null)"
    grep -hE '^(//|@[^=]*:registry)' "$(npm config get userconfig 2>/dev/null)" 2>/dev/null || true
    [ ! -r "$ca" ] || echo cafile=/usr/local/etc/npm-ca.crt
  } >"$dir/npmrc"
  [ ! -r "$ca" ] || cp "$ca" "$dir/npm-ca.crt"
  NETWORK=(--network=host
    -v "$dir/sources.$1:/etc/apt/sources.list.d:O"
    -v "$dir/apt.conf:/etc/apt/apt.conf:ro")
  REGISTRY=(-v "$dir/npmrc:/usr/local/etc/npmrc:ro")
  [ ! -r "$ca" ] || REGISTRY+=(-v "$dir/npm-ca.crt:/usr/local/etc/npm-ca.crt:ro")
  NETWORK+=("${REGISTRY[@]}")
  [ ! -r "$ca" ] || REGISTRY+=(-e NODE_EXTRA_CA_CERTS=/usr/local/etc/npm-ca.crt)
}

# build_image NAME DEBIAN ARGUMENT...: in Docker's format, because that of OCI has no HEALTHCHECK.
build_image() {
  local name=$1 debian=$2
  shift 2
  open_network "$debian"
  # A build runs as root and installs packages: the filter is for what runs afterwards.
  podman build --quiet --format docker --pull=never --security-opt seccomp=unconfined "${NETWORK[@]}" -t "localhost/$name" "$@" >/dev/null
  rm -rf "$NETWORK_DIR"
}

start_engine() {
  setsid podman system service --time=0 "unix://$SOCKET" >"$STATE/podman.log" 2>&1 </dev/null &
  engine=$!
  # podman leaves health checks to timers of systemd, which may not run here.
  # shellcheck disable=SC2016 # expanded by the inner shell
  setsid bash -c 'while sleep 1; do for id in $(podman ps --quiet --filter status=running); do podman healthcheck run "$id" >/dev/null 2>&1; done; done' &
  health=$!
  local end=$((SECONDS + ENGINE_START_S))
  while [ "$SECONDS" -lt "$end" ]; do
    if curl --fail --silent --unix-socket "$SOCKET" http://engine/_ping >/dev/null; then return 0; fi
    sleep 0.1
  done
  printf 'podman does not answer: %s\n' "$STATE/podman.log" >&2
  return 1
}

stop_engine() {
  [ -z "${health:-}" ] || kill "$health" 2>/dev/null || true
  [ -z "${engine:-}" ] || kill "$engine" 2>/dev/null || true
}
