/** Points in the plane as x, y, x, y, ...; closed without repeating the first. */
export type Contour = readonly number[];

/** One outline with the holes in it. */
export interface FlatShape {
  readonly outline: Contour;
  readonly holes: readonly Contour[];
}

/** A closed surface of one colour. Three numbers per point, three corners per face. */
export interface SolidPart {
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly corners: Uint32Array;
  /** sRGB, 0 to 1. */
  readonly colour: Colour;
  readonly metallic: number;
  readonly roughness: number;
  /** Two numbers per point, into the model's texture. */
  readonly texturePoints?: Float32Array;
}

export interface SolidModel {
  readonly parts: readonly SolidPart[];
  readonly texture?: Texture;
}

export interface Texture {
  readonly png: Buffer;
  readonly rgb: Buffer;
  readonly width: number;
  readonly height: number;
}

export type Colour = readonly [red: number, green: number, blue: number];
