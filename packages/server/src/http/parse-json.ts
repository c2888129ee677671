import { Problem } from '../platform/problem.ts';

export const MAX_BODY_BYTES = 256 * 1024;
export const MAX_JSON_DEPTH = 32;

/** Every control character but tab and newline: none is text that a person typed. */
const FORBIDDEN_CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/;

/**
 * JSON of a request body, refused where it could mean two things: too deep, prototype names, text that is not well-formed
 * Unicode, numbers that are no number. An empty body is undefined.
 */
export function parseJson(text: string): unknown {
  if (text.length === 0) return undefined;
  if (deeperThan(text, MAX_JSON_DEPTH)) {
    throw new Problem('input_too_large', `The body is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem('invalid_params', 'The body is not valid JSON.', {
      issues: [{ path: '', message: 'must be one JSON document' }],
    });
  }
  inspect(value, '');
  return value;
}

/** Counts brackets outside of strings, before anything recursive sees the text. */
function deeperThan(text: string, most: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (inString) {
      if (character === 0x5c) at += 1;
      else if (character === 0x22) inString = false;
    } else if (character === 0x22) inString = true;
    else if (character === 0x7b || character === 0x5b) {
      depth += 1;
      if (depth > most) return true;
    } else if (character === 0x7d || character === 0x5d) depth -= 1;
  }
  return false;
}

function refuse(path: string, message: string): never {
  throw new Problem('invalid_params', `The body is not acceptable: ${path === '' ? 'it' : path} ${message}.`, {
    issues: [{ path, message }],
  });
}

function inspectText(text: string, path: string): void {
  if (!text.isWellFormed()) refuse(path, 'must be well-formed Unicode');
  if (FORBIDDEN_CONTROLS.test(text)) refuse(path, 'must not contain control characters other than tab and newline');
}

function inspect(value: unknown, path: string): void {
  if (typeof value === 'string') inspectText(value, path);
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) refuse(path, 'must be a finite number');
  } else if (Array.isArray(value)) {
    for (const [n, item] of value.entries()) inspect(item, `${path}[${n}]`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const below = path === '' ? name : `${path}.${name}`;
      if (name === '__proto__' || name === 'constructor' || name === 'prototype')
        refuse(below.slice(0, 200), 'is not a field');
      inspectText(name, path);
      inspect(member, below);
    }
  }
}
