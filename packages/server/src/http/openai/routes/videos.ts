import type { Generation, GenerationStatus } from '@atelier/contract';
import type { Video } from '@atelier/contract/openai';
import { isTerminal } from '../../../domain/generations/generation-states.ts';
import { getGeneration } from '../../../domain/generations/read/get-generation.ts';
import { listGenerations } from '../../../domain/generations/read/list-generations.ts';
import { OpenaiRefusal } from '../openai-error.ts';
import type { OpenaiContext, OpenaiRoutes } from '../openai-handler.ts';
import { findOutput, openOutput } from '../read-output.ts';
import { startMaking } from '../run-call.ts';

const DEFAULT_PAGE = 20;
/** Read by the poll helpers of the official clients. */
const POLL_HEADER = 'openai-poll-after-ms';
const POLL_INTERVAL_MS = 2_000;

export const videoRoutes: OpenaiRoutes<'createVideo' | 'listVideos' | 'getVideo' | 'getVideoContent'> = {
  async createVideo(context, input) {
    const generation = await startMaking(context, input, 'videos');
    return { json: toVideo(generation) };
  },

  async listVideos(context, { caller, query }) {
    const { items, nextCursor } = await listGenerations(context.services, caller.accountId, {
      modality: 'video',
      limit: query.limit ?? DEFAULT_PAGE,
      ...(query.after === undefined ? {} : { cursor: query.after }),
    });
    const data = items.map(toVideo);
    return {
      json: {
        object: 'list',
        data,
        first_id: data[0]?.id ?? null,
        last_id: nextCursor,
        has_more: nextCursor !== null,
      },
    };
  },

  async getVideo(context, { caller, params, reply }) {
    const generation = await findVideo(context, { accountId: caller.accountId, id: params.id });
    if (!isTerminal(generation.status)) reply.header(POLL_HEADER, String(POLL_INTERVAL_MS));
    return { json: toVideo(generation) };
  },

  async getVideoContent(context, { caller, params, query }) {
    const generation = await findVideo(context, { accountId: caller.accountId, id: params.id });
    if (generation.status !== 'succeeded') {
      throw new OpenaiRefusal('not_found', 'video_not_completed', `The video is ${toVideo(generation).status}.`);
    }
    const variant = query.variant === 'thumbnail' ? 'thumbnail' : 'file';
    return { file: await openOutput(context.services, findOutput(generation, 'video'), variant) };
  },
};

async function findVideo({ services }: OpenaiContext, key: { accountId: string; id: string }): Promise<Generation> {
  const generation = await getGeneration(services, key);
  if (generation.modality === 'video') return generation;
  throw new OpenaiRefusal('not_found', 'not_found', 'There is no such video.');
}

const STATUSES: Readonly<Record<GenerationStatus, Video['status']>> = {
  queued: 'queued',
  processing: 'in_progress',
  succeeded: 'completed',
  failed: 'failed',
  canceled: 'failed',
};

/** A generation as OpenAI shows a video. */
export function toVideo(generation: Generation): Video {
  const { params, error } = generation;
  const output = generation.outputs.find(({ kind }) => kind === 'video');
  const seconds = output?.durationSeconds ?? params.duration;
  return {
    id: generation.id,
    object: 'video',
    model: generation.modelId,
    status: STATUSES[generation.status],
    progress: generation.status === 'succeeded' ? 100 : Math.floor((generation.progress ?? 0) * 100),
    created_at: toSeconds(generation.createdAt),
    completed_at: generation.completedAt === null ? null : toSeconds(generation.completedAt),
    expires_at: typeof output?.expiresAt === 'string' ? toSeconds(output.expiresAt) : null,
    prompt: typeof params.prompt === 'string' ? params.prompt : null,
    seconds: seconds === undefined ? null : String(seconds),
    size: output?.width && output.height ? `${output.width}x${output.height}` : null,
    remixed_from_video_id: null,
    error:
      generation.status === 'canceled' ? CANCELED : error && { code: error.code, message: error.message ?? error.code },
  };
}

const CANCELED = { code: 'canceled', message: 'The generation was canceled.' };

function toSeconds(date: string): number {
  return Math.floor(Date.parse(date) / 1000);
}
