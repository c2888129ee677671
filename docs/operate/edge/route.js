// Tells nginx the cell of an API key. njs 0.7.9 or later.
// biome-ignore-start lint/style/useNodejsImportProtocol: njs does not know the node: names
import crypto from 'crypto';

// biome-ignore-end lint/style/useNodejsImportProtocol: as above

// As packages/server/src/domain/accounts/api-key.ts writes them. Whether a key is valid is for its cell to say.
const KEY = /^bearer +(atl_sk_([a-z0-9]{1,8})_(?:live|test)_[0-9A-Za-z]{36})$/i;

function match(r) {
  return KEY.exec(r.headersIn.Authorization || '');
}

// The cell that created the key; empty without a key.
function keyCell(r) {
  const found = match(r);
  return found === null ? '' : found[2];
}

// What the directory has instead of keys.
function keyHash(r) {
  const found = match(r);
  return found === null ? '' : crypto.createHash('sha256').update(found[1]).digest('hex');
}

export default { keyCell, keyHash };
