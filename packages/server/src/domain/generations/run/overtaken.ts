/**
 * Another worker took the generation. The job goes back rather than counting as done: when its lease is still held here,
 * as after a late take by a worker that had been stopped, nobody else would hand the generation out again.
 */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
  constructor() {
    super('another worker took this generation over');
  }
}
