/** The home page has a large opening instead of a title. Its text below is that of docs/README.md. */
export const home = {
  template: 'splash',
  hero: {
    title: 'Paid media generation on your own servers',
    tagline:
      'One HTTP API for images, video, audio and 3D. Exact prices before you pay, one charge per request, full refunds for failures.',
    image: {
      file: './gallery/53-landscape-painter.webp',
      alt: 'A forest in winter below an aurora, painted by the model landscape-painter',
    },
    actions: [
      { text: 'Quickstart', link: '/guide/quickstart/', icon: 'right-arrow', variant: 'primary' },
      { text: 'API reference', link: '/guide/api/', variant: 'secondary' },
    ],
  },
} as const;
