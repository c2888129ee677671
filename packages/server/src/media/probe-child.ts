/**
 * The program that opens untrusted files. It runs confined, sees one file at a time and answers on a pipe.
 * Its arguments: the path of that file.
 */
import { planCleanCopy } from './clean/plan-clean-copy.ts';
import { drawAlphaMask } from './probe/draw-alpha-mask.ts';
import { drawTextCard } from './probe/draw-text-card.ts';
import { drawWaveform } from './probe/draw-waveform.ts';
import { probeContainer } from './probe/probe-container.ts';
import { probeImage, probeSvg } from './probe/probe-image.ts';
import {
  createFrameReader,
  encodeFrame,
  MAX_REQUEST_BYTES,
  ProbeRefusal,
  type ProbeRequest,
} from './probe/probe-protocol.ts';
import { renderModel } from './probe/render-model.ts';

const path = process.argv[2]!;

function perform(request: ProbeRequest) {
  switch (request.task) {
    case 'image':
      return probeImage({ path, bounds: request.bounds });
    case 'alpha-mask':
      return drawAlphaMask({ path, bounds: request.bounds });
    case 'clean':
      return planCleanCopy({ path, mimeType: request.mimeType });
    case 'svg':
      return probeSvg(path);
    case 'container':
      return probeContainer({ path, mimeType: request.mimeType });
    case 'model':
      return renderModel(path);
    case 'text':
      return drawTextCard({ path, mimeType: request.mimeType });
    case 'waveform':
      return drawWaveform(request.peaks);
  }
}

async function reply(request: ProbeRequest): Promise<void> {
  try {
    const { answer, picture } = await perform(request);
    process.stdout.write(encodeFrame(answer, picture));
  } catch (error) {
    const final = error instanceof ProbeRefusal;
    const detail = final ? error.message : 'The file cannot be decoded.';
    process.stdout.write(encodeFrame({ readable: false, final, detail }));
  }
}

const limits = { maxJsonBytes: MAX_REQUEST_BYTES, maxPictureBytes: 0 };
process.stdin.on(
  'data',
  createFrameReader(limits, (json) => void reply(JSON.parse(json) as ProbeRequest)),
);
process.stdin.on('end', () => process.exit(0));
process.stdout.write(encodeFrame({ readable: true }));
