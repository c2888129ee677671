import { type EventType, events, type Generation, type WebhookEvent } from '@atelier/contract';
import { newId } from '../../../platform/ids.ts';

const COINS = 7;

/** An event of the wanted type about a generation that never was. Its links have the right form and lead nowhere. */
export function makeTestEvent(options: { type: EventType; now: Date; cdnUrl: string }): WebhookEvent {
  const { type, now } = options;
  const at = now.toISOString();
  const { status } = events[type];
  const started = status === 'canceled' ? null : at;
  const outputId = newId();
  const link = `${options.cdnUrl}/v1/${outputId}`;
  const outputs: Generation['outputs'] = [
    {
      id: outputId,
      kind: 'image',
      url: `${link}/original`,
      thumbnailUrl: `${link}/thumbnail`,
      posterUrl: null,
      mimeType: 'image/png',
      width: 1024,
      height: 1024,
      durationSeconds: null,
    },
  ];
  return {
    id: newId(),
    type,
    createdAt: at,
    test: true,
    data: {
      generation: {
        id: newId(),
        modelId: 'test',
        modelName: 'Test event',
        taskType: 'image.generate',
        modality: 'image',
        workspace: 'image',
        effect: null,
        status,
        progress: status === 'succeeded' ? 1 : null,
        queuePosition: null,
        params: { prompt: 'a test of this endpoint' },
        coinsQuoted: COINS,
        coinsCharged: status === 'succeeded' ? COINS : 0,
        outputs: status === 'succeeded' ? outputs : [],
        outputsRequested: 1,
        error: status === 'failed' ? { code: 'internal', message: 'A test of a failure. Nothing was charged.' } : null,
        projectId: null,
        createdAt: at,
        startedAt: started,
        completedAt: at,
      },
    },
  };
}
