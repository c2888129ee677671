"""Calls every operation with the official client: BASE_URL KEY PICTURE RECORDING. Prints what it saw as JSON."""

import base64
import json
import sys

from openai import ConflictError, OpenAI

base_url, key, picture, recording = sys.argv[1:]
client = OpenAI(base_url=base_url, api_key=key)


def kind(image):
    data = base64.b64decode(image.b64_json)
    return "png" if data.startswith(b"\x89PNG") else "other"


seen = {"models": any(model.id == "canvas" for model in client.models.list())}

images = client.images.generate(model="canvas", prompt="a lighthouse", size="1024x1024")
seen["image"] = kind(images.data[0])

with open(picture, "rb") as file:
    edited = client.images.edit(
        model="prompt-edit", image=file, prompt="add a hat", extra_headers={"X-Consent": "true"}
    )
seen["edit"] = kind(edited.data[0])

with open(picture, "rb") as file:
    varied = client.images.create_variation(model="gmic-sketch", image=file)
seen["variation"] = kind(varied.data[0])

speech = client.audio.speech.create(model="tts-1", voice="nova", input="Good morning.")
seen["speech"] = len(speech.content) > 1000

with open(recording, "rb") as file:
    transcript = client.audio.transcriptions.create(model="whisper-1", file=file)
seen["transcript"] = len(transcript.text) > 0

video = client.videos.create_and_poll(model="sora-2", prompt="waves", seconds="4", size="1280x720")
seen["video"] = video.status
seen["content"] = len(client.videos.download_content(video.id).content) > 1000

try:
    client.images.generate(model="canvas", prompt="x", extra_headers={"X-Max-Coins": "1"})
except ConflictError as error:
    seen["refused"] = error.code

print(json.dumps(seen))
