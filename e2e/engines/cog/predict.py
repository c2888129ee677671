"""A small model for tests: it inverts a picture, fails, or sleeps."""

import tempfile
import time

from cog import BasePredictor, Input, Path
from PIL import Image, ImageOps


class Predictor(BasePredictor):
    def predict(
        self,
        image: Path = Input(description="The picture to invert"),
        mode: str = Input(choices=["invert", "fail"], default="invert"),
        seconds: float = Input(description="How long to sleep first", default=0, ge=0, le=60),
    ) -> Path:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(0.05)
        if mode == "fail":
            raise ValueError("the model failed on purpose")
        picture = Image.open(str(image)).convert("RGB")
        out = Path(tempfile.mkdtemp()) / "inverted.png"
        ImageOps.invert(picture).save(str(out))
        return out
