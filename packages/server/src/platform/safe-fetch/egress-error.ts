export type EgressErrorKind =
  | 'forbidden_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'protocol'
  | 'reset'
  | 'headers_too_large';

/** Why a request that leaves the house did not get an answer. The message is safe to show to the owner of the URL. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly kind: EgressErrorKind;

  constructor(kind: EgressErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
