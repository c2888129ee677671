export interface FileError {
  /** Relative to the catalog folder. */
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

/** Every error found in the files, one per line of the message: `file:line: reason`. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
  readonly errors: readonly FileError[];

  constructor(errors: readonly FileError[]) {
    super(errors.map(({ file, line, reason }) => `${file}:${line}: ${reason}`).join('\n'));
    this.errors = errors;
  }
}
