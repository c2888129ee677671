export interface Point {
  readonly x: number;
  readonly y: number;
}

/** One face: 468 points in image pixels, in the order of the mesh model. Left and right are those of the image. */
export interface FaceMesh {
  readonly points: readonly Point[];
  /** Confidence that there is a face, 0 to 1. */
  readonly confidence: number;
  /** From the outer corner of one eye to that of the other, in pixels. */
  readonly eyeSpan: number;
  /** How far the head is turned: 0 looks at the camera, 1 is in profile. */
  readonly turn: number;
}

/** Rings of the mesh, each in order around its part of the face. */
export const faceRings = {
  outline: [
    10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150,
    136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
  ],
  outerLips: [61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291, 375, 321, 405, 314, 17, 84, 181, 91, 146],
  /** From the left corner along the upper lip to the right corner, and back along the lower. */
  innerLips: [78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308, 324, 318, 402, 317, 14, 87, 178, 88, 95],
  leftEye: [33, 246, 161, 160, 159, 158, 157, 173, 133, 155, 154, 153, 145, 144, 163, 7],
  rightEye: [263, 466, 388, 387, 386, 385, 384, 398, 362, 382, 381, 380, 374, 373, 390, 249],
  leftBrow: [46, 53, 52, 65, 55, 107, 66, 105, 63, 70],
  rightBrow: [276, 283, 282, 295, 285, 336, 296, 334, 293, 300],
} as const satisfies Record<string, readonly number[]>;

/** Points that determine the pose of the head. */
export const facePoints = {
  noseTip: 1,
  leftSide: 234,
  rightSide: 454,
  leftEyeCorner: 33,
  rightEyeCorner: 263,
  chin: 152,
} as const;
