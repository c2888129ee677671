// Verifies signed links at the edge, exactly as packages/server/src/platform/signed-link.ts does.
// njs 0.7.9 or later. The key file maps key ids to keys in hex: {"a1b2": "64 hex digits"}.
// biome-ignore-start lint/style/useNodejsImportProtocol: njs does not know the node: names
import crypto from 'crypto';
import fs from 'fs';

// biome-ignore-end lint/style/useNodejsImportProtocol: as above

const LINK = new RegExp(
  '^(/v1/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}' +
    '/(?:file|thumbnail|poster|waveform|obj|fbx|usdz|stl|srt|vtt))' +
    '\\?e=([1-9][0-9]{0,11})&k=([A-Za-z0-9_-]{1,32})(&d=attachment)?&s=([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$',
);
const MAX_LINK_CHARS = 512;

// ok, expired or refused. nginx keeps the value for the whole request, slices included: a download that began in
// time goes on after the link has expired.
function verdict(r) {
  const target = r.variables.request_uri;
  const match = target.length <= MAX_LINK_CHARS ? LINK.exec(target) : null;
  if (match === null) return 'refused';

  const keys = JSON.parse(fs.readFileSync(r.variables.link_keys_file, 'utf8'));
  if (!Object.keys(keys).includes(match[3])) return 'refused';
  const disposition = match[4] ? 'attachment' : 'inline';
  const text = ['dl', r.variables.http_host, match[1], match[2], disposition].join('\n');
  const key = Buffer.from(keys[match[3]], 'hex');
  const expected = crypto.createHmac('sha256', key).update(text).digest('base64url');
  if (!equalInConstantTime(expected, match[5])) return 'refused';
  return Date.now() / 1000 >= Number(match[2]) ? 'expired' : 'ok';
}

// For the client: its copy lives as long as its link. The edge's own copy has its own time.
function cacheControl(r) {
  const remaining = Math.floor(Number(r.variables.arg_e) - Date.now() / 1000);
  return `private, max-age=${Math.max(0, remaining)}`;
}

function equalInConstantTime(a, b) {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}

export default { verdict, cacheControl };
