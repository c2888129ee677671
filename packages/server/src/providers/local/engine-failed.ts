import type { FailureCode } from '@atelier/contract';

/** Why a run in a child process made no output. `code` is used only for a refusal. */
export class EngineFailed extends Error {
  override readonly name = 'EngineFailed';
  readonly reason: 'refused' | 'broken' | 'boundary' | 'crash' | 'memory' | 'stopped';
  readonly code: FailureCode;
  constructor(reason: EngineFailed['reason'], message: string, code: EngineFailed['code'] = 'internal') {
    super(message);
    this.reason = reason;
    this.code = code;
  }
}
