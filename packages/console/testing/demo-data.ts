import type { Asset, Generation, WebhookEvent } from '@atelier/contract';
import type {
  Attempt,
  ConsoleKey,
  Delivery,
  Endpoint,
  Invitation,
  Member,
  Pairing,
  Session,
} from '@atelier/contract/console';

/** The data of the pages in tests and screenshots. Times are relative to `NOW`. */
export const NOW = Date.parse('2026-11-14T18:45:00.000Z');
export const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const ago = (ms: number): string => new Date(NOW - ms).toISOString();
/** A readable UUID: its number at the end. */
export const idOf = (n: number): string => `0198a1c3-6127-7f3b-9c48-${String(n).padStart(12, '0')}`;

export const LIVE = idOf(1);
export const TEST = idOf(2);

export const session: Session = {
  person: { id: idOf(3), email: 'ines@northlight.example', name: 'Ines Okafor' },
  memberships: [
    { pairId: idOf(4), name: 'Northlight Studio', role: 'owner', accountIds: { live: LIVE, test: TEST } },
    { pairId: idOf(5), name: 'Harbour Press', role: 'viewer', accountIds: { live: idOf(6), test: idOf(7) } },
  ],
  signedInAt: ago(5 * MINUTE),
  freshUntil: ago(-10 * MINUTE),
  apiUrl: 'https://api.northlight.example',
};

export const members: Member[] = [
  {
    personId: session.person.id,
    name: session.person.name,
    email: session.person.email,
    role: 'owner',
    joinedAt: ago(257 * DAY),
    isYou: true,
  },
  {
    personId: idOf(8),
    name: 'Tomás Rivera',
    email: 'tomas@northlight.example',
    role: 'developer',
    joinedAt: ago(120 * DAY),
    isYou: false,
  },
  {
    personId: idOf(9),
    name: 'Priya Raman',
    email: 'accounting@northlight.example',
    role: 'billing',
    joinedAt: ago(12 * DAY),
    isYou: false,
  },
];

export const invitations: Invitation[] = [
  {
    id: idOf(10),
    email: 'jonas.lindqvist@contractors.northlight.example',
    role: 'viewer',
    createdAt: ago(2 * DAY),
    expiresAt: ago(-5 * DAY),
  },
];

const key = (n: number, fields: Partial<ConsoleKey> & { name: string }): ConsoleKey => ({
  id: idOf(100 + n),
  prefix: ['atl_sk_eu1_live_M4rW', 'atl_sk_eu1_live_7Qx2', 'atl_sk_eu1_live_Vb81', 'atl_sk_eu1_live_kR5m'][n % 4]!,
  last4: ['T3oX', 'k9Pd', '0wTz', 'Yh2c'][n % 4]!,
  mode: 'live',
  scopes: ['generate', 'read'],
  monthlySpendCapCoins: null,
  requestCapCoins: null,
  spentThisMonthCoins: 0,
  status: 'active',
  createdAt: ago(n * 40 * DAY),
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
  ...fields,
});

export const pairing: Pairing = {
  userCode: 'WDJB-MJHT',
  deviceName: 'atelier on ines-thinkpad',
  scopes: ['generate', 'read', 'uploads', 'account'],
  monthlySpendCapCoins: 500,
  createdAt: ago(40_000),
  expiresAt: ago(-9 * MINUTE),
};

export const newKey = key(0, {
  name: 'Storefront thumbnails',
  monthlySpendCapCoins: 2000,
  requestCapCoins: 40,
  expiresAt: ago(-92 * DAY),
  createdAt: ago(0),
});
export const NEW_SECRET = 'atl_sk_eu1_live_M4rWq0ZtLx7cHn2VbK9sEyUd5PfAg8JiT3oX';

