import {
  Box3,
  ClampToEdgeWrapping,
  DirectionalLight,
  HemisphereLight,
  MathUtils,
  type Object3D,
  PerspectiveCamera,
  Scene,
  Sphere,
  Spherical,
  Texture,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { GLTFLoader, type GLTFLoaderPlugin, type GLTFParser } from 'three/addons/loaders/GLTFLoader.js';

const FIELD_OF_VIEW = 35;
const MAX_PIXEL_RATIO = 2;
const SKY = 0xffffff;
const GROUND = 0x8d8a84;
const SKY_STRENGTH = 2.2;
const LAMP_STRENGTH = 1.8;
/** From the front, a little from the right and from above. */
const FIRST_VIEW = new Spherical(1, MathUtils.degToRad(70), MathUtils.degToRad(30));
const TURN = MathUtils.degToRad(10);
const CLOSER = 0.88;
const MARGIN = 1.15;

const TURNS: Readonly<Record<string, readonly [yaw: number, pitch: number, distance: number]>> = {
  ArrowLeft: [-TURN, 0, 1],
  ArrowRight: [TURN, 0, 1],
  ArrowUp: [0, -TURN, 1],
  ArrowDown: [0, TURN, 1],
  '+': [0, 0, CLOSER],
  '-': [0, 0, 1 / CLOSER],
};

/** Decodes the pictures of a model without a blob: link, which the content security policy does not allow. */
class PicturesFromBuffers implements GLTFLoaderPlugin {
  readonly name = 'pictures-from-buffers';
  readonly #parser: GLTFParser;

  constructor(parser: GLTFParser) {
    this.#parser = parser;
  }

  loadTexture(index: number): Promise<Texture> {
    return this.#load(index);
  }

  async #load(index: number): Promise<Texture> {
    const { textures, images } = this.#parser.json;
    const { bufferView, mimeType } = images[textures[index].source];
    if (bufferView === undefined) throw new Error('The picture of the model is in another file');
    const bytes: ArrayBuffer = await this.#parser.getDependency('bufferView', bufferView);
    const bitmap = await createImageBitmap(new Blob([bytes], { type: mimeType }), {
      colorSpaceConversion: 'none',
      premultiplyAlpha: 'none',
    });
    const texture = new Texture(bitmap);
    texture.flipY = false;
    texture.wrapS = ClampToEdgeWrapping;
    texture.wrapT = ClampToEdgeWrapping;
    texture.needsUpdate = true;
    return texture;
  }
}

/** Draws a binary glTF model that the pointer and the arrow keys turn. It draws only when something changes. Throws if the browser cannot draw in 3D. */
export async function drawModel(canvas: HTMLCanvasElement, glb: ArrayBuffer): Promise<Disposable> {
  using stack = new DisposableStack();
  const loader = new GLTFLoader().register((parser) => new PicturesFromBuffers(parser));
  const { scene: model } = await loader.parseAsync(glb, '');
  const renderer = stack.adopt(new WebGLRenderer({ canvas, antialias: true, alpha: true }), (each) => each.dispose());
  renderer.setPixelRatio(Math.min(devicePixelRatio, MAX_PIXEL_RATIO));
  const scene = new Scene();
  const camera = new PerspectiveCamera(FIELD_OF_VIEW);
  // The lamp is beside the viewer, so that the side in sight is never dark.
  const lamp = new DirectionalLight(SKY, LAMP_STRENGTH);
  lamp.position.set(-1, 1.5, 1);
  camera.add(lamp, lamp.target);
  scene.add(model, camera, new HemisphereLight(SKY, GROUND, SKY_STRENGTH));
  const controls = stack.adopt(new OrbitControls(camera, canvas), (each) => each.dispose());
  const around = measure(model);
  controls.target.copy(around.center);
  controls.enablePan = false;
  controls.minDistance = around.radius;
  controls.maxDistance = around.radius * 12;
  const draw = () => renderer.render(scene, camera);
  const fit = () => {
    const { clientWidth: width, clientHeight: height } = canvas;
    if (width === 0 || height === 0) return;
    renderer.setSize(width, height, false);
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    draw();
  };
  const distance = (around.radius / Math.sin(MathUtils.degToRad(FIELD_OF_VIEW / 2))) * MARGIN;
  camera.near = around.radius / 100;
  camera.far = around.radius * 40;
  const place = (view: Spherical) => {
    camera.position.setFromSpherical(view).add(around.center);
    controls.update();
  };
  place(new Spherical(distance, FIRST_VIEW.phi, FIRST_VIEW.theta));
  controls.addEventListener('change', draw);

  const onKeyDown = (event: KeyboardEvent) => {
    const turn = TURNS[event.key];
    if (turn === undefined) return;
    event.preventDefault();
    const [yaw, pitch, factor] = turn;
    const view = new Spherical().setFromVector3(new Vector3().subVectors(camera.position, around.center));
    view.theta += yaw;
    view.phi += pitch;
    view.radius *= factor;
    place(view.makeSafe());
    draw();
  };
  canvas.addEventListener('keydown', onKeyDown);
  stack.defer(() => canvas.removeEventListener('keydown', onKeyDown));
  const size = new ResizeObserver(fit);
  size.observe(canvas);
  stack.defer(() => size.disconnect());
  fit();
  return stack.move();
}

function measure(model: Object3D): Sphere {
  const around = new Box3().setFromObject(model).getBoundingSphere(new Sphere());
  // A model without points has no size.
  if (!(around.radius > 0)) return new Sphere(new Vector3(), 1);
  return around;
}
