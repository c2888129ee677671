/** Settings of the operator's desk; part of the table in settings.ts, which checks their form. */
export const deskSettings = {
  DESK_URL: {
    description:
      "URL of the operator's desk: scheme, host and port only. Its own host, reachable from a VPN or this machine alone.",
    kind: 'url',
    default: 'http://localhost:8084',
  },
  DESK_HOST: {
    description: 'Address that the `desk` role listens on. Unlike HOST it stays on loopback in the container image.',
    kind: 'text',
    default: '127.0.0.1',
  },
  DESK_PORT: {
    description: 'Port of the `desk` role.',
    kind: 'integer',
    default: '8084',
    range: { minimum: 0, maximum: 65_535 },
  },
  DESK_DIR: {
    description: 'The built pages of the desk. Defaults to packages/console/dist-desk.',
    kind: 'text',
    default: '',
  },
  DESK_SECOND_FACTOR: {
    description:
      '`required`: operators sign in with a password and a code. `off`: a password is enough; only if DESK_URL is this machine.',
    kind: 'text',
    default: 'required',
    values: ['required', 'off'],
  },
} as const;
