// Writes the parts of an image as CycloneDX JSON: the installed npm packages, the Debian packages, and ffmpeg where it was built from source.
// Usage: write-sbom.mjs NPM_PACKAGES DEBIAN_PACKAGES OUTPUT [FFMPEG_VERSION]
// NPM_PACKAGES is the lockfile that npm keeps inside node_modules. DEBIAN_PACKAGES has a line `name version architecture` per package.
// Equal images have equal lists: no time, no serial number, and no address that a package was downloaded from.
import { readFileSync, writeFileSync } from 'node:fs';

const [npmFile, debianFile, output, ffmpegFile] = process.argv.slice(2);

const npm = Object.entries(JSON.parse(readFileSync(npmFile, 'utf8')).packages)
  .filter(([path, { link }]) => path.includes('node_modules/') && !link)
  .map(([path, { name, version, license, integrity }]) => {
    const full = name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const purl = `pkg:npm/${full.replace('@', '%40')}@${version}`;
    const [algorithm, hash] = integrity?.split('-') ?? [];
    return {
      type: 'library',
      'bom-ref': `${purl}#${path}`,
      name: full,
      version,
      purl,
      ...(license ? { licenses: [{ expression: license }] } : {}),
      ...(algorithm === 'sha512'
        ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }] }
        : {}),
    };
  });

const debianPart = (type, name, version, arch) => {
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${arch}&distro=debian-12`;
  return { type, 'bom-ref': purl, name, version, purl };
};
const debian = readFileSync(debianFile, 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(' '))
  .map(([name, version, arch]) => debianPart('library', name, version, arch));
const ffmpeg = ffmpegFile
  ? [debianPart('application', 'ffmpeg', readFileSync(ffmpegFile, 'utf8').trim(), 'source')]
  : [];
const node = [{ type: 'application', 'bom-ref': 'node', name: 'node', version: process.versions.node }];

const { name, version, license } = JSON.parse(readFileSync('package.json', 'utf8'));
writeFileSync(
  output,
  JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name, version, licenses: [{ license: { id: license } }] } },
    components: [...npm, ...debian, ...ffmpeg, ...node],
  }),
);
