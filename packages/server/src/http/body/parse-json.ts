import { invalidParams, Problem } from '../../platform/problem.ts';

export const MAX_BODY_BYTES = 256 * 1024;
export const MAX_JSON_DEPTH = 32;
/** Far more than any request needs, and few enough that checking them stays cheap. */
export const MAX_JSON_VALUES = 2_000;

/** All C0 and C1 control characters except tab, line feed and carriage return. */
const FORBIDDEN_CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
const MAX_PATH_LENGTH = 200;

/** A byte order mark stays in the text, so JSON.parse refuses it. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses the JSON of a request body. Refuses what is ambiguous or unsafe: deep nesting, invalid UTF-8, duplicate members,
 * prototype names, malformed Unicode, infinite numbers. An empty body is undefined.
 */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  const text = decode(bytes);
  const { depth, commas, members } = measure(text);
  if (depth > MAX_JSON_DEPTH) {
    throw new Problem('input_too_large', `The body is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  }
  if (commas >= MAX_JSON_VALUES) {
    throw new Problem('input_too_large', `The body holds more than ${MAX_JSON_VALUES} values.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidParams('The body is not valid JSON', [{ path: '', message: 'must be one JSON document' }]);
  }
  // JSON.parse keeps the last of two members with the same name, so the counts differ.
  if (inspect(value, []) !== members) refuse(findDuplicateMember(text) ?? '', 'must not be named twice');
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw invalidParams('The body is not valid', [{ path: '', message: 'must be UTF-8' }]);
  }
}

/** Counts structural characters outside of strings, before any recursive code sees the text. */
function measure(text: string): { depth: number; commas: number; members: number } {
  let level = 0;
  let depth = 0;
  let commas = 0;
  let members = 0;
  let inString = false;
  for (let at = 0; at < text.length && depth <= MAX_JSON_DEPTH; at += 1) {
    const character = text.charCodeAt(at);
    if (inString) {
      if (character === 0x5c) at += 1;
      else if (character === 0x22) inString = false;
    } else if (character === 0x22) inString = true;
    else if (character === 0x2c) commas += 1;
    else if (character === 0x3a) members += 1;
    else if (character === 0x7b || character === 0x5b) {
      level += 1;
      if (level > depth) depth = level;
    } else if (character === 0x7d || character === 0x5d) level -= 1;
  }
  return { depth, commas, members };
}

type Place = Array<string | number>;

function refuse(path: string, message: string): never {
  throw invalidParams('The body is not valid', [{ path: path.slice(0, MAX_PATH_LENGTH), message }]);
}

/** `params.images[2]`; built only for a refusal. */
function pathOf(place: Place): string {
  return place.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`;
    return path === '' ? step : `${path}.${step}`;
  }, '');
}

/** Why a text must not be stored, or null. */
export function findTextError(text: string): string | null {
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  if (FORBIDDEN_CONTROLS.test(text))
    return 'must not contain control characters other than tab, newline and carriage return';
  return null;
}

function inspectText(text: string, place: Place): void {
  const error = findTextError(text);
  if (error !== null) refuse(pathOf(place), error);
}

/** Refuses values that JSON.parse accepts but the service does not, and returns the number of members. */
function inspect(value: unknown, place: Place): number {
  if (typeof value === 'string') inspectText(value, place);
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) refuse(pathOf(place), 'must be a finite number');
  } else if (Array.isArray(value)) return inspectItems(value, place);
  else if (typeof value === 'object' && value !== null) return inspectMembers(value, place);
  return 0;
}

function inspectItems(items: readonly unknown[], place: Place): number {
  let members = 0;
  for (let n = 0; n < items.length; n += 1) {
    place.push(n);
    members += inspect(items[n], place);
    place.pop();
  }
  return members;
}

function inspectMembers(value: object, place: Place): number {
  let members = 0;
  for (const [name, member] of Object.entries(value)) {
    inspectText(name, place);
    place.push(name);
    if (name === '__proto__' || name === 'constructor' || name === 'prototype') refuse(pathOf(place), 'is not a field');
    members += 1 + inspect(member, place);
    place.pop();
  }
  return members;
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

interface Level {
  readonly path: string;
  /** Null in a list. */
  readonly names: Set<string> | null;
  place: string;
}

/** The path of the first duplicate member. The text must be valid JSON. */
function findDuplicateMember(text: string): string | null {
  const levels: Level[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKENS)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') {
      const path = level?.place ?? '';
      levels.push({ path, names: token === '{' ? new Set() : null, place: token === '[' ? `${path}[0]` : path });
    } else if (token === '}' || token === ']') levels.pop();
    else if (token === ':' && level?.names) {
      const name = JSON.parse(last) as string;
      level.place = level.path === '' ? name : `${level.path}.${name}`;
      if (level.names.has(name)) return level.place;
      level.names.add(name);
    } else if (token === ',' && level?.names === null) {
      level.place = `${level.path}[${Number(level.place.slice(level.path.length + 1, -1)) + 1}]`;
    }
    last = token;
  }
  return null;
}
