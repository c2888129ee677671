import type { OperationId } from '../operations.ts';

/** The description of each operation. */
export const operationNotes: Readonly<Record<OperationId, string>> = {
  listModels:
    'Returns all available models in display order. Each entry describes the params of the model with their defaults, its input limits and its lowest price. Filter with `taskType`, `modality` and `workspace`. Responses can be cached for one minute.',
  getModel:
    'Returns the same entry as the list. It also returns unavailable models: `availability` says why. Returns 404 `unknown_model` for an unknown model and for a model after its sunset date.',
  listEffects:
    'Returns style filters and templates. To run an effect, quote and submit with the `modelId` of the effect and its id as `effectId`. `params` holds the input of the effect (`images` or `video`) and an optional `prompt`.',
  createQuote:
    'Returns the exact price that a submit charges. The `quoteToken` locks that price for 10 minutes and can be used more than once. After it expires, it is accepted only if the price is still the same. With `draft: true`, required params can be missing, defaults apply, and `quoteToken` is null. `quoteToken` is also null while the model is unavailable: `availability` says why. For a deprecated model the response has `Deprecation` and `Sunset` headers.',
  createGeneration:
    'Send exactly one of `quoteToken` (charges exactly the quoted coins) and `maxCoins` (charges the current price, fails if it is higher). The coins are held immediately. A new `Idempotency-Key` returns 201. The same key with the same body returns 200 with the original generation and `Idempotency-Replayed: true`, and charges nothing. The same key with a different body returns 409 `idempotency_conflict`. A rejected submit does not use up the key.',
  listGenerations:
    'Returns the generations of the account, newest first. To get the next page, pass `nextCursor` as `cursor` with the same filters, until it is null.',
  getConcurrency:
    'Returns how many generations can run at once, and how many are running and queued. Generations above `limit` stay queued until a running one ends.',
  getGeneration:
    'Returns a generation with its status, progress, coins and outputs. Links are signed and short-lived; get the generation again for new ones. Poll no faster than every 2 seconds, as `Retry-After` says until the generation ends, or use webhooks instead.',
  cancelGeneration:
    'Cancels a queued generation and releases the held coins. After a worker has started it, returns 409 `not_cancelable`.',
  createUpload:
    'Send one form field `file`. Images: PNG, JPEG, WebP, at most 20 MB and 8192 px per side. Audio: MP3, WAV, M4A, OGG, at most 50 MB and 10 minutes. Video: MP4, WebM, MOV, at most 200 MB, 60 seconds and 4096 px per side. Pass the `id` in a media param. Uploads are deleted after 30 days.',
  createResumableUpload:
    'For large files and unreliable connections. Send the chunks in order with PUT, then complete the upload. Received bytes are kept for 24 hours. An account can have 20 resumable uploads open at once. The size limits of `createUpload` apply.',
  getResumableUpload: 'Returns how many bytes have been received. After an interruption, resume from `offset`.',
  appendResumableUpload:
    'Send the bytes of the chunk as the body, with `Content-Length` and `Content-Type: application/octet-stream`. Only complete chunks are kept: after a broken connection, get the current offset and send the chunk again. Any other offset returns 400 `invalid_params`.',
  completeResumableUpload:
    'Creates an asset from the uploaded chunks. The file is validated as in `createUpload`. A repeated call returns the same asset.',
  getAsset: 'Returns an upload or an output. The links are valid for about one hour.',
  getAccount:
    'Returns the balance, the running limit, the rate limits, and the calling key with its spend in this month.',
  listEvents:
    'Returns the events that webhooks deliver, oldest first, for 30 days. Store `nextAfter` and pass it as `after` in the next request, to receive every event even if your webhook endpoint was down.',
  streamEvents:
    'Sends server-sent events. When a generation ends, the stream sends its event type with a WebhookEvent as `data`. To resume without a gap, send the `id` of the last event as `Last-Event-ID` or `after`; without it, the stream starts with new events. `generation.progress` reports id, status, progress and queuePosition of an unfinished generation and has no id. The stream sends a comment every 15 seconds and ends after at most one hour. An account can have five streams open; a further one returns 429 `rate_limited`.',
};
