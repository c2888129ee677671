/** Measures the prompt checks on labeled prompts, and the image classifier on images known to be safe. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findExemplarVectors, writeExemplarVectors } from '@atelier/server/safety/classifiers/exemplar-vectors.ts';
import { openEmbedder } from '@atelier/server/safety/classifiers/open-embedder.ts';
import { openPictureClassifier } from '@atelier/server/safety/classifiers/open-picture-classifier.ts';
import { type LabelledText, readExemplars } from '@atelier/server/safety/classifiers/read-exemplars.ts';
import { scoreVectors } from '@atelier/server/safety/classifiers/score-vectors.ts';
import { checkPromptFloor } from '@atelier/server/safety/floor/check-prompt-floor.ts';
import { DEFAULT_SAFETY_SETTINGS } from '@atelier/server/safety/safety-settings.ts';
import { SAFETY_CATEGORIES, type SafetyCategory } from '@atelier/server/safety/verdict.ts';
import { parse } from 'yaml';

const HELP = `Usage: node scripts/measure-safety.ts [options]

Prints precision and recall of the prompt floor and of the prompt classifier on labelled-prompts.yaml, per category and
per threshold, and the highest scores of images known to be safe.

  --pictures DIR     folder of safe images; can be repeated (default: gallery/inputs)
  --floor-only       run only the floor, which needs no weights
  --write            compute the vectors of the exemplars again first
  --misses           list every wrong result
  --json             print JSON
  --help             show this text
`;

const { values } = parseArgs({
  options: {
    pictures: { type: 'string', multiple: true, default: [resolve(import.meta.dirname, '../gallery/inputs')] },
    'floor-only': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    misses: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}

const SWEEP = [0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8];
const TOO_CLOSE = 0.85;
const weights = join(process.env['WEIGHTS_DIR'] ?? join(homedir(), '.cache/atelier/weights'), 'minilm');

interface Labelled extends LabelledText {
  readonly set: string;
}
interface Scored extends Labelled {
  readonly floor: SafetyCategory | null;
  readonly found: SafetyCategory | null;
  readonly score: number;
}

function readLabelled(): Labelled[] {
  const file = resolve(import.meta.dirname, '../packages/server/src/safety/labelled-prompts.yaml');
  const sets = parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string[]>>;
  return Object.entries(sets).flatMap(([set, lists]) =>
    Object.entries(lists).flatMap(([name, texts]) =>
      texts.map((text) => ({ set, text, category: name === 'safe' ? null : (name as SafetyCategory) })),
    ),
  );
}

function rate(prompts: readonly Scored[], isFound: (prompt: Scored) => boolean) {
  const unsafe = prompts.filter(({ category }) => category !== null);
  const hits = unsafe.filter(isFound).length;
  const alarms = prompts.filter((prompt) => prompt.category === null && isFound(prompt)).length;
  const round = (value: number) => Math.round(value * 1000) / 1000;
  return {
    precision: hits + alarms === 0 ? null : round(hits / (hits + alarms)),
    recall: unsafe.length === 0 ? null : round(hits / unsafe.length),
    falseAlarms: alarms,
  };
}

async function scorePrompts(labelled: readonly Labelled[]): Promise<{ prompts: Scored[]; closest: unknown[] | null }> {
  const plain = labelled.map((each) => ({ ...each, floor: checkPromptFloor(each.text), found: null, score: 0 }));
  if (values['floor-only'] || !existsSync(weights)) return { prompts: plain, closest: null };
  const embed = await openEmbedder(weights);
  const texts = await readExemplars();
  const list = texts.map(({ text }) => text);
  if (values.write) await writeExemplarVectors(list, embed);
  const vectors = await findExemplarVectors(list, embed);
  const exemplars = texts.map(({ category }, index) => ({ category, vector: vectors[index]! }));
  const prompts: Scored[] = [];
  const closest: { similarity: number; labelled: string; exemplar: string }[] = [];
  for (const each of plain) {
    const [vector] = await embed([each.text]);
    const { category, score } = scoreVectors([vector!], exemplars);
    prompts.push({ ...each, found: category, score });
    vectors.forEach((other, index) => {
      const similarity = other.reduce((sum, value, at) => sum + value * vector![at]!, 0);
      if (similarity >= TOO_CLOSE) closest.push({ similarity, labelled: each.text, exemplar: list[index]! });
    });
  }
  return { prompts, closest };
}

async function scorePictures() {
  if (values['floor-only']) return null;
  const classify = await openPictureClassifier().catch(() => null);
  if (classify === null) return null;
  const rows: { file: string; score: number; sexy: number }[] = [];
  for (const dir of values.pictures) {
    for (const name of readdirSync(dir).filter((each) => /\.(?:jpe?g|png|webp)$/.test(each))) {
      const { Porn, Hentai, Sexy } = await classify(join(dir, name));
      rows.push({ file: name, score: Porn + Hentai, sexy: Sexy });
    }
  }
  return rows.sort((a, b) => b.score - a.score);
}

const { prompts, closest } = await scorePrompts(readLabelled());
const threshold = DEFAULT_SAFETY_SETTINGS.prompt.threshold;
const byFloor = (prompt: Scored) => prompt.floor !== null;
const byBoth = (at: number) => (prompt: Scored) => byFloor(prompt) || prompt.score >= at;
const ofMinors = prompts.filter(({ category }) => category === null || category === 'sexual-minors');
const pictures = await scorePictures();
const pictureThreshold = DEFAULT_SAFETY_SETTINGS.picture.threshold;

const report = {
  prompts: { total: prompts.length, safe: prompts.filter(({ category }) => category === null).length },
  floor: rate(ofMinors, byFloor),
  classifier:
    closest === null
      ? null
      : {
          threshold,
          classifierAlone: rate(prompts, (prompt) => prompt.score >= threshold),
          withFloor: rate(prompts, byBoth(threshold)),
          sets: Object.fromEntries(
            [...new Set(prompts.map(({ set }) => set))].map((set) => [
              set,
              rate(
                prompts.filter((prompt) => prompt.set === set),
                byBoth(threshold),
              ),
            ]),
          ),
          categories: Object.fromEntries(
            SAFETY_CATEGORIES.map((category) => {
              const of = prompts.filter((prompt) => prompt.category === category);
              const hits = of.filter(byBoth(threshold));
              return [
                category,
                {
                  prompts: of.length,
                  recall: Math.round((hits.length / of.length) * 1000) / 1000,
                  namedRight: hits.filter(({ found, floor }) => found === category || floor === category).length,
                },
              ];
            }),
          ),
          sweep: SWEEP.map((at) => ({ threshold: at, ...rate(prompts, byBoth(at)) })),
          tooCloseToAnExemplar: closest,
        },
  pictures:
    pictures === null
      ? null
      : {
          safe: pictures.length,
          threshold: pictureThreshold,
          falseAlarms: pictures.filter(({ score }) => score >= pictureThreshold).length,
          highest: pictures.slice(0, 5),
          recall: 'not measured: the repository has no explicit images',
        },
  ...(values.misses
    ? {
        misses: prompts
          .filter((prompt) => byBoth(threshold)(prompt) !== (prompt.category !== null))
          .map(({ set, text, category, found, score }) => ({ set, text, category, found, score })),
      }
    : {}),
};

if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
else print();
process.exit(0);

function print(): void {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  say(`${report.prompts.total} labeled prompts, of which ${report.prompts.safe} are safe`);
  say(`floor, on sexual-minors: precision ${report.floor.precision}, recall ${report.floor.recall}`);
  if (report.classifier === null) say('classifier: not measured (no weights, or --floor-only)');
  else {
    const { withFloor, classifierAlone } = report.classifier;
    say(`classifier at ${threshold}: precision ${classifierAlone.precision}, recall ${classifierAlone.recall}`);
    say(`with the floor:      precision ${withFloor.precision}, recall ${withFloor.recall}`);
    for (const [name, row] of Object.entries(report.classifier.sets))
      say(`  ${name.padEnd(22)} precision ${row.precision}, recall ${row.recall}, false positives ${row.falseAlarms}`);
    for (const [name, row] of Object.entries(report.classifier.categories))
      say(`  ${name.padEnd(22)} recall ${row.recall} of ${row.prompts}, ${row.namedRight} with the right category`);
    for (const row of report.classifier.sweep)
      say(
        `  at ${row.threshold.toFixed(2)}: precision ${row.precision}, recall ${row.recall}, false positives ${row.falseAlarms}`,
      );
    for (const row of report.classifier.tooCloseToAnExemplar) say(`  too close to an exemplar: ${JSON.stringify(row)}`);
  }
  if (report.pictures === null) say('images: not measured (nsfwjs is not installed, or --floor-only)');
  else {
    const { safe, falseAlarms, highest, recall } = report.pictures;
    say(`images: ${falseAlarms} false positives in ${safe} safe images at ${pictureThreshold}; recall ${recall}`);
    for (const row of highest) say(`  ${row.file}: ${row.score.toFixed(3)} (Sexy ${row.sexy.toFixed(3)})`);
  }
  for (const miss of report.misses ?? []) say(`  wrong: ${JSON.stringify(miss)}`);
}
