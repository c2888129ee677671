import type { Asset, ParamName } from '@atelier/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { upload } from '../../../api/upload.ts';
import { assetQuery } from '../../generations/generation-queries.ts';
import { useForm } from './control.ts';

export type UploadState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'sending'; readonly name: string; readonly share: number }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'tooLarge'; readonly bytes: number; readonly limit: number };

/** Sends files for a field, one after the other, and keeps what the server tells about each. */
export function useUpload(param: ParamName): {
  state: UploadState;
  /** Calls `onAsset` for each file that has arrived. */
  send(files: readonly File[], onAsset: (asset: Asset) => void): Promise<void>;
  cancel(): void;
} {
  const { accountId, maxInputBytes, setUploading } = useForm();
  const queries = useQueryClient();
  const [state, setState] = useState<UploadState>({ kind: 'idle' });
  const running = useRef<AbortController>(undefined);
  const release = useEffectEvent(() => setUploading(param, false));
  useEffect(
    () => () => {
      running.current?.abort();
      release();
    },
    [],
  );
  const cancel = () => {
    running.current?.abort();
    running.current = undefined;
    setUploading(param, false);
    setState({ kind: 'idle' });
  };
  const send = async (files: readonly File[], onAsset: (asset: Asset) => void) => {
    const large = files.find((file) => maxInputBytes !== null && file.size > maxInputBytes);
    if (large !== undefined) {
      setState({ kind: 'tooLarge', bytes: large.size, limit: maxInputBytes ?? 0 });
      return;
    }
    const controller = new AbortController();
    running.current?.abort();
    running.current = controller;
    setUploading(param, true);
    try {
      for (const file of files) {
        setState({ kind: 'sending', name: file.name, share: 0 });
        const asset = await upload({
          accountId,
          file,
          signal: controller.signal,
          onProgress: (share) => {
            if (running.current === controller) setState({ kind: 'sending', name: file.name, share });
          },
        });
        if (running.current !== controller) return;
        queries.setQueryData(assetQuery(accountId, asset.id).queryKey, asset);
        onAsset(asset);
      }
      setState({ kind: 'idle' });
    } catch (error) {
      if (running.current === controller) setState({ kind: 'failed', error });
    } finally {
      if (running.current === controller) {
        running.current = undefined;
        setUploading(param, false);
      }
    }
  };
  return { state, send, cancel };
}
