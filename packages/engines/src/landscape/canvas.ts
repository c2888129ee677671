/** A canvas: sRGB from 0 to 1, row by row. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly rgb: Float32Array;
}