export const keys: ConsoleKey[] = [
  key(1, {
    name: 'Production server',
    scopes: ['generate', 'read', 'uploads'],
    monthlySpendCapCoins: 10_000,
    spentThisMonthCoins: 6412,
    lastUsedAt: ago(12_000),
  }),
  key(2, {
    name: 'Catalogue pipeline',
    scopes: ['generate', 'read', 'uploads'],
    monthlySpendCapCoins: 10_000,
    spentThisMonthCoins: 9310,
    lastUsedAt: ago(3 * MINUTE),
    expiresAt: ago(-47 * DAY),
  }),
  key(3, {
    name: 'Mobile app preview',
    monthlySpendCapCoins: 700,
    requestCapCoins: 25,
    spentThisMonthCoins: 700,
    lastUsedAt: ago(2 * HOUR),
  }),
  key(4, { name: 'Design team laptops', spentThisMonthCoins: 1204, lastUsedAt: ago(DAY), expiresAt: ago(-9 * DAY) }),
  key(5, { name: 'Finance export', scopes: ['read', 'account'], lastUsedAt: ago(6 * DAY) }),
  key(6, { name: 'Old build server', status: 'revoked', revokedAt: ago(8 * DAY) }),
  key(7, { name: 'Contractor, spring campaign', status: 'expired', expiresAt: ago(45 * DAY) }),
];

export const endpoints: Endpoint[] = [
  {
    id: idOf(200),
    url: 'https://hooks.northlight.example/atelier',
    events: ['generation.succeeded', 'generation.failed', 'generation.canceled'],
    keyId: null,
    status: 'active',
    statusReason: null,
    failingSince: null,
    createdAt: ago(257 * DAY),
    updatedAt: ago(20 * DAY),
  },
  {
    id: idOf(201),
    url: 'https://staging.northlight.example/hooks/generations',
    events: ['generation.succeeded'],
    keyId: idOf(102),
    status: 'paused',
    statusReason: 'Every attempt failed for five days.',
    failingSince: ago(7 * DAY),
    createdAt: ago(80 * DAY),
    updatedAt: ago(2 * DAY),
  },
];

const attempt = (n: number, at: string, fields: Partial<Attempt> = {}): Attempt => ({
  round: 1,
  n,
  startedAt: at,
  finishedAt: at,
  ok: true,
  statusCode: 200,
  error: null,
  latencyMs: 171,
  responseBody: '{"received":true}',
  ...fields,
});
const refused = {
  ok: false,
  statusCode: 500,
  error: 'The endpoint answered 500.',
  latencyMs: 1204,
  responseBody: 'upstream connect error or disconnect/reset before headers',
};

export const attempts: Attempt[] = [
  attempt(1, ago(3 * MINUTE), refused),
  attempt(2, ago(2.5 * MINUTE), { ...refused, latencyMs: 1198 }),
  attempt(3, ago(0.5 * MINUTE), { ...refused, latencyMs: 1207 }),
];

const delivery = (n: number, fields: Partial<Delivery> = {}): Delivery => {
  const createdAt = ago(n * 4 * MINUTE + 3 * MINUTE);
  return {
    id: idOf(300 + n),
    endpointId: endpoints[0]!.id,
    eventId: idOf(400 + n),
    eventType: 'generation.succeeded',
    generationId: idOf(500 + n),
    isTest: false,
    status: 'delivered',
    reason: null,
    createdAt,
    finishedAt: createdAt,
    nextAttemptAt: null,
    attemptCount: 1,
    lastAttempt: attempt(1, createdAt, { latencyMs: 158 + ((n * 37) % 90) }),
    ...fields,
  };
};

export const deliveries: Delivery[] = [
  delivery(0, {
    status: 'pending',
    finishedAt: null,
    nextAttemptAt: ago(-8 * MINUTE),
    attemptCount: 3,
    lastAttempt: attempts[2]!,
  }),
  delivery(1),
  delivery(2),
  delivery(3, { eventType: 'generation.failed', lastAttempt: attempt(1, ago(15 * MINUTE), { statusCode: 204 }) }),
  delivery(4, { attemptCount: 3 }),
  delivery(5, { eventType: 'generation.canceled' }),
  delivery(6, { isTest: true }),
  delivery(7, { status: 'held', lastAttempt: null, attemptCount: 0, finishedAt: null }),
  delivery(8, {
    status: 'failed',
    attemptCount: 9,
    lastAttempt: attempt(9, ago(DAY), { ...refused, statusCode: 404 }),
  }),
  delivery(9, {
    status: 'failed',
    attemptCount: 9,
    lastAttempt: attempt(9, ago(DAY), { ...refused, statusCode: null, error: 'Timed out after 10 s.' }),
  }),
];

const picture = (name: string, size: { width: number; height: number }): Asset => ({
  id: name.replaceAll(/\W/g, '-'),
  kind: 'image',
  url: `/files/${name}`,
  thumbnailUrl: `/files/${name}`,
  posterUrl: null,
  mimeType: 'image/webp',
  durationSeconds: null,
  expiresAt: ago(-90 * DAY),
  ...size,
});

