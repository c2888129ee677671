#!/bin/bash
# Removes from node_modules what no process on Linux reads: source maps, type declarations, files for browsers and other systems,
# and npm's list of the addresses that packages were downloaded from.
# Usage, in the root of the workspace: trim-packages.sh
set -euo pipefail
shopt -s nullglob

machine=$(node -p process.arch)
for modules in node_modules packages/*/node_modules; do
  find "$modules" -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
  rm -rf "$modules/.package-lock.json" "$modules/.cache"
  # Tools of tests and builds, which npm installs as peers of other packages.
  rm -rf "$modules"/{vite,vitest,@vitest,rolldown,@rolldown,lightningcss,lightningcss-*,esbuild,@esbuild,jiti}
  # Sources and tests of packages, and builds for `require` of one that is loaded with `import`.
  rm -rf "$modules"/zod/src "$modules"/mediabunny/{src,dist/bundles} "$modules"/bintrees/test
  # `onnxruntime-node` computes; `onnxruntime-web` is what the same package loads in a browser.
  rm -rf "$modules"/onnxruntime-web/{dist,lib} "$modules"/@tensorflow/tfjs*/dist/miniprogram
  rm -f "$modules"/@tensorflow/tfjs*/dist/*.{es2017,fesm}.js "$modules"/@tensorflow/tfjs*/dist/*.min.js
  for binaries in "$modules"/onnxruntime-node/bin/napi-*/*/*; do
    [[ $binaries == */linux/"$machine" ]] || rm -rf "$binaries"
  done
  # Only the flat pictures are used.
  for pictures in "$modules"/fluentui-emoji/icons/*; do
    [ "${pictures##*/}" = flat ] || rm -rf "$pictures"
  done
  find "$modules" -type d -empty -delete
done
