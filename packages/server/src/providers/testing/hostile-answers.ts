import type { Respond } from './test-server.ts';

const TEN_GIGABYTES = 10_000_000_000;
const DRIP_MS = 20;
const CHUNK = Buffer.alloc(65_536, 'x');

/** What a broken, lying or hostile server answers. */
export const hostileAnswers = {
  html: (_seen, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>502 Bad Gateway</body></html>'),
  garbage: (_seen, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"data": [{'),
  empty: (_seen, response) => response.writeHead(200).end(),
  'wrong shape': (_seen, response) => response.end('[null, 7, "x"]'),
  /** A byte at intervals, forever: no single wait is long. */
  drip: (_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), DRIP_MS);
    response.on('close', () => clearInterval(timer));
  },
  silence: () => {},
  'closed socket': (_seen, response) => response.socket?.destroy(),
  'broken off': (_seen, response) => {
    response.writeHead(200, { 'content-length': 1_000 });
    response.write('half');
    setTimeout(() => response.socket?.destroy(), DRIP_MS);
  },
  endless: (_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    const more = () => {
      while (!response.destroyed && response.write(CHUNK));
    };
    response.on('drain', more);
    more();
  },
  'ten gigabytes': (_seen, response) => {
    response.writeHead(200, { 'content-length': TEN_GIGABYTES });
    response.write(CHUNK);
  },
  redirect: (_seen, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
} satisfies Record<string, Respond>;
