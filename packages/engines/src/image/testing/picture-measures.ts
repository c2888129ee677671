/** PSNR of two sets of bytes, in decibels. */
export function psnr(left: Uint8Array, right: Uint8Array, counts: (index: number) => boolean = () => true): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < left.length; i++) {
    if (!counts(i)) continue;
    sum += (left[i]! - right[i]!) ** 2;
    count++;
  }
  return sum === 0 ? Number.POSITIVE_INFINITY : 10 * Math.log10((255 * 255 * count) / sum);
}

const WINDOW = 8;
const STRIDE = 4;
const [C1, C2] = [(0.01 * 255) ** 2, (0.03 * 255) ** 2];

/** Structural similarity (SSIM) of the brightness of two images; the mean over square windows. */
export function ssim(
  left: { rgb: Uint8Array; width: number; height: number },
  right: { rgb: Uint8Array; width: number; height: number },
): number {
  const [a, b] = [brightness(left.rgb), brightness(right.rgb)];
  let [total, windows] = [0, 0];
  for (let top = 0; top + WINDOW <= left.height; top += STRIDE) {
    for (let from = 0; from + WINDOW <= left.width; from += STRIDE) {
      let [sumA, sumB, sumAA, sumBB, sumAB] = [0, 0, 0, 0, 0];
      for (let y = top; y < top + WINDOW; y++) {
        for (let x = from; x < from + WINDOW; x++) {
          const [va, vb] = [a[y * left.width + x]!, b[y * left.width + x]!];
          sumA += va;
          sumB += vb;
          sumAA += va * va;
          sumBB += vb * vb;
          sumAB += va * vb;
        }
      }
      const n = WINDOW * WINDOW;
      const [meanA, meanB] = [sumA / n, sumB / n];
      const [varA, varB, shared] = [sumAA / n - meanA ** 2, sumBB / n - meanB ** 2, sumAB / n - meanA * meanB];
      total += ((2 * meanA * meanB + C1) * (2 * shared + C2)) / ((meanA ** 2 + meanB ** 2 + C1) * (varA + varB + C2));
      windows++;
    }
  }
  return total / windows;
}

/** Intersection over union of two mattes, weighted by alpha. */
export function iou(left: Uint8Array, right: Uint8Array): number {
  let [shared, covered] = [0, 0];
  for (let i = 0; i < left.length; i++) {
    shared += Math.min(left[i]!, right[i]!);
    covered += Math.max(left[i]!, right[i]!);
  }
  return covered === 0 ? 1 : shared / covered;
}

function brightness(rgb: Uint8Array): Float32Array {
  return Float32Array.from(
    { length: rgb.length / 3 },
    (_, i) => 0.299 * rgb[i * 3]! + 0.587 * rgb[i * 3 + 1]! + 0.114 * rgb[i * 3 + 2]!,
  );
}
