/** The key in an otpauth: link, in groups of four, as a person types it into an app. */
export function readTotpKey(uri: string): string {
  const secret = new URLSearchParams(uri.slice(uri.indexOf('?') + 1)).get('secret') ?? '';
  return secret.replaceAll(/(.{4})(?=.)/g, '$1 ');
}
