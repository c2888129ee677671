/** An image in memory: RGB, row by row from the top. */
export interface Picture {
  readonly rgb: Buffer;
  readonly width: number;
  readonly height: number;
}
