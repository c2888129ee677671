/** The person behind a session. */
export interface SignedIn {
  readonly personId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly name: string;
  /** When the person last proved who they are; sensitive operations need a recent time. */
  readonly signedInAt: Date;
}

/** Sign-in and sessions, as the console's listener uses them. */
export interface Identity {
  /** Answers every request under /api/auth/. The client's address is the one that the trusted proxies vouch for. */
  handle(request: Request, client: { readonly address: string }): Promise<Response>;
  /** The signed-in person of these headers, or null. */
  readSession(headers: Headers): Promise<SignedIn | null>;
}
