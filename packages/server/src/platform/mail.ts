import { createTransport } from 'nodemailer';
import { errorFields, type Log } from './log.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mailer {
  /** Resolves when the mail server accepted the mail. */
  send(mail: Mail): Promise<void>;
  /** Sends in the background and tries again if that fails. Returns immediately; a mail that was not sent is logged. */
  sendSoon(mail: Mail): void;
  /** Waits for the mails under way, for a few seconds. */
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 3;
const MAX_MAIL_CHARS = 64 * 1024;
const ATTEMPTS = 4;
const FIRST_RETRY_MS = 1_000;
const CLOSE_TIMEOUT_MS = 10_000;
/** More would mean that the mail server does not answer; further mails are dropped and logged. */
const MAX_UNDER_WAY = 500;

export interface MailOptions {
  /** `smtp://user:password@host:port`, or `smtps://` for TLS from the start. Empty: the mails are written to the log. */
  readonly smtpUrl: string;
  readonly from: string;
  readonly log: Log;
}

export function createMailer({ smtpUrl, from, log }: MailOptions): Mailer {
  const { deliver, end } = smtpUrl === '' ? createLogDelivery(log) : createSmtpDelivery(smtpUrl);
  const underWay = new Set<Promise<void>>();
  const send = async (mail: Mail) => {
    if (mail.text.length + mail.html.length > MAX_MAIL_CHARS) throw new Error('the mail is too large');
    await deliver({ ...mail, from });
  };
  const sendWithRetries = async (mail: Mail) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await send(mail);
      } catch (error) {
        const { isPermanent, fields } = describeMailError(error);
        const isFinal = attempt === ATTEMPTS || isPermanent;
        log.warn(isFinal ? 'mail not sent' : 'mail delayed', { attempt, ...fields });
        if (isFinal) return;
        await new Promise((resolve) => setTimeout(resolve, FIRST_RETRY_MS * 2 ** attempt * Math.random()).unref());
      }
    }
  };
  return {
    send,
    sendSoon(mail) {
      if (underWay.size >= MAX_UNDER_WAY) return log.error('mail not sent: too many are under way', {});
      const sending = sendWithRetries(mail).finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    async close() {
      const late = new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref());
      await Promise.race([Promise.all(underWay), late]);
      end();
    },
  };
}

interface Delivery {
  deliver(mail: Mail & { from: string }): Promise<unknown>;
  end(): void;
}

function createSmtpDelivery(smtpUrl: string): Delivery {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return { deliver: (mail) => transport.sendMail(mail), end: () => transport.close() };
}

/** For a laptop: the links are in the log. Whoever reads the log can use them, so production sets SMTP_URL. */
function createLogDelivery(log: Log): Delivery {
  return {
    // A warning, so that the usual level of a sandbox shows it.
    deliver: async ({ to, subject, text }) => log.warn(`SMTP_URL is empty; mail to ${to}: ${subject}\n${text}`),
    end: () => {},
  };
}

/**
 * Whether another attempt can help: a server that refuses an address or a mail for good answers 5xx. The fields for the log leave
 * out the server's answer, which may quote the recipient.
 */
export function describeMailError(error: unknown) {
  const { errorName, errorCode } = errorFields(error);
  const status = (error as { responseCode?: number }).responseCode;
  return { isPermanent: status !== undefined && status >= 500, fields: { errorName, errorCode, status } };
}
