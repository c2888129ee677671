import { PARAM_NAMES, type ParamName, type ParamValue, type ParamValues } from '@atelier/contract';

/** Browsers and chat programs cut longer addresses. */
export const MAX_FRAGMENT_LENGTH = 8_000;

export interface PlaygroundSearch {
  readonly model?: string;
  readonly effect?: string;
}

const readName = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;

export function readPlaygroundSearch(search: Readonly<Record<string, unknown>>): PlaygroundSearch {
  const model = readName(search.model);
  const effect = readName(search.effect);
  return { ...(model === undefined ? {} : { model }), ...(effect === undefined ? {} : { effect }) };
}

/**
 * The params as the fragment of an address: a browser does not send it, so prompts reach no log. Uploads are in it by
 * their ids. Null if the address would be too long.
 */
export function writeFragment(params: ParamValues): string | null {
  if (Object.keys(params).length === 0) return '';
  const bytes = new TextEncoder().encode(JSON.stringify(params));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  const fragment = text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return fragment.length > MAX_FRAGMENT_LENGTH ? null : fragment;
}

/** The params of a fragment. One that is damaged or from elsewhere gives an empty form. */
export function readFragment(fragment: string): ParamValues {
  const text = fragment.replace(/^#/, '');
  if (text === '' || text.length > MAX_FRAGMENT_LENGTH) return {};
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
    const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return {};
    return Object.fromEntries(Object.entries(parsed).filter(isParam));
  } catch {
    return {};
  }
}

function isParam(entry: [string, unknown]): entry is [ParamName, ParamValue] {
  const [name, value] = entry;
  if (!(PARAM_NAMES as readonly string[]).includes(name)) return false;
  if (Array.isArray(value)) return value.every((each) => typeof each === 'string');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** The address of a filled form. Null if it would be too long. */
export function writeLink(options: {
  readonly origin: string;
  readonly accountId: string;
  readonly modelId: string;
  readonly effectId: string | null;
  readonly params: ParamValues;
}): string | null {
  const fragment = writeFragment(options.params);
  if (fragment === null) return null;
  const search = new URLSearchParams({
    model: options.modelId,
    ...(options.effectId === null ? {} : { effect: options.effectId }),
  });
  const path = `/accounts/${options.accountId}/playground?${search}`;
  return `${options.origin}${path}${fragment === '' ? '' : `#${fragment}`}`;
}
