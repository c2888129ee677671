/** One note; times in beats from the start of the piece. */
export interface Note {
  readonly pitch: number;
  readonly start: number;
  readonly beats: number;
  /** 0 to 1. */
  readonly force: number;
}

export interface Voice {
  /** General MIDI program, counted from 0; drums have none. */
  readonly programme: number;
  readonly drums: boolean;
  /** 0 to 127, the middle at 64. */
  readonly pan: number;
  readonly volume: number;
  readonly reverb: number;
  readonly notes: Note[];
}

export interface Score {
  readonly beatsPerMinute: number;
  readonly voices: readonly Voice[];
}
