import tone from '@tonejs/midi';
import type { Score } from './plan-form.ts';

const DRUM_CHANNEL = 9;
const PAN = 10;
const VOLUME = 7;
const REVERB = 91;

/** The score as a standard MIDI file. */
export function writeMidi(score: Score): Uint8Array {
  const midi = new tone.Midi();
  midi.header.setTempo(score.beatsPerMinute);
  const { ppq } = midi.header;
  score.voices.forEach((voice, index) => {
    const track = midi.addTrack();
    track.channel = voice.drums ? DRUM_CHANNEL : index;
    track.instrument.number = voice.programme;
    for (const [number, value] of [
      [VOLUME, voice.volume],
      [PAN, voice.pan],
      [REVERB, voice.reverb],
    ] as const) {
      track.addCC({ number, value: value / 127, ticks: 0 });
    }
    for (const { pitch, start, beats, force } of voice.notes) {
      track.addNote({
        midi: pitch,
        ticks: Math.round(start * ppq),
        durationTicks: Math.max(1, Math.round(beats * ppq)),
        velocity: Math.min(1, Math.max(0.05, force)),
      });
    }
  });
  return midi.toArray();
}
