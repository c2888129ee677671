#!/bin/bash
# Builds ffmpeg and ffprobe from Debian's source package, with what the api image needs and no more: it reads uploads, makes previews
# and copies packets. Debian's own package brings 400 MB of codecs and drivers. The decoders are those that the service allows
# (packages/contract/src/media-decoders.ts); a test compares both lists. Network and devices are not built in.
# Usage: build-ffmpeg.sh DIR     writes DIR/ffmpeg, DIR/ffprobe and DIR/ffmpeg.version
set -euo pipefail

DECODERS=h264,hevc,vp8,vp9,libvpx_vp8,libvpx_vp9,libdav1d,av1,mpeg4,mjpeg,prores,dnxhd,png,qtrle,rawvideo
DECODERS+=,aac,mp3,mp3float,mp2,mp2float,mp1,mp1float,vorbis,opus,flac,alac,ac3,eac3,speex
DECODERS+=,pcm_u8,pcm_s8,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_f64le
DECODERS+=,pcm_alaw,pcm_mulaw,adpcm_ms,adpcm_ima_wav

out=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get -q source ffmpeg
cd ffmpeg-*/
./configure \
  --disable-everything --disable-autodetect --disable-network --disable-avdevice --disable-ffplay --disable-doc --disable-debug \
  --enable-zlib --enable-libdav1d --enable-libvpx \
  --enable-protocol=file,pipe \
  --enable-demuxer=mov,matroska,mp3,wav,ogg \
  --enable-muxer=mp3,wav,ogg,mp4,mov,webm,image2pipe,pcm_s16le \
  --enable-decoder="$DECODERS" \
  --enable-encoder=mjpeg,png,pcm_s16le \
  --enable-parser=h264,hevc,vp8,vp9,av1,mpeg4video,mjpeg,png,aac,mpegaudio,vorbis,opus,flac,ac3,dnxhd \
  --enable-bsf=aac_adtstoasc,extract_extradata,h264_mp4toannexb,hevc_mp4toannexb,vp9_superframe,vp9_superframe_split,av1_frame_split \
  --enable-filter=scale,setsar,format,aformat,aresample,null,anull,trim,atrim,transpose,hflip,vflip,rotate
make -j"$(nproc)" ffmpeg ffprobe
mkdir -p "$out"
install -m 0755 -s ffmpeg ffprobe "$out"
dpkg-parsechangelog -S Version >"$out/ffmpeg.version"
