import { type Issue, type ProblemCode, problems } from '@atelier/contract';
import type { OpenaiErrorBody, OpenaiErrorType } from '@atelier/contract/openai';
import { OUTCOME_UNKNOWN } from '../../domain/generations/submit/submit-once.ts';
import { Problem, type ProblemOptions } from '../../platform/problem.ts';

/** A problem with a code that only this API uses. */
export class OpenaiRefusal extends Problem {
  readonly openaiCode: string;

  constructor(code: ProblemCode, openaiCode: string, detail: string, options: ProblemOptions = {}) {
    super(code, detail, options);
    this.openaiCode = openaiCode;
  }
}

/** Codes that OpenAI's clients know by another name. The others keep ours. */
const CODES: Partial<Record<ProblemCode, string>> = {
  unknown_model: 'model_not_found',
  insufficient_coins: 'insufficient_quota',
  spend_cap_exceeded: 'insufficient_quota',
  rate_limited: 'rate_limit_exceeded',
  invalid_params: 'invalid_value',
};

/** What passes by itself. The official clients would also retry every 409, which does not. */
const RETRYABLE: ReadonlySet<ProblemCode> = new Set(['rate_limited', 'unavailable', 'internal']);

export interface OpenaiError {
  readonly status: number;
  readonly body: OpenaiErrorBody;
  /** Sent as `x-should-retry`, which the official clients follow. */
  readonly retry: boolean;
}

/** A problem in OpenAI's shape. */
export function toOpenaiError(problem: Problem): OpenaiError {
  const { status } = problems[problem.code];
  const { issues } = problem;
  const named = issues?.map((issue) => ({ ...issue, path: fieldOf(issue) }));
  return {
    status,
    retry: RETRYABLE.has(problem.code),
    body: {
      error: {
        message: messageOf(problem, named),
        type: typeOf(status),
        param: named?.[0]?.path || null,
        code: problem instanceof OpenaiRefusal ? problem.openaiCode : (CODES[problem.code] ?? problem.code),
      },
    },
  };
}

const INTERNAL = 'Internal error. Include the x-request-id of this response when you report it.';
const CONSENT =
  'The model changes or imitates what this input shows or says. Send the header X-Consent: true if everyone whose likeness or voice is used has agreed. Nothing was charged.';

function messageOf(problem: Problem, issues: readonly Issue[] | undefined): string {
  if (problem instanceof OpenaiRefusal) return problem.message;
  if (problem.code === 'internal') return problem.message === OUTCOME_UNKNOWN ? OUTCOME_UNKNOWN : INTERNAL;
  if (problem.code === 'consent_required') return CONSENT;
  return issues === undefined ? problem.message : describe(issues);
}

const MAX_TOLD = 3;

/** The issues with the names of OpenAI's fields, as one sentence. */
function describe(issues: readonly Issue[]): string {
  const told = issues.slice(0, MAX_TOLD).map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  const more = issues.length > MAX_TOLD ? ` (and ${issues.length - MAX_TOLD} more)` : '';
  return `The request is not valid: ${told.join('; ')}${more}.`;
}

/** The fields that set a param. */
const FIELDS: Readonly<Record<string, string>> = {
  num_outputs: 'n',
  aspect_ratio: 'size',
  resolution: 'size',
  text: 'input',
  duration: 'seconds',
  images: 'image',
  first_frame: 'input_reference',
  audio: 'file',
  format: 'response_format',
  maxCoins: 'X-Max-Coins',
  consent: 'X-Consent',
};

function fieldOf({ path }: Issue): string {
  const name = path.replace(/^params\./, '').replace(/\.\d+$/, '');
  return FIELDS[name] ?? name;
}

function typeOf(status: number): OpenaiErrorType {
  if (status === 401) return 'authentication_error';
  if (status === 402) return 'insufficient_quota';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
