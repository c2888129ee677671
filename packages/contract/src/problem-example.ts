import type { ProblemBody } from './problem.ts';
import { type ProblemCode, problems } from './problems.ts';

const REQUEST_ID = '0198a1c3-52aa-7d0e-8a54-6c0f1b7e2d91';

/** An example response body. The problem pages and the OpenAPI document show the same one. */
export function problemExample(code: ProblemCode): ProblemBody {
  const { status, title } = problems[code];
  const { detail, issues } = details[code];
  return {
    type: `/problems/${code}`,
    title,
    status,
    detail,
    code,
    instance: REQUEST_ID,
    ...(issues === undefined ? {} : { issues }),
  };
}

type ExampleText = Pick<ProblemBody, 'detail' | 'issues'>;

const details: Readonly<Record<ProblemCode, ExampleText>> = {
  invalid_params: {
    detail: 'The body is not valid: params.num_outputs must be at most 4 (and 1 more).',
    issues: [
      { path: 'params.num_outputs', message: 'must be at most 4' },
      { path: 'params.promt', message: 'is not a param of this model; did you mean prompt?' },
    ],
  },
  invalid_quote: { detail: 'The quote was made for other params.' },
  idempotency_key_required: { detail: 'Send an Idempotency-Key header of 16 to 128 characters.' },
  consent_required: {
    detail:
      "This model changes or imitates a person's likeness or voice. Send consent: true if everyone in the input has agreed.",
    issues: [{ path: 'consent', message: 'must be true for this model' }],
  },
  input_too_large: {
    detail: 'The image would give 8192 x 6144 pixels; this model makes at most 16777216.',
    issues: [{ path: 'params.image', message: 'gives 50331648 pixels, at most 16777216 are allowed' }],
  },
  input_duration: {
    detail: 'The video lasts 42.1 seconds; this model takes at most 20.',
    issues: [{ path: 'params.video', message: 'lasts 42.1 seconds, at most 20 are allowed' }],
  },
  wrong_media: {
    detail: 'The param image takes an image; the upload is audio.',
    issues: [{ path: 'params.image', message: 'must be an image' }],
  },
  unauthorized: { detail: 'Send an API key: Authorization: Bearer <API key>.' },
  invalid_api_key: { detail: 'No such API key.' },
  api_key_revoked: { detail: 'The API key was revoked.' },
  api_key_expired: { detail: 'The API key has expired.' },
  insufficient_coins: { detail: 'The request costs 12 coins; 5 are available.' },
  spend_cap_exceeded: { detail: 'The request costs 12 coins; 4 are left of the monthly cap of this key.' },
  insufficient_scope: { detail: 'This operation needs the scope generate.' },
  cooldown: { detail: 'Five generations failed the content policy in ten minutes. Submits open again in 431 seconds.' },
  account_locked: { detail: 'The account is locked.' },
  link_invalid: { detail: 'Use the link unchanged, or read the asset again to get a new one.' },
  link_expired: { detail: 'Read the asset again to get a new link.' },
  not_found: { detail: 'There is no such generation.' },
  unknown_model: { detail: 'There is no model with this id.' },
  idempotency_conflict: { detail: 'The idempotency key was used with another body.' },
  price_changed: { detail: 'The quote has expired and the price is now 14 coins instead of 12.' },
  max_coins_exceeded: { detail: 'The price is 12 coins; maxCoins is 10.' },
  not_cancelable: { detail: 'The generation is processing.' },
  upload_too_large: { detail: 'An image may have at most 20 MB.' },
  storage_quota_exceeded: {
    detail: 'Uploads of this account may take 500.0 MB; with this one it would be 512.3 MB.',
  },
  upload_too_long: { detail: 'A video may last at most 60 seconds.' },
  input_file_too_large: { detail: 'The stored input is larger than this model takes.' },
  download_too_large: { detail: 'The file is larger than one download may be.' },
  upload_invalid: { detail: 'The file is not PNG, JPEG, WebP, MP3, WAV, M4A, OGG, MP4, WebM or MOV.' },
  rate_limited: { detail: 'The key has used its 120 requests of this minute.' },
  internal: { detail: 'Something went wrong. The request id helps to find it.' },
  unavailable: { detail: 'Model canvas is unavailable: no worker serves it at the moment. Nothing was charged.' },
  maintenance: { detail: 'The service is under maintenance. Nothing was charged.' },
  channel_disabled: { detail: 'The channel api is switched off. Nothing was charged.' },
  explore_blocked: { detail: 'Reserved.' },
  explore_limit: { detail: 'Reserved.' },
  explore_not_shareable: { detail: 'Reserved.' },
  explore_removed: { detail: 'Reserved.' },
  sign_in_required: { detail: 'You are not signed in, or the session has ended.' },
  reauthentication_required: { detail: 'This operation requires a sign-in within the last 15 minutes.' },
  role_required: { detail: 'Your role viewer does not allow this. Allowed: owner, developer.' },
  cross_site_request: { detail: 'The request comes from another site.' },
};
