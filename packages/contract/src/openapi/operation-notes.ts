import type { OperationId } from '../operations.ts';

/** What the summary line of an operation has no room for. */
export const operationNotes: Readonly<Record<OperationId, string>> = {
  listModels:
    'Each entry tells the params that the model takes, their defaults, the limits of its input and where its price starts. `taskType`, `modality` and `workspace` narrow the list. The answer may be cached for one minute.',
  getModel:
    'The same entry as in the list. A closed model is shown too: `availability` says why it takes no requests. An unknown model, or one after its sunset, is 404 `unknown_model`.',
  listEffects:
    "To run an effect, quote and submit with the effect's `modelId` and its id as `effectId`. `params` then holds the effect input (`images` or `video`) and, if you like, a `prompt`.",
  createQuote:
    'The price is exactly what a submit would charge. The `quoteToken` reserves that price for ten minutes and may be used more than once in that time; afterwards it is accepted only while the price is still the same. With `draft: true` an unfinished form is priced: required params may be missing, defaults fill in, and `quoteToken` is null. It is also null while the model is closed: `availability` says why. A deprecated model carries `Deprecation` and `Sunset` headers.',
  createGeneration:
    'Send exactly one of `quoteToken` (charge exactly the quoted coins) and `maxCoins` (charge the current price, refuse when it is higher). The coins are held at once. A new `Idempotency-Key` answers 201; the same key with the same body answers 200 with the original, `Idempotency-Replayed: true`, and charges nothing; the same key with another body is 409 `idempotency_conflict`. A refused submit does not use up the key.',
  listGenerations: 'Repeat with `cursor` set to `nextCursor`, and the same filters, until it is null.',
  getConcurrency: 'Generations beyond `limit` stay queued until one of the running ones ends.',
  getGeneration:
    'Links are signed and short-lived; reading again gives fresh ones. Poll no faster than every two seconds: while the generation lives, `Retry-After` says so. A webhook saves the polling.',
  cancelGeneration:
    'Only while queued. It is free: the held coins come back. Once a worker has taken the generation the answer is 409 `not_cancelable`.',
  createUpload:
    'One field `file`. Images: PNG, JPEG, WebP, at most 20 MB and 8192 px a side. Audio: MP3, WAV, M4A, OGG, at most 50 MB and 10 minutes. Video: MP4, WebM, MOV, at most 200 MB, 60 seconds and 4096 px a side. Pass the `id` in a media param. Uploads are deleted after 30 days.',
  createResumableUpload:
    'For large files and unsteady lines. Send the pieces in order with PUT, then complete. What has arrived is kept for 24 hours; up to 20 may be open at once per account. The bounds are those of `createUpload`.',
  getResumableUpload: 'After a break, go on from `offset`.',
  appendResumableUpload:
    'The body is the bytes of the piece, with `Content-Length` and the type application/octet-stream. A piece counts when it is whole: after a broken connection ask for the offset and send it again. An offset that is not the current one is 400 `invalid_params`.',
  completeResumableUpload: 'The file is checked as by `createUpload`. A repeated call answers the same asset.',
  getAsset: 'Takes the id of an upload or of an output. The links are valid for about one hour.',
  getAccount:
    'The balance, what may run at once, the rate limits, and the calling key with what it has spent this month.',
  listEvents:
    'The same events that webhooks carry, oldest first. Keep `nextAfter` and pass it as `after` next time, so that nothing is missed while a receiver was away.',
  streamEvents:
    'Server-sent events. Each end of a generation comes as its event type with a WebhookEvent as `data`, and its `id` is a place in the list of events: send it as `Last-Event-ID`, or as `after`, to go on without a gap. Without a place the stream begins now. `generation.progress` carries id, status, progress and queuePosition of a live generation and has no id. A comment comes every 15 seconds; a stream ends after an hour at the latest. At most five streams per account: more are 429 `rate_limited`.',
};
