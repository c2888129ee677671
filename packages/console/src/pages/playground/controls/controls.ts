import type { ComponentType } from 'react';
import {
  AspectControl,
  EffectControl,
  LanguageControl,
  SegmentedControl,
  SelectControl,
  SwitchControl,
  VoiceControl,
} from './choice-controls.tsx';
import type { Control, ControlProps } from './control.ts';
import { ExpandControl } from './expand-control.tsx';
import { MaskControl } from './mask-control.tsx';
import { AudioControl, ImageControl, ImagesControl, VideoControl } from './media-controls.tsx';
import { SeedControl, SliderControl } from './number-controls.tsx';
import { LyricsControl, PromptControl, ScriptControl, TagsControl, TextareaControl } from './text-controls.tsx';

/** The component of every control that a descriptor can name. It does not compile while one is missing. */
export const CONTROLS: Readonly<Record<Control, ComponentType<ControlProps>>> = {
  prompt: PromptControl,
  textarea: TextareaControl,
  aspect: AspectControl,
  segmented: SegmentedControl,
  select: SelectControl,
  switch: SwitchControl,
  seed: SeedControl,
  image: ImageControl,
  images: ImagesControl,
  script: ScriptControl,
  lyrics: LyricsControl,
  tags: TagsControl,
  voice: VoiceControl,
  language: LanguageControl,
  slider: SliderControl,
  audio: AudioControl,
  video: VideoControl,
  mask: MaskControl,
  expand: ExpandControl,
  effect: EffectControl,
};
