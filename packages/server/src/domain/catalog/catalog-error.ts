export interface Fault {
  /** Relative to the catalog's folder. */
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

/** Every fault found in the files, one per line of the message: `file:line: reason`. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(faults.map(({ file, line, reason }) => `${file}:${line}: ${reason}`).join('\n'));
    this.faults = faults;
  }
}
