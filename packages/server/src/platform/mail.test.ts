import { createServer } from 'node:net';
import { Writable } from 'node:stream';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createLog } from './log.ts';
import { createMailer } from './mail.ts';
import { startMailServer } from './testing/start-mail-server.ts';

const server = await startMailServer();
afterAll(() => server.stop());

function createTestLog() {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { log: createLog({ level: 'info', destination }), lines };
}

const from = 'Atelier <console@example.com>';
const mail = {
  to: 'ada@example.com',
  subject: 'Grüße ✓',
  text: 'Line one.\n\nhttps://x.example/?t=1\n',
  html: '<p>x</p>',
};

test('a mail reaches a real SMTP server, with both parts and its subject', async () => {
  const mailer = createMailer({ smtpUrl: server.url, from, log: createTestLog().log });
  await mailer.send(mail);
  await expect.poll(() => server.received.length).toBe(1);
  const [received] = server.received;
  expect(received).toMatchObject({ to: ['ada@example.com'], from: 'console@example.com' });
  expect(received?.data).toMatch(/Content-Type: text\/plain/);
  expect(received?.data).toMatch(/Content-Type: text\/html/);
  expect(received?.data).toMatch(/Subject: =\?UTF-8\?/);
  await mailer.close();
});

test('a recipient or subject cannot add header lines or recipients', async () => {
  const mailer = createMailer({ smtpUrl: server.url, from, log: createTestLog().log });
  const before = server.received.length;
  await mailer.send({ ...mail, subject: 'a\r\nBcc: eve@example.com' });
  await expect.poll(() => server.received.length).toBe(before + 1);
  expect(server.received.at(-1)).toMatchObject({ to: ['ada@example.com'] });
  expect(server.received.at(-1)?.data).not.toMatch(/^Bcc:/m);
  await mailer.close();
});

test('a refused recipient is not tried again, and the log names no address', async () => {
  const { log, lines } = createTestLog();
  const mailer = createMailer({ smtpUrl: server.url, from, log });
  mailer.sendSoon({ ...mail, to: 'refused@example.com' });
  await mailer.close();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('mail not sent');
  expect(lines[0]).not.toContain('refused@');
});

test('a server that does not answer yet gets the mail when it does', async () => {
  const { port } = await new Promise<{ port: number }>((resolve) => {
    const free = createServer().listen(0, '127.0.0.1', () => {
      const address = free.address() as { port: number };
      free.close(() => resolve(address));
    });
  });
  const { log, lines } = createTestLog();
  const mailer = createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, from, log });
  mailer.sendSoon(mail);
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  expect(lines[0]).toContain('mail delayed');
  const late = await startMailServer(port);
  onTestFinished(() => late.stop());
  await mailer.close();
  await expect.poll(() => late.received.length).toBe(1);
});

test('without a server the mail is written to the log', async () => {
  const { log, lines } = createTestLog();
  const mailer = createMailer({ smtpUrl: '', from, log });
  await mailer.send(mail);
  expect(lines.join()).toContain('https://x.example/?t=1');
  await mailer.close();
});

test('a mail that is too large is refused', async () => {
  const mailer = createMailer({ smtpUrl: server.url, from, log: createTestLog().log });
  await expect(mailer.send({ ...mail, text: 'x'.repeat(70_000) })).rejects.toThrow('too large');
  await mailer.close();
});
