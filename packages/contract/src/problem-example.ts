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
    detail: 'Invalid params: params.prompt must not be empty.',
    issues: [{ path: 'params.prompt', message: 'must not be empty' }],
  },
  invalid_quote: {
    detail: 'The quoteToken was not issued for this account, model, params and effect.',
    issues: [{ path: 'quoteToken', message: 'must be the token of a quote for exactly this request' }],
  },
  idempotency_key_required: {
    detail: 'Submits require an Idempotency-Key header, unique per intended generation.',
  },
  consent_required: {
    detail:
      "This model changes or imitates a person's likeness or voice. Send consent: true if everyone in the input has agreed.",
    issues: [{ path: 'consent', message: 'must be true for this model' }],
  },
  input_too_large: {
    detail: 'The image would give 32000 x 8 pixels; this model makes sides of at most 16384.',
    issues: [{ path: 'params.image', message: 'gives a side of 32000 pixels, at most 16384 are allowed' }],
  },
  input_duration: {
    detail: 'The video lasts 1 seconds; this model takes at least 3.',
    issues: [{ path: 'params.video', message: 'lasts 1 seconds, at least 3 are allowed' }],
  },
  wrong_media: {
    detail: 'The param video takes a video; the upload is an image.',
    issues: [{ path: 'params.video', message: 'must be a video' }],
  },
  unauthorized: {
    detail: 'This operation requires an API key. Send Authorization: Bearer <API key>.',
  },
  invalid_api_key: {
    detail: 'There is no such API key.',
  },
  api_key_revoked: {
    detail: 'This API key was revoked.',
  },
  api_key_expired: {
    detail: 'This API key has expired.',
  },
  insufficient_coins: {
    detail: 'The price is 7 coins and the account has less.',
  },
  spend_cap_exceeded: {
    detail: "The price of 7 coins would exceed this key's monthly spend cap.",
  },
  insufficient_scope: {
    detail: 'This operation requires a key with the scope generate.',
  },
  cooldown: {
    detail: 'Too many generations failed for content policy; submits are refused for a while.',
  },
  account_locked: {
    detail: 'This account is locked. You can still read, cancel generations and view the account.',
  },
  link_invalid: { detail: 'Use the link unchanged, or read the asset again to get a new one.' },
  link_expired: { detail: 'Read the asset again to get a new link.' },
  not_found: { detail: 'There is no such generation.' },
  unknown_model: {
    detail: 'There is no model no-such-model.',
  },
  idempotency_conflict: {
    detail:
      'This Idempotency-Key was used for a generation with another body, or one so old that its body is no longer kept.',
  },
  price_changed: {
    detail: 'The quote has expired and the price is now 7 coins instead of 5.',
  },
  max_coins_exceeded: {
    detail: 'The price is 7 coins, above maxCoins of 6.',
  },
  not_cancelable: {
    detail: 'The generation is no longer queued, so it cannot be canceled.',
  },
  upload_too_large: {
    detail: 'The image upload exceeds 20 MB.',
  },
  storage_quota_exceeded: {
    detail: 'Uploads of this account may take 500.0 MB; with this one it would be 512.3 MB.',
  },
  upload_too_long: {
    detail: 'The audio upload exceeds 600 s.',
  },
  input_file_too_large: { detail: 'The stored input is larger than this model takes.' },
  download_too_large: { detail: 'The file is larger than one download may be.' },
  upload_invalid: {
    detail: 'Unsupported file type.',
  },
  rate_limited: {
    detail: 'Rate limit exceeded: 120 requests per 60 seconds.',
  },
  internal: {
    detail: 'Internal error. Include the request id in `instance` when you report it.',
  },
  unavailable: {
    detail: 'A part of the service is unavailable. Nothing was charged.',
  },
  maintenance: {
    detail: 'Back at noon.',
  },
  channel_disabled: {
    detail: 'The api channel is disabled.',
  },
  explore_blocked: { detail: 'Reserved.' },
  explore_limit: { detail: 'Reserved.' },
  explore_not_shareable: { detail: 'Reserved.' },
  explore_removed: { detail: 'Reserved.' },
  sign_in_required: { detail: 'You are not signed in, or the session has ended.' },
  reauthentication_required: { detail: 'This operation requires a sign-in within the last 15 minutes.' },
  role_required: { detail: 'Your role viewer does not allow this. Allowed: owner, developer.' },
  cross_site_request: { detail: 'The request comes from another site.' },
};
