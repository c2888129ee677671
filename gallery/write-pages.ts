import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { CaseResult } from './run-case.ts';

const SHOWN_PIXELS = 256;
const QUALITY = 70;

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const inputsOf = ({ case: each }: CaseResult) => Object.values(each.inputs ?? {}).flat();
const paramsOf = ({ case: each }: CaseResult) =>
  Object.entries({ ...each.params, ...(each.effect && { effect: each.effect }) })
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ');

/** The gallery as one HTML page next to its files. */
export async function writePage(outDir: string, results: readonly CaseResult[]): Promise<void> {
  const figure = (result: CaseResult) => {
    const { output = '', picture = '' } = result.files ?? {};
    const show = {
      image: `<img src="${output}">`,
      video: `<video src="${output}" poster="${picture}" controls loop muted></video>`,
      audio: `<img src="${picture}"><audio src="${output}" controls></audio>`,
    }[result.case.expect.kind as string];
    return `<article><h2>${escapeHtml(result.case.title)}</h2><p><code>${escapeHtml(result.case.model)}</code> ${escapeHtml(paramsOf(result))}</p>
<div>${inputsOf(result)
      .map((file) => `<a href="inputs/${file}">${file}</a>`)
      .join(' ')}</div>
${result.files === null ? '' : (show ?? `<img src="${picture}">`)}
<p>${result.seconds.toFixed(1)} s, ${result.coins} coins${result.files === null ? '' : `, <a href="${output}">${output}</a>`}</p>
${result.faults.map((fault) => `<p class="fault">${escapeHtml(fault)}</p>`).join('')}</article>`;
  };
  await writeFile(
    join(outDir, 'index.html'),
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Gallery</title>
<style>body{font:14px system-ui;margin:2rem;background:#f4f4f2}main{display:grid;grid-template-columns:repeat(auto-fill,minmax(20rem,1fr));gap:1rem}
article{background:#fff;padding:1rem;border-radius:8px}img,video{max-width:100%;background:repeating-conic-gradient(#ddd 0 25%,#fff 0 50%) 0/16px 16px}.fault{color:#b00}</style>
<h1>Gallery</h1><main>${results.map(figure).join('\n')}</main></html>\n`,
  );
}

/** The output itself where it is a picture, else the picture of it. */
const pictureOf = (result: CaseResult, files: NonNullable<CaseResult['files']>): string =>
  result.case.expect.kind === 'image' && !files.output.endsWith('svg') ? files.output : files.picture;

const CARD = { width: 132, height: 108 };

/** The first output of every model, as its card in the console's playground shows it. */
export async function writeCards(
  cardsDir: string,
  options: { outDir: string; results: readonly CaseResult[] },
): Promise<void> {
  await mkdir(cardsDir, { recursive: true });
  const shown = new Set<string>();
  for (const result of options.results) {
    const { model } = result.case;
    if (result.files === null || shown.has(model)) continue;
    shown.add(model);
    await sharp(join(options.outDir, pictureOf(result, result.files)))
      .resize({ ...CARD, fit: 'cover' })
      .webp({ quality: QUALITY })
      .toFile(join(cardsDir, `${model}.webp`));
  }
}

/** The scaled-down gallery in the repository. */
export async function writeDocs(
  docsDir: string,
  options: { outDir: string; results: readonly CaseResult[] },
): Promise<void> {
  await rm(docsDir, { recursive: true, force: true });
  await mkdir(docsDir, { recursive: true });
  const shrink = (from: string, to: string) =>
    sharp(from)
      .resize(SHOWN_PIXELS, SHOWN_PIXELS, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: QUALITY })
      .toFile(join(docsDir, to));
  const rows: string[] = [];
  for (const result of options.results) {
    if (result.files === null) continue;
    const shown = result.files.picture.replace('.thumb.webp', '.webp');
    await shrink(join(options.outDir, pictureOf(result, result.files)), shown);
    rows.push(
      `| ${result.case.title} | \`${result.case.model}\` | ${inputsOf(result).join(', ')} | ${paramsOf(result).replaceAll('|', '/')} | ![${result.case.title}](${shown}) | ${result.seconds.toFixed(1)} | ${result.coins} |`,
    );
  }
  await writeFile(
    join(docsDir, 'README.md'),
    `# Gallery

All models and effects that run on a machine with two cores. \`npm run gallery\` ran each once through the API with a live
key. Outputs are scaled down; audio shows a waveform, 3D models a rendered view. The inputs are in gallery/inputs.

| What | Model | Input | Params | Output | Seconds | Coins |
|---|---|---|---|---|---|---|
${rows.join('\n')}
`,
  );
}
