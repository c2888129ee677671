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

/** The model centered above the origin, with its base at height 0 and a longest side of 1. */
export function placeModel(model: SolidModel): SolidModel {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const { positions } of model.parts) {
    for (let at = 0; at < positions.length; at++) {
      low[at % 3] = Math.min(low[at % 3]!, positions[at]!);
      high[at % 3] = Math.max(high[at % 3]!, positions[at]!);
    }
  }
  const scale = 1 / Math.max(high[0]! - low[0]!, high[1]! - low[1]!, high[2]! - low[2]!);
  const from = [(low[0]! + high[0]!) / 2, low[1]!, (low[2]! + high[2]!) / 2];
  return {
    ...model,
    parts: model.parts.map((part) => ({
      ...part,
      positions: part.positions.map((value, at) => (value - from[at % 3]!) * scale),
    })),
  };
}
