import { readFile } from '../../api/read-file.ts';

const MAX_BYTES = 1_000_000_000;
/** The browser reads the bytes after the click has returned. */
const KEPT_MS = 60_000;

/** Saves files of the file host one after the other. A link alone would open a tab for each, and browsers allow one. */
export async function saveFiles(urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    const { bytes, filename } = await readFile(url, { maxBytes: MAX_BYTES });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(bytes);
    link.download = filename;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
  }
}
