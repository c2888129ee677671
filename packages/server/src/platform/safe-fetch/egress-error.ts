export type EgressErrorKind =
  | 'forbidden_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'protocol'
  | 'reset'
  | 'headers_too_large';

/** Why an outgoing request got no response. The message is safe to show to the owner of the URL. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly kind: EgressErrorKind;

  constructor(kind: EgressErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
