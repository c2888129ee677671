import { SITE_PATH } from '../../scripts/docs/pages.ts';

/** Of docs/gallery: what a reader sees first. The build copies them beside the page. */
export const HOME_PICTURES = [
  { file: '53-landscape-painter.webp', alt: 'A forest in winter below an aurora' },
  { file: '12-comic-dots.webp', alt: 'A portrait in comic dots' },
  { file: '48-icon3d-image.webp', alt: 'A birthday cake as a 3D icon' },
  { file: '37-modnet-portrait-background.webp', alt: 'A portrait before a launch pad' },
  { file: '52-landscape-painter.webp', alt: 'Mountains behind a lake at sunset' },
  { file: '19-ink-engraving.webp', alt: 'A cat as an ink engraving' },
  { file: '49-icon3d-image.webp', alt: 'A golden crown' },
  { file: '14-feather-strokes.webp', alt: 'A cat in feather strokes' },
  { file: '31-u2net-cutout-background.webp', alt: 'A cup before lights out of focus' },
] as const;

const pictures = HOME_PICTURES.map(
  ({ file, alt }) => `<img src="${SITE_PATH}/home/${file}" alt="${alt}" width="256" height="256">`,
);

/** The home page has a large opening instead of a title. Its text below is that of docs/README.md. */
export const home = {
  template: 'splash',
  title: 'Atelier',
  hero: {
    title: 'Paid media generation on your own servers',
    tagline:
      'One HTTP API for images, video, audio and 3D. Exact prices before you pay, one charge per request, full refunds for failures.',
    image: { html: `<div class="hero-pictures">${pictures.join('')}</div>` },
    actions: [
      { text: 'Quickstart', link: `${SITE_PATH}/quickstart/`, icon: 'right-arrow', variant: 'primary' },
      { text: 'API reference', link: `${SITE_PATH}/api/`, variant: 'secondary' },
    ],
  },
} as const;
