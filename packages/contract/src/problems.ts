interface ProblemRow {
  readonly status: number;
  readonly title: string;
  /** What the caller should do about it. */
  readonly advice: string;
  /** A name the contract sets aside; nothing raises it. */
  readonly reserved?: true;
  /** Only the file host answers it: no operation does. */
  readonly fileHost?: true;
}

/** The problems table: every code of the contract, its status, its title and what to do about it. */
export const problems = {
  invalid_params: {
    status: 400,
    title: 'The request is not valid',
    advice: 'Read `issues`: each names a path and what is wrong there. Correct the request and send it again.',
  },
  invalid_quote: {
    status: 400,
    title: 'The quote does not fit this request',
    advice: 'Get a new quote for exactly the model, params and effect that you submit, with a key of the same account.',
  },
  idempotency_key_required: {
    status: 400,
    title: 'The Idempotency-Key header is missing',
    advice:
      'Make one random key of 16 to 128 letters, digits, _ or - for each intended generation, and repeat it on retries.',
  },
  consent_required: {
    status: 400,
    title: 'This model needs consent',
    advice: 'Send `consent: true` when the persons whose likeness or voice is used have agreed.',
  },
  input_too_large: {
    status: 400,
    title: 'The input is too large',
    advice: "Stay within the model's inputLimits; a JSON body may have 256 KiB and a depth of 32.",
  },
  input_duration: {
    status: 400,
    title: 'The input is too short or too long',
    advice: "Trim the media to the model's minInputSeconds and maxInputSeconds.",
  },
  wrong_media: {
    status: 400,
    title: 'The upload is of another kind than the param takes',
    advice: "Look at the descriptor's `accept` in GET /v1/models and pass an upload of that kind.",
  },
  unauthorized: {
    status: 401,
    title: 'No credentials',
    advice: 'Send `Authorization: Bearer <API key>`.',
  },
  invalid_api_key: {
    status: 401,
    title: 'The API key is not valid',
    advice: 'Check that the whole key was copied and belongs to this service.',
  },
  api_key_revoked: {
    status: 401,
    title: 'The API key was revoked',
    advice: 'Create a new key and replace this one.',
  },
  api_key_expired: {
    status: 401,
    title: 'The API key has expired',
    advice: 'Create a new key and replace this one.',
  },
  insufficient_coins: {
    status: 402,
    title: 'Not enough coins',
    advice: 'Top up the account, or ask for less. Nothing was held.',
  },
  spend_cap_exceeded: {
    status: 402,
    title: "The key's monthly spend cap is reached",
    advice: 'Raise the cap, use another key, or wait for the next UTC month. Nothing was held.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The key lacks the scope of this operation',
    advice: 'Use a key with the scope that the detail names.',
  },
  cooldown: {
    status: 403,
    title: 'Too many content-policy failures',
    advice: 'Wait `Retry-After` seconds before the next submit; reads go on.',
  },
  account_locked: {
    status: 403,
    title: 'The account is locked',
    advice: 'Contact the operator. Reading, cancelling and the account stay open.',
  },
  link_invalid: {
    status: 403,
    title: 'The link is not valid',
    advice:
      'Use the link exactly as it was given, or read the asset again for a new one. Only the file host answers this.',
    fileHost: true,
  },
  link_expired: {
    status: 403,
    title: 'The link has expired',
    advice: 'Read the asset again for a new link. Only the file host answers this.',
    fileHost: true,
  },
  not_found: {
    status: 404,
    title: 'Not found',
    advice: 'Check the path and the id, and that the key belongs to the account that owns it.',
  },
  unknown_model: {
    status: 404,
    title: 'No such model',
    advice: 'Take the modelId from GET /v1/models.',
  },
  idempotency_conflict: {
    status: 409,
    title: 'The idempotency key was used with another body',
    advice: 'Use a new key for a new generation, or repeat the first body exactly.',
  },
  price_changed: {
    status: 409,
    title: 'The price has changed since the quote',
    advice: 'Get a new quote and decide again. Nothing was held.',
  },
  max_coins_exceeded: {
    status: 409,
    title: 'The price is above maxCoins',
    advice: 'Raise maxCoins or ask for less. Nothing was held.',
  },
  not_cancelable: {
    status: 409,
    title: 'The generation can no longer be canceled',
    advice: 'Only a queued generation can be canceled. Read it to see what became of it.',
  },
  upload_too_large: {
    status: 413,
    title: 'The file is too large',
    advice: 'Images may have 20 MB, audio 50 MB, video 200 MB.',
  },
  storage_quota_exceeded: {
    status: 413,
    title: 'The uploads of the account take too much room',
    advice: 'Wait until older uploads expire, or ask the operator for a larger quota.',
  },
  upload_too_long: {
    status: 413,
    title: 'The media is too long',
    advice: 'Audio may last 10 minutes, video 60 seconds.',
  },
  input_file_too_large: {
    status: 413,
    title: 'A stored input is too large for the model',
    advice: 'Upload a smaller file and submit again.',
    reserved: true,
  },
  download_too_large: {
    status: 413,
    title: 'The download is too large',
    advice: 'Ask for a range of the file.',
    reserved: true,
  },
  upload_invalid: {
    status: 415,
    title: 'The file is not an accepted media file',
    advice: 'Send PNG, JPEG, WebP, MP3, WAV, M4A, OGG, MP4, WebM or MOV that opens in an ordinary player.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    advice: 'Wait `Retry-After` seconds. The RateLimit headers show the window.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong on our side',
    advice: 'Retry with the same Idempotency-Key; tell the operator the request id in `instance` if it goes on.',
  },
  unavailable: {
    status: 503,
    title: 'The service is not available',
    advice: 'Nothing was charged. Retry after `Retry-After` seconds with the same Idempotency-Key.',
  },
  maintenance: {
    status: 503,
    title: 'The service is under maintenance',
    advice: 'Nothing was charged. Retry later.',
  },
  channel_disabled: {
    status: 503,
    title: 'This channel is switched off',
    advice: 'Nothing was charged. Retry later or use another channel.',
  },
  explore_blocked: {
    status: 403,
    title: 'Not open to exploring',
    advice: 'A reserved name; nothing raises it.',
    reserved: true,
  },
  explore_limit: {
    status: 429,
    title: 'Exploring limit',
    advice: 'A reserved name; nothing raises it.',
    reserved: true,
  },
  explore_not_shareable: {
    status: 409,
    title: 'Not shareable',
    advice: 'A reserved name; nothing raises it.',
    reserved: true,
  },
  explore_removed: { status: 410, title: 'Removed', advice: 'A reserved name; nothing raises it.', reserved: true },
} as const satisfies Record<string, ProblemRow>;

export type ProblemCode = keyof typeof problems;
