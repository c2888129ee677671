import { sendUpload } from '../../e2e/files/send-upload.ts';

interface Order {
  readonly url: string;
  readonly key: string;
  readonly path: string;
  readonly count: number;
  readonly bytesPerSecond: number;
}

/** Runs in its own process, so that sending does not slow down what is measured. Prints one line of JSON. */
const order = JSON.parse(process.argv[2] ?? '{}') as Order;
const { url, count, ...upload } = order;
const answers = await Promise.all(
  Array.from({ length: count }, () =>
    sendUpload(url, upload).then(
      ({ status, durationMs }) => ({ status, durationMs }),
      (error: Error) => ({ status: 0, durationMs: 0, error: error.message }),
    ),
  ),
);
console.log(JSON.stringify(answers));
