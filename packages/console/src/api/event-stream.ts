import { EVENT_TYPES, type GenerationProgress, type WebhookEvent } from '@atelier/contract';
import { useEffect, useEffectEvent, useState } from 'react';
import { buildUrl } from './request.ts';

/** The server refuses more than a few streams; then the page waits before it asks again. */
const RETRY_MS = 15_000;

export interface StreamListener {
  onEvent?(event: WebhookEvent): void;
  onProgress?(progress: GenerationProgress): void;
  /** After a gap: what happened meanwhile was not reported. */
  onOpen?(): void;
}

/** Follows the events of an account while the page is visible. */
export function useEventStream(accountId: string, listener: StreamListener): { isOpen: boolean } {
  const [isOpen, setIsOpen] = useState(false);
  const onEvent = useEffectEvent((message: MessageEvent<string>) => {
    listener.onEvent?.(JSON.parse(message.data) as WebhookEvent);
  });
  const onProgress = useEffectEvent((message: MessageEvent<string>) => {
    listener.onProgress?.(JSON.parse(message.data) as GenerationProgress);
  });
  const onOpen = useEffectEvent(() => {
    setIsOpen(true);
    listener.onOpen?.();
  });

  useEffect(() => {
    let source: EventSource | null = null;
    let retry: ReturnType<typeof setTimeout> | undefined;
    const close = () => {
      clearTimeout(retry);
      source?.close();
      source = null;
      setIsOpen(false);
    };
    const open = () => {
      close();
      source = new EventSource(buildUrl('/v1/events/stream', { params: { accountId } }));
      source.addEventListener('open', () => onOpen());
      for (const type of EVENT_TYPES) source.addEventListener(type, (message) => onEvent(message));
      source.addEventListener('generation.progress', (message) => onProgress(message));
      source.addEventListener('error', () => {
        setIsOpen(false);
        if (source?.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_MS);
      });
    };
    const follow = () => (document.visibilityState === 'visible' ? open() : close());
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      close();
    };
  }, [accountId]);
  return { isOpen };
}
