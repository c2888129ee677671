/** Requests of the pool and answers of a child. Answers are validated, never trusted. */
import { type CopyPiece, readCopyPlan } from '../clean/copy-plan.ts';

export interface ImageBounds {
  /** Of all frames together. */
  maxPixels: number;
  maxSidePixels: number;
}

export type ProbeRequest =
  | { task: 'image'; bounds: ImageBounds }
  | { task: 'alpha-mask'; bounds: ImageBounds }
  | { task: 'clean'; mimeType: string }
  | { task: 'svg' }
  | { task: 'container'; mimeType: string }
  | { task: 'model' }
  | { task: 'text'; mimeType: string }
  | { task: 'waveform'; peaks: number[] };

export interface ProbeAnswer {
  /** False: the file is invalid. */
  readable: boolean;
  /** Why not, as a message for the client. */
  detail?: string;
  /** Another reader must not be tried. */
  final?: boolean;
  mimeType?: string;
  width?: number;
  height?: number;
  transparent?: boolean;
  durationSeconds?: number;
  videoTracks?: number;
  audioTracks?: number;
  /** How to make the copy without metadata. */
  plan?: CopyPiece[];
}

/** An answer with the picture drawn during the probe, or no bytes. */
export interface ProbeResult {
  answer: ProbeAnswer;
  picture: Buffer;
}

/** A frame is two lengths, then the JSON, then the picture. */
export const FRAME_HEADER_BYTES = 8;
/** Fits a plan with the maximum number of pieces. */
export const MAX_ANSWER_BYTES = 1024 * 1024;
export const MAX_PICTURE_BYTES = 4 * 1024 * 1024;
export const MAX_REQUEST_BYTES = 64 * 1024;

/** The name of the one file a child can see. */
export const PROBED_FILE = 'file';

export function encodeFrame(message: object, picture: Uint8Array = new Uint8Array()): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  header.writeUInt32LE(json.length, 0);
  header.writeUInt32LE(picture.length, 4);
  return Buffer.concat([header, json, picture]);
}

/** Assembles chunks into frames. Throws when a frame declares a larger size than allowed. */
export function createFrameReader(
  { maxJsonBytes, maxPictureBytes }: { maxJsonBytes: number; maxPictureBytes: number },
  onFrame: (json: string, picture: Buffer) => void,
): (piece: Buffer) => void {
  let pieces: Buffer[] = [];
  let gatheredBytes = 0;
  let wantedBytes = FRAME_HEADER_BYTES;

  return (piece) => {
    pieces.push(piece);
    gatheredBytes += piece.length;
    while (gatheredBytes >= wantedBytes) {
      const gathered = Buffer.concat(pieces, gatheredBytes);
      const jsonBytes = gathered.readUInt32LE(0);
      const pictureBytes = gathered.readUInt32LE(4);
      if (jsonBytes > maxJsonBytes || pictureBytes > maxPictureBytes) throw new RangeError('The frame is too large.');
      const end = FRAME_HEADER_BYTES + jsonBytes + pictureBytes;
      pieces = [gathered];
      if (gatheredBytes < end) {
        wantedBytes = end;
        return;
      }
      const json = gathered.toString('utf8', FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + jsonBytes);
      const picture = Buffer.from(gathered.subarray(FRAME_HEADER_BYTES + jsonBytes, end));
      pieces = [gathered.subarray(end)];
      gatheredBytes -= end;
      wantedBytes = FRAME_HEADER_BYTES;
      onFrame(json, picture);
    }
  };
}

const MAX_WHOLE_NUMBER = 2 ** 31;

/** Keeps only known members of the right type. */
export function readAnswer(json: string): ProbeAnswer | null {
  let raw: unknown;
  try {
    raw = JSON.parse(json);
  } catch {
    return null;
  }
  if (typeof raw !== 'object' || raw === null) return null;
  const said = raw as Record<string, unknown>;
  if (typeof said.readable !== 'boolean') return null;
  const answer: ProbeAnswer = { readable: said.readable };
  for (const name of ['width', 'height', 'videoTracks', 'audioTracks'] as const) {
    const value = said[name];
    if (Number.isInteger(value) && (value as number) >= 0 && (value as number) < MAX_WHOLE_NUMBER) {
      answer[name] = value as number;
    }
  }
  if (Number.isFinite(said.durationSeconds)) answer.durationSeconds = said.durationSeconds as number;
  if (typeof said.transparent === 'boolean') answer.transparent = said.transparent;
  if (typeof said.final === 'boolean') answer.final = said.final;
  if (typeof said.detail === 'string') answer.detail = said.detail.slice(0, 200);
  const plan = readCopyPlan(said.plan);
  if (plan !== null) answer.plan = plan;
  if (typeof said.mimeType === 'string') answer.mimeType = said.mimeType.slice(0, 100);
  return answer;
}

/** The file is invalid; the message is for the client. */
export class ProbeRefusal extends Error {
  override readonly name = 'ProbeRefusal';
}
