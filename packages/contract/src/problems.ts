interface ProblemRow {
  readonly status: number;
  readonly title: string;
  /** What the caller should do. */
  readonly advice: string;
  /** The contract reserves the code; nothing returns it. */
  readonly reserved?: true;
  /** Only the file host returns it; no operation does. */
  readonly fileHost?: true;
  /** Only the console returns it: its page and documentation exist, the description of the public API does not name it. */
  readonly console?: true;
}

/** The problems table: every error code with its status, its title and what to do. */
export const problems = {
  invalid_params: {
    status: 400,
    title: 'Invalid request',
    advice: 'Each entry in `issues` names a path and what is wrong there. Correct the request and send it again.',
  },
  invalid_quote: {
    status: 400,
    title: 'The quote does not match this request',
    advice: 'Get a new quote for exactly the model, params and effect that you submit, with a key of the same account.',
  },
  idempotency_key_required: {
    status: 400,
    title: 'Missing Idempotency-Key header',
    advice:
      'Generate one random key of 16 to 128 letters, digits, _ or - for each intended generation, and reuse it on retries.',
  },
  consent_required: {
    status: 400,
    title: 'Consent required',
    advice: 'Send `consent: true` if everyone whose likeness or voice is used has agreed.',
  },
  input_too_large: {
    status: 400,
    title: 'Input too large',
    advice: "Stay within the model's `inputLimits`. A JSON body can have at most 256 KiB and 32 levels.",
  },
  input_duration: {
    status: 400,
    title: 'Input too short or too long',
    advice: 'Trim the media to between `minInputSeconds` and `maxInputSeconds` of the model.',
  },
  wrong_media: {
    status: 400,
    title: 'Wrong kind of media',
    advice: 'Check `accept` of the param in GET /v1/models and pass an upload of that kind.',
  },
  unauthorized: {
    status: 401,
    title: 'Missing API key',
    advice: 'Send `Authorization: Bearer <API key>`.',
  },
  invalid_api_key: {
    status: 401,
    title: 'Invalid API key',
    advice: 'Check that you copied the whole key and that it belongs to this service.',
  },
  api_key_revoked: {
    status: 401,
    title: 'API key revoked',
    advice: 'Create a new key and replace this one.',
  },
  api_key_expired: {
    status: 401,
    title: 'API key expired',
    advice: 'Create a new key and replace this one.',
  },
  insufficient_coins: {
    status: 402,
    title: 'Not enough coins',
    advice: 'Top up the account, or request less. No coins were held.',
  },
  spend_cap_exceeded: {
    status: 402,
    title: 'Monthly spend cap of the API key exceeded',
    advice: 'Raise the cap, use another key, or wait for the next UTC month. No coins were held.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The API key does not have the required scope',
    advice: 'Use a key with the scope named in `detail`.',
  },
  cooldown: {
    status: 403,
    title: 'Too many content policy failures',
    advice: 'Wait `Retry-After` seconds before the next submit. Reads still work.',
  },
  account_locked: {
    status: 403,
    title: 'Account locked',
    advice: 'Contact the operator. You can still read data, cancel generations and get the account.',
  },
  link_invalid: {
    status: 403,
    title: 'Invalid link',
    advice:
      'Use the link exactly as you received it, or get the asset again for a new link. Only the file host returns this.',
    fileHost: true,
  },
  link_expired: {
    status: 403,
    title: 'Link expired',
    advice: 'Get the asset again for a new link. Only the file host returns this.',
    fileHost: true,
  },
  not_found: {
    status: 404,
    title: 'Not found',
    advice: 'Check the path and the id, and that the key belongs to the account that owns the resource.',
  },
  unknown_model: {
    status: 404,
    title: 'Unknown model',
    advice: 'Use a `modelId` from GET /v1/models.',
  },
  idempotency_conflict: {
    status: 409,
    title: 'Idempotency key reused with a different body',
    advice: 'Use a new key for a new generation, or send the original body again.',
  },
  price_changed: {
    status: 409,
    title: 'The price changed after the quote',
    advice: 'Get a new quote and decide again. No coins were held.',
  },
  max_coins_exceeded: {
    status: 409,
    title: 'The price is higher than maxCoins',
    advice: 'Raise `maxCoins` or request less. No coins were held.',
  },
  not_cancelable: {
    status: 409,
    title: 'The generation can no longer be canceled',
    advice: 'Only a queued generation can be canceled. Get the generation to see its status.',
  },
  upload_too_large: {
    status: 413,
    title: 'File too large',
    advice: 'The maximum is 20 MB for images, 50 MB for audio and 200 MB for video.',
  },
  storage_quota_exceeded: {
    status: 413,
    title: 'Storage quota exceeded',
    advice: 'Wait until older uploads expire, or ask the operator for a larger quota.',
  },
  upload_too_long: {
    status: 413,
    title: 'Media too long',
    advice: 'The maximum is 10 minutes for audio and 60 seconds for video.',
  },
  input_file_too_large: {
    status: 413,
    title: 'Stored input too large for the model',
    advice: 'Upload a smaller file and submit again.',
    reserved: true,
  },
  download_too_large: {
    status: 413,
    title: 'Download too large',
    advice: 'Request a range of the file.',
    reserved: true,
  },
  upload_invalid: {
    status: 415,
    title: 'Unsupported or damaged file',
    advice: 'Send a PNG, JPEG, WebP, MP3, WAV, M4A, OGG, MP4, WebM or MOV file that opens in a standard player.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    advice: 'Wait `Retry-After` seconds. The RateLimit headers describe the window.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    advice:
      'Retry with the same Idempotency-Key. If the error persists, send the operator the request id in `instance`.',
  },
  unavailable: {
    status: 503,
    title: 'Service unavailable',
    advice: 'Nothing was charged. Retry after `Retry-After` seconds with the same Idempotency-Key.',
  },
  maintenance: {
    status: 503,
    title: 'Service under maintenance',
    advice: 'Nothing was charged. Retry later.',
  },
  channel_disabled: {
    status: 503,
    title: 'Channel disabled',
    advice: 'Nothing was charged. Retry later or use another channel.',
  },
  explore_blocked: {
    status: 403,
    title: 'Exploring blocked',
    advice: 'Reserved code, never returned.',
    reserved: true,
  },
  explore_limit: {
    status: 429,
    title: 'Exploring limit reached',
    advice: 'Reserved code, never returned.',
    reserved: true,
  },
  explore_not_shareable: {
    status: 409,
    title: 'Not shareable',
    advice: 'Reserved code, never returned.',
    reserved: true,
  },
  explore_removed: { status: 410, title: 'Removed', advice: 'Reserved code, never returned.', reserved: true },
  sign_in_required: {
    status: 401,
    title: 'Sign-in required',
    advice: 'Sign in to the console. Only the console returns this.',
    console: true,
  },
  reauthentication_required: {
    status: 403,
    title: 'Recent sign-in required',
    advice: 'Sign in again, then repeat the request. Only the console returns this.',
    console: true,
  },
  role_required: {
    status: 403,
    title: 'Your role does not allow this',
    advice: 'Ask an owner of the account for another role. Only the console returns this.',
    console: true,
  },
  cross_site_request: {
    status: 403,
    title: 'The request does not come from the console',
    advice: 'Use the console at its own address, or an API key with the public API. Only the console returns this.',
    console: true,
  },
} as const satisfies Record<string, ProblemRow>;

export type ProblemCode = keyof typeof problems;

/** The codes of the public API, its file host included. */
export const PUBLIC_PROBLEM_CODES = (Object.keys(problems) as ProblemCode[]).filter(
  (code) => !('console' in problems[code]),
);