export const assets: Asset[] = [picture('rocket.jpg', { width: 640, height: 427 })];

const generation = (n: number, fields: Partial<Generation> = {}): Generation => {
  const createdMs = NOW - n * 7 * MINUTE - 20_000;
  return {
    id: idOf(500 + n),
    modelId: 'landscape-painter',
    modelName: 'Landscape painter',
    taskType: 'image.generate',
    modality: 'image',
    workspace: 'image',
    effect: null,
    status: 'succeeded',
    progress: null,
    queuePosition: null,
    params: { prompt: 'mountains and a lake at sunset', seed: 41 + n },
    coinsQuoted: 3,
    coinsCharged: 3,
    outputs: [picture(['landscape-1.webp', 'landscape-2.webp'][n % 2]!, { width: 960, height: 540 })],
    outputsRequested: 1,
    error: null,
    projectId: null,
    createdAt: new Date(createdMs).toISOString(),
    startedAt: new Date(createdMs + 209).toISOString(),
    completedAt: new Date(createdMs + 3469).toISOString(),
    ...fields,
  };
};
const file = (name: string, fields: Pick<Asset, 'kind' | 'mimeType' | 'thumbnailUrl'> & Partial<Asset>): Asset => ({
  ...picture(name, { width: 1, height: 1 }),
  width: null,
  height: null,
  ...fields,
});
const waiting = { outputs: [], coinsCharged: null, completedAt: null };

export const edited = generation(3, {
  modelId: 'migan-erase',
  modelName: 'MI-GAN eraser',
  taskType: 'image.erase',
  workspace: 'tools',
  params: { image: 'rocket-jpg' },
  coinsQuoted: 4,
  coinsCharged: 4,
  outputs: [picture('erased.webp', { width: 640, height: 427 })],
  projectId: 'spring-catalogue',
});
export const failed = generation(5, {
  modelName: 'Rembg',
  status: 'failed',
  coinsCharged: 0,
  outputs: [],
  error: { code: 'timeout', message: 'The model did not finish within 60 seconds.' },
});

/** A 3D model and a transcript, which the list does not show. */
export const solid = generation(20, {
  modelId: 'icon3d-letters',
  modelName: '3-D letters',
  taskType: '3d.from-text',
  modality: '3d',
  workspace: '3d',
  params: { text: 'A' },
  outputs: [
    file('letter.glb', {
      kind: '3d',
      mimeType: 'model/gltf-binary',
      thumbnailUrl: '/files/letter.webp',
      downloads: [
        { format: 'obj', url: '/files/letter.glb', bytes: 9_388 },
        { format: 'usdz', url: '/files/letter.glb', bytes: 9_388 },
      ],
    }),
  ],
});
export const transcript = generation(21, {
  modelId: 'whisper-base',
  modelName: 'Whisper base',
  taskType: 'audio.stt',
  modality: 'audio',
  workspace: 'audio',
  params: {},
  outputs: [
    file('transcript.txt', {
      kind: 'text',
      mimeType: 'text/plain',
      thumbnailUrl: '/files/transcript.webp',
      subtitles: { srtUrl: '/files/transcript.vtt', vttUrl: '/files/transcript.vtt' },
    }),
  ],
});

export const generations: Generation[] = [
  generation(0, { ...waiting, status: 'queued', queuePosition: 2, queueReason: 'capacity', startedAt: null }),
  generation(1, { ...waiting, status: 'processing', progress: 0.42 }),
  generation(2),
  edited,
  generation(4, {
    modelId: 'aurora',
    modelName: 'Aurora',
    outputs: [
      picture('aurora-1.webp', { width: 960, height: 540 }),
      picture('aurora-2.webp', { width: 960, height: 540 }),
    ],
    outputsRequested: 2,
    params: { prompt: 'northern lights over a frozen fjord, long exposure', num_outputs: 2 },
    coinsQuoted: 8,
    coinsCharged: 8,
  }),
  failed,
  generation(6),
  generation(7, { status: 'canceled', coinsCharged: 0, outputs: [], startedAt: null }),
];

export const events: WebhookEvent[] = generations
  .filter(({ completedAt }) => completedAt !== null)
  .map((each, n) => ({
    id: idOf(400 + n),
    type: `generation.${each.status}` as WebhookEvent['type'],
    createdAt: each.completedAt!,
    data: { generation: each },
  }));
