/** All voice effects, as ffmpeg filters. Some shift the formants together with the pitch, others keep them. */
export const voiceEffects = {
  deeper: 'rubberband=pitch=0.82:formant=preserved:pitchq=quality',
  brighter: 'rubberband=pitch=1.2:formant=preserved:pitchq=quality',
  giant: 'rubberband=pitch=0.7:formant=shifted:pitchq=quality',
  chipmunk: 'rubberband=pitch=1.5:formant=shifted:pitchq=quality',
  robot: "afftfilt=real='hypot(re,im)*sin(0)':imag='hypot(re,im)*cos(0)':win_size=512:overlap=0.75,volume=2.8",
  radio:
    'highpass=f=450:poles=2,lowpass=f=2800:poles=2,acompressor=threshold=0.08:ratio=8:attack=5:release=80:makeup=3,acrusher=bits=9:mode=log:aa=0.8:mix=0.35',
  telephone:
    'highpass=f=300:poles=2,highpass=f=300:poles=2,lowpass=f=3300:poles=2,lowpass=f=3300:poles=2,acompressor=threshold=0.1:ratio=4:makeup=2',
  cave: 'apad=pad_dur=1.6,aecho=in_gain=0.75:out_gain=0.8:delays=61|137|283|521|877:decays=0.3|0.22|0.15|0.1|0.06',
} as const satisfies Record<string, string>;

export type VoiceEffect = keyof typeof voiceEffects;
