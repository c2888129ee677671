import { oneLine } from '../../platform/text.ts';

/** A mail before it is addressed. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface Letter {
  readonly subject: string;
  readonly lines: readonly string[];
  readonly action?: { readonly label: string; readonly url: string };
  readonly closing: string;
}

export function verifyAddressMail({ url }: { url: string }): MailText {
  return render({
    subject: 'Confirm your email address',
    lines: [
      'Confirm your email address to finish your sign-up.',
      'Open the link in the browser in which you signed up. In another browser you choose a new password.',
    ],
    action: { label: 'Confirm email address', url },
    closing: 'The link is valid for one hour. If you did not sign up, ignore this mail.',
  });
}

export function resetPasswordMail({ url }: { url: string }): MailText {
  return render({
    subject: 'Choose a new password',
    lines: ['Use this link to choose a password for your account.'],
    action: { label: 'Choose a password', url },
    closing:
      'The link works once and is valid for one hour, unless you ask for another. If you did not ask for it, ignore this mail.',
  });
}

/** For a sign-up with the address of someone who has an account: the page must not tell whether that is so. */
export function existingAccountMail({ url }: { url: string }): MailText {
  return render({
    subject: 'You already have an account',
    lines: ['Someone, probably you, tried to sign up with this address. It already has an account.'],
    action: { label: 'Sign in', url },
    closing: 'If it was not you, ignore this mail. If you forgot your password, choose a new one on the sign-in page.',
  });
}

/** Tells a person about every change to how they sign in, in case someone else made it. */
export function signInChangedMail({ change, url }: { change: string; url: string }): MailText {
  return render({
    subject: 'Your sign-in was changed',
    lines: [oneLine(change, MAX_LINE_CHARS)],
    action: { label: 'If it was not you, choose a new password', url },
    closing: 'A new password ends all your sessions and removes all your passkeys. If it was you, ignore this mail.',
  });
}

export function invitationMail(options: { url: string; accountName: string; role: string }): MailText {
  return render({
    subject: `Invitation to ${nameOf(options.accountName)}`,
    lines: [`You are invited to join ${nameOf(options.accountName)} as ${options.role}.`],
    action: { label: 'Accept the invitation', url: options.url },
    closing: 'The link works once and is valid for 7 days. If you do not expect it, ignore this mail.',
  });
}

export function budgetMail(options: {
  url: string;
  accountName: string;
  isTest: boolean;
  projectId: string | null;
  /** As 2026-01. */
  month: string;
  percent: number;
  coins: number;
  spentCoins: number;
}): MailText {
  const project = options.projectId === null ? 'Generations without a project' : `Project ${nameOf(options.projectId)}`;
  const account = `${nameOf(options.accountName)}${options.isTest ? ' (test)' : ''}`;
  const [spent, coins] = [options.spentCoins, options.coins].map((count) => count.toLocaleString('en-US'));
  return render({
    subject: `${project}: ${options.percent}% of the budget reached`,
    lines: [
      `${project} of ${account} was charged ${spent} of ${coins} coins in ${options.month} (UTC).`,
      'Nothing is stopped: a budget only tells you. To stop spending, set a monthly cap on an API key.',
    ],
    action: { label: 'Open budgets', url: options.url },
    closing: 'You get this mail because you are an owner of the account or have the role Billing.',
  });
}

export function endpointPausedMail(options: {
  url: string;
  accountName: string;
  isTest: boolean;
  endpointUrl: string;
  reason: string;
}): MailText {
  const account = `${nameOf(options.accountName)}${options.isTest ? ' (test)' : ''}`;
  return render({
    subject: `A webhook endpoint of ${account} was paused`,
    lines: [
      `${account} sends no more webhooks to ${oneLine(options.endpointUrl, MAX_LINE_CHARS)}. ${options.reason}`,
      'No event is lost: events from now on are held. After you resume the endpoint, send them with "Redeliver".',
    ],
    action: { label: 'Open the endpoint', url: options.url },
    closing: 'You get this mail because you are an owner of the account.',
  });
}

function render({ subject, lines, action, closing }: Letter): MailText {
  const link = action === undefined ? [] : [`${action.label}:\n${action.url}`];
  const button =
    action === undefined ? '' : `<p><a href="${escapeHtml(action.url)}">${escapeHtml(action.label)}</a></p>`;
  return {
    subject,
    text: `${[...lines, ...link, closing].join('\n\n')}\n`,
    html: `${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('')}${button}<p>${escapeHtml(closing)}</p>`,
  };
}

const MAX_LINE_CHARS = 160;
const MAX_NAME_CHARS = 80;

const nameOf = (text: string): string => oneLine(text, MAX_NAME_CHARS);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}
