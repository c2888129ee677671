/** What the accepted containers ordinarily hold. Rarer decoders stay closed to untrusted files. */
const VIDEO_DECODERS = [
  ...['h264', 'hevc', 'vp8', 'vp9', 'libvpx', 'libvpx-vp9', 'libdav1d', 'libaom-av1', 'av1'],
  ...['mpeg4', 'mjpeg', 'prores', 'dnxhd', 'png', 'qtrle', 'rawvideo'],
];

const AUDIO_DECODERS = [
  ...['aac', 'mp3', 'mp3float', 'mp2', 'mp2float', 'mp1', 'mp1float', 'vorbis', 'libvorbis', 'opus', 'libopus'],
  ...['flac', 'alac', 'ac3', 'eac3', 'speex', 'libspeex', 'pcm_u8', 'pcm_s8', 'pcm_s16le', 'pcm_s16be', 'pcm_s24le'],
  ...['pcm_s24be', 'pcm_s32le', 'pcm_s32be', 'pcm_f32le', 'pcm_f32be', 'pcm_f64le', 'pcm_alaw', 'pcm_mulaw'],
  ...['adpcm_ms', 'adpcm_ima_wav'],
];

/** Never a playlist, never a network address: the file's own container and nothing it names. */
export const FFMPEG_READ_OPTIONS = [
  ...['-protocol_whitelist', 'file'],
  ...['-format_whitelist', 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mp3,wav,ogg'],
  ...['-codec_whitelist', [...VIDEO_DECODERS, ...AUDIO_DECODERS].join(',')],
  ...['-max_alloc', '268435456'],
];
