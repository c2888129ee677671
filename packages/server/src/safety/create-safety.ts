import { errorFieldsWithoutMessage, type Log } from '../platform/log.ts';
import { askModeration } from './ask-moderation.ts';
import { checkPromptFloor } from './floor/check-prompt-floor.ts';
import type { SafetyMode, SafetySettings } from './safety-settings.ts';
import { type SafetyCategory, type SafetyStage, SafetyUnavailable, type Verdict } from './verdict.ts';

export type SafetyEngine = 'safety-prompt' | 'safety-picture';

export interface SafetyRequest {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, readonly string[]>>;
  readonly signal?: AbortSignal;
}

/** A required check that cannot run, and why. */
export interface SafetyGap {
  readonly check: 'prompt' | 'picture';
  readonly reason: string;
}

/**
 * Runs a classifier in a confined child process and returns its verdict as JSON; null when its dependencies are missing.
 * Throws SafetyUnavailable when the classifier fails.
 */
export type RunSafetyEngine = (engine: SafetyEngine, request: SafetyRequest) => Promise<string | null>;

/** A flagged prompt or file, and the action that the operator configured. */
export interface Finding {
  readonly action: 'flag' | 'block';
  readonly stage: SafetyStage;
  readonly category: SafetyCategory | null;
  readonly score: number;
  /** The classifier and its version. */
  readonly engine: string;
}

export interface Safety {
  /** Checks set to `block` that cannot run. Models that need them must not be offered. */
  findGaps(): readonly SafetyGap[];
  /** `text`: everything the customer wrote for the model to follow. */
  checkPrompt(options: { text: string; signal?: AbortSignal }): Promise<Finding | null>;
  checkFiles(options: {
    paths: readonly string[];
    kind: 'image' | 'video';
    stage: 'input' | 'output';
    signal?: AbortSignal;
  }): Promise<Finding | null>;
}

/**
 * Checks prompts and files. The floor runs first and no score overrides it. A check set to `block` that cannot run throws
 * SafetyUnavailable; one set to `flag` is skipped and logged once. A moderation server that does not answer throws
 * SafetyUnavailable, unless `onFailure` is `open`.
 */
export function createSafety(options: {
  runEngine: RunSafetyEngine;
  /** Missing dependencies of a classifier; empty when it can run. */
  missingOf: (engine: SafetyEngine) => readonly string[];
  settings: SafetySettings;
  log: Pick<Log, 'warn' | 'info'>;
}): Safety {
  const { runEngine, settings, log } = options;
  const missing = new Set<string>();

  function decide(stage: SafetyStage, mode: SafetyMode, verdict: Verdict | null): Finding | null {
    if (mode === 'off' || verdict === null || !verdict.flagged) return null;
    const { category, score, engine, version } = verdict;
    log.info('content flagged', { reason: category ?? 'other', status: stage, code: mode, version: engine });
    return { action: mode, stage, category, score, engine: `${engine}@${version}` };
  }

  async function classify(engine: SafetyEngine, mode: SafetyMode, request: SafetyRequest): Promise<Verdict | null> {
    const verdict = await runEngine(engine, request);
    if (verdict !== null) return JSON.parse(verdict) as Verdict;
    if (mode === 'block') throw new SafetyUnavailable(`${engine}: missing dependencies`);
    if (!missing.has(engine)) log.warn('safety classifier skipped: missing dependencies', { reason: engine });
    missing.add(engine);
    return null;
  }

  function findGaps(): SafetyGap[] {
    const gaps: SafetyGap[] = [];
    for (const check of ['prompt', 'picture'] as const) {
      const lacking = settings[check].mode === 'block' ? options.missingOf(`safety-${check}`) : [];
      if (lacking.length > 0) gaps.push({ check, reason: `missing ${lacking.join(', ')}` });
    }
    if (settings.moderation.mode === 'block' && settings.moderation.url === null)
      gaps.push({ check: 'prompt', reason: 'SAFETY_MODERATION_URL is not set' });
    return gaps;
  }

  async function moderate(text: string, signal: AbortSignal | undefined): Promise<Verdict | null> {
    const { url, onFailure } = settings.moderation;
    if (url === null) {
      if (settings.moderation.mode === 'block') throw new SafetyUnavailable('SAFETY_MODERATION_URL is not set');
      return null;
    }
    try {
      return await askModeration(text, { ...settings.moderation, url }, signal);
    } catch (error) {
      if (!(error instanceof SafetyUnavailable) || onFailure === 'closed') throw error;
      log.warn('moderation skipped: no answer from the server', errorFieldsWithoutMessage(error));
      return null;
    }
  }

  return {
    findGaps,

    async checkPrompt({ text, signal }) {
      if (text.trim() === '') return null;
      const { floor, prompt, moderation } = settings;
      const finding = floor.mode === 'off' ? null : decide('prompt', floor.mode, judgeByFloor(text));
      if (finding?.action === 'block') return finding;
      const found = [finding];
      if (prompt.mode !== 'off') {
        const request = { settings: { stage: 'prompt', prompt: text, threshold: prompt.threshold }, inputs: {} };
        const verdict = await classify('safety-prompt', prompt.mode, withSignal(request, signal));
        found.push(decide('prompt', prompt.mode, verdict));
      }
      if (moderation.mode !== 'off' && !isBlocked(found))
        found.push(decide('prompt', moderation.mode, await moderate(text, signal)));
      return worstOf(found);
    },

    async checkFiles({ paths, kind, stage, signal }) {
      const { mode, threshold } = settings.picture;
      if (mode === 'off' || paths.length === 0) return null;
      const request = { settings: { stage, threshold }, inputs: { [kind === 'video' ? 'videos' : 'images']: paths } };
      return decide(stage, mode, await classify('safety-picture', mode, withSignal(request, signal)));
    },
  };
}

function judgeByFloor(text: string): Verdict {
  const category = checkPromptFloor(text);
  return { flagged: category !== null, category, score: category === null ? 0 : 1, engine: 'floor', version: '1' };
}

function withSignal(request: SafetyRequest, signal: AbortSignal | undefined): SafetyRequest {
  return signal === undefined ? request : { ...request, signal };
}

function isBlocked(found: ReadonlyArray<Finding | null>): boolean {
  return found.some((finding) => finding?.action === 'block');
}

function worstOf(found: ReadonlyArray<Finding | null>): Finding | null {
  return found.find((finding) => finding?.action === 'block') ?? found.find((finding) => finding !== null) ?? null;
}
