import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MediaRefused } from '../../../media/media-facts.ts';
import { faultPoint } from '../../../platform/fault-point.ts';
import { newId } from '../../../platform/ids.ts';
import { errorFields } from '../../../platform/log.ts';
import { ObjectStoreUnavailable } from '../../../platform/object-store/object-store.ts';
import { type ProducedOutput, ProviderError } from '../../../providers/provider.ts';
import { storeMediaFile } from '../../assets/store-media-file.ts';
import type { Services } from '../../services.ts';
import { type ContentCheck, checkOutput } from './check-content.ts';
import { Overtaken } from './decide-failure.ts';
import { recordRunFailure } from './record-run-failure.ts';
import { extendDeadline, type OutputAsset, type RunRow } from './runs.store.ts';

/** An outage of the file store must not lose finished work: storing is retried until the deadline and at least this long. */
const MIN_STORE_SECONDS = 15 * 60;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 10_000;
const CHECK_TIMEOUT_MS = 120_000;
/** The media owner of simulator output, for all accounts. */
const SIMULATOR = 'simulator';

/**
 * Stores the outputs of a provider. An output that is unreadable or blocked is dropped and not charged; the rest is
 * delivered. Throws if none is left. The files stay in the spool meanwhile.
 */
export async function storeOutputs(
  services: Pick<Services, 'db' | 'store' | 'keyPrefix' | 'media' | 'log' | 'clock'>,
  run: RunRow,
  options: {
    produced: readonly ProducedOutput[];
    target: string;
    workDir: string;
    contentCheck: ContentCheck;
    leaseSignal: AbortSignal;
  },
): Promise<OutputAsset[]> {
  const { leaseSignal } = options;
  const persist = createPersist(services, run, leaseSignal);
  const assets: OutputAsset[] = [];
  const dropped: Array<MediaRefused | ProviderError> = [];
  for (const produced of options.produced.slice(0, run.outputsRequested)) {
    leaseSignal.throwIfAborted();
    await faultPoint('output.mid-upload');
    try {
      const asset = await storeOutput(services, {
        accountId: run.accountId,
        // The simulator creates every byte itself and reads no upload, so its files may share a process.
        mediaOwner: run.mode === 'test' ? SIMULATOR : run.accountId,
        position: assets.length,
        workDir: options.workDir,
        produced,
        persist,
        ...(run.mode === 'live' && {
          judge: (made) =>
            checkOutput(options.contentCheck, {
              ...made,
              signal: AbortSignal.any([leaseSignal, AbortSignal.timeout(CHECK_TIMEOUT_MS)]),
            }),
        }),
      });
      assets.push(asset);
    } catch (error) {
      if (!isUnusable(error)) throw error;
      dropped.push(error);
    }
  }
  // A policy refusal is more informative than an unreadable file.
  const [cause] = dropped.toSorted((a, b) => Number(b instanceof ProviderError) - Number(a instanceof ProviderError));
  if (assets.length === 0) throw cause ?? new ProviderError('internal', 'The provider returned no output.');
  for (const error of dropped) {
    const code = error instanceof ProviderError ? error.code : 'internal';
    await recordRunFailure(services, run, { target: options.target, code, decision: 'drop', error });
  }
  await faultPoint('output.after-upload-before-row');
  return assets;
}

function isUnusable(error: unknown): error is MediaRefused | ProviderError {
  return error instanceof MediaRefused || (error instanceof ProviderError && error.code === 'content_policy');
}

/** Retries a put while the file store is unavailable. The deadline of the row is extended, so that no other worker ends the run. */
function createPersist(
  services: Pick<Services, 'db' | 'log' | 'clock'>,
  run: RunRow,
  leaseSignal: AbortSignal,
): <T>(put: () => Promise<T>) => Promise<T> {
  let untilMs: number | null = null;
  return async (put) => {
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(MAX_DELAY_MS, delayMs * 2)) {
      try {
        return await put();
      } catch (error) {
        if (!(error instanceof ObjectStoreUnavailable)) throw error;
        leaseSignal.throwIfAborted();
        const nowMs = services.clock.now().getTime();
        if (untilMs === null) {
          services.log.warn('storing outputs failed: object store unavailable, retrying', {
            generationId: run.id,
            ...errorFields(error),
          });
          const { id, attempt } = run;
          if (!(await extendDeadline(services.db, { id, attempt, seconds: MIN_STORE_SECONDS }))) throw new Overtaken();
          untilMs = Math.max(run.deadlineAt.getTime(), nowMs + MIN_STORE_SECONDS * 1000);
        }
        if (nowMs >= untilMs) {
          throw new ProviderError('unavailable', 'The outputs could not be stored.', { cause: error });
        }
        await sleep(delayMs, undefined, { signal: leaseSignal });
      }
    }
  };
}

const FORMAT_TYPES = {
  obj: 'model/obj',
  fbx: 'application/octet-stream',
  usdz: 'model/vnd.usdz+zip',
  stl: 'model/stl',
} as const;

/** Stores one output in our bucket: probed, with previews. Only then may the generation succeed. */
async function storeOutput(
  services: Pick<Services, 'store' | 'keyPrefix' | 'media'>,
  output: {
    accountId: string;
    /** The owner of the bytes: a confined process reads files of one owner only. */
    mediaOwner: string;
    position: number;
    workDir: string;
    produced: ProducedOutput;
    /** Called before anything is stored; throws to refuse. */
    judge?: (made: { path: string; thumbnailPath: string; kind: string }) => Promise<void>;
    /** Puts the files into the bucket, with retries. */
    persist: <T>(put: () => Promise<T>) => Promise<T>;
  },
): Promise<OutputAsset> {
  const { produced } = output;
  const id = newId();
  const outDir = await mkdtemp(join(output.workDir, 'previews-'));
  const { facts, previews } = await services.media.of(output.mediaOwner).inspectAndPreview({
    path: produced.path,
    purpose: 'output',
    outDir,
  });
  await output.judge?.({ path: produced.path, thumbnailPath: previews.thumbnail.path, kind: facts.kind });
  const file = {
    accountId: output.accountId,
    assetId: id,
    path: produced.path,
    mimeType: facts.mimeType,
    previews,
    extras: [
      ...(produced.downloads ?? []).map(({ format, path }) => ({ name: format, path, mimeType: FORMAT_TYPES[format] })),
      ...(produced.subtitles === undefined
        ? []
        : [
            { name: 'srt', path: produced.subtitles.srtPath, mimeType: 'application/x-subrip' },
            { name: 'vtt', path: produced.subtitles.vttPath, mimeType: 'text/vtt' },
          ]),
    ],
  };
  const stored = await output.persist(() => storeMediaFile(services, file));
  return {
    id,
    position: output.position,
    kind: facts.kind,
    mime_type: facts.mimeType,
    bytes: stored.bytes,
    sha256: stored.sha256.toString('hex'),
    width: facts.width,
    height: facts.height,
    duration_seconds: facts.durationSeconds,
    transparent: facts.transparent ?? null,
    stem: produced.stem ?? null,
    object_key: stored.objectKey,
    variants: stored.variants,
  };
}
