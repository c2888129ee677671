import type { TaskType } from '@atelier/contract';
import { renderCutout, renderPicture, renderVector } from './picture/render-picture.ts';
import type { Renderer } from './render-request.ts';
import { renderSolid } from './solid/render-solid.ts';
import { renderSound } from './sound/render-sound.ts';
import { renderTranscript } from './sound/render-transcript.ts';
import { renderVideo } from './video/render-video.ts';

interface TaskRenderer {
  /** Shown when the request contains no text. */
  readonly label: string;
  readonly render: Renderer;
}

export const taskRenderers: Readonly<Record<TaskType, TaskRenderer>> = {
  'image.generate': { label: 'Generated image', render: renderPicture },
  'image.edit': { label: 'Edited image', render: renderPicture },
  'image.upscale': { label: 'Upscaled image', render: renderPicture },
  'image.remove-bg': { label: 'Background removed', render: renderCutout },
  'image.inpaint': { label: 'Inpainted image', render: renderPicture },
  'image.outpaint': { label: 'Outpainted image', render: renderPicture },
  'image.relight': { label: 'Relit image', render: renderPicture },
  'image.vectorize': { label: 'Vectorized image', render: renderVector },
  'image.restore': { label: 'Restored image', render: renderPicture },
  'image.effect': { label: 'Image effect', render: renderPicture },
  'image.erase': { label: 'Object erased', render: renderPicture },
  'image.reframe': { label: 'Reframed image', render: renderPicture },
  'image.sketch': { label: 'Image from a sketch', render: renderPicture },
  'image.restyle': { label: 'Restyled image', render: renderPicture },
  'image.colorize': { label: 'Colorized image', render: renderPicture },
  'image.retouch': { label: 'Retouched image', render: renderPicture },
  'image.product-shot': { label: 'Product shot', render: renderPicture },
  'image.replace-bg': { label: 'Background replaced', render: renderPicture },
  'image.try-on': { label: 'Virtual try-on', render: renderPicture },
  'video.generate': { label: 'Generated video', render: renderVideo },
  'video.animate': { label: 'Animated image', render: renderVideo },
  'video.v2v': { label: 'Transformed video', render: renderVideo },
  'video.extend': { label: 'Extended video', render: renderVideo },
  'video.upscale': { label: 'Upscaled video', render: renderVideo },
  'video.interpolate': { label: 'Interpolated video', render: renderVideo },
  'video.remove-bg': { label: 'Background removed', render: renderVideo },
  'video.add-audio': { label: 'Video with audio', render: renderVideo },
  'video.lipsync': { label: 'Lip-synced video', render: renderVideo },
  'video.effect': { label: 'Video effect', render: renderVideo },
  'video.reframe': { label: 'Reframed video', render: renderVideo },
  'audio.tts': { label: 'Spoken text', render: renderSound },
  'audio.music': { label: 'Generated music', render: renderSound },
  'audio.sfx': { label: 'Sound effect', render: renderSound },
  'audio.voice-change': { label: 'Changed voice', render: renderSound },
  'audio.isolate': { label: 'Isolated audio', render: renderSound },
  'audio.stt': { label: 'Transcript', render: renderTranscript },
  '3d.from-text': { label: 'Generated model', render: renderSolid },
  '3d.from-image': { label: 'Model from an image', render: renderSolid },
};
