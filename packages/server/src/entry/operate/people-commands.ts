import { text } from 'node:stream/consumers';
import { ROLES, type Role } from '@atelier/contract/console';
import { recordAudit } from '../../domain/operator/record-audit.ts';
import { inviteMember, isEmailAddress } from '../../domain/people/invitations.ts';
import { addMember, deletePerson, listPeople, requirePerson } from '../../domain/people/manage-people.ts';
import { listMembers, setMemberRole } from '../../domain/people/memberships.ts';
import { listOperators, setOperator } from '../../domain/people/operators.ts';
import { setUpPerson } from '../../domain/people/set-up-person.ts';
import { withTx } from '../../platform/db.ts';
import { createLog } from '../../platform/log.ts';
import { Problem } from '../../platform/problem.ts';
import type { OpenIdentity } from '../open-identity.ts';
import {
  given,
  limitOption,
  need,
  needId,
  needOneOf,
  type OperatorCommand,
  type OperatorContext,
  readLimit,
  UsageError,
} from './operator-command.ts';

const email = { 'email!': 'email address of the person' };
const role = { 'role!': ROLES.join(', ') };
const account = { 'account!': 'id of the account; the membership is for its live and test account' };

export const peopleCommands: Readonly<Record<string, OperatorCommand>> = {
  create: {
    summary: 'creates a person and prints a link to choose a password, which works once and for 24 hours',
    options: {
      ...email,
      name: 'display name (default: the part of the address before @)',
      account: 'id of an account to join (default: a new pair of accounts)',
      role: `${ROLES.join(', ')} (default owner; only owner without --account)`,
      'password-stdin?': 'read the password from the standard input instead of printing a link',
    },
    run: createPerson,
  },
  list: {
    summary: 'lists the newest people',
    options: limitOption,
    run: (context) => listPeople(context, readLimit(context)),
  },
  link: {
    summary: 'prints a new link to choose a password, which works once and for 24 hours',
    options: email,
    run: async (context) => {
      const personId = await requirePerson(context, needEmail(context));
      return withIdentity(context, async ({ identity }) => ({ link: await identity.createPasswordLink(personId) }));
    },
  },
  members: {
    summary: 'lists the members of an account',
    options: account,
    run: (context) => listMembers(context, needId(context, 'account')),
  },
  invite: {
    summary: 'mails an invitation to join an account; it is valid for 7 days',
    options: { ...account, ...email, ...role },
    run: (context) =>
      withIdentity(context, ({ mail }) =>
        inviteMember(
          { db: context.db, mail, consoleUrl: context.config.consoleUrl },
          {
            accountId: needId(context, 'account'),
            email: needEmail(context),
            role: needOneOf(context, 'role', ROLES),
            invitedBy: null,
            actor: context.actor,
          },
        ),
      ),
  },
  role: {
    summary: 'changes the role of a member',
    options: { ...account, ...email, ...role },
    run: (context) => changeRole(context, needOneOf(context, 'role', ROLES)),
  },
  remove: {
    summary: 'removes a member from an account',
    options: { ...account, ...email },
    run: (context) => changeRole(context, null),
  },
  operators: {
    summary: "lists those who may use the operator's desk",
    options: {},
    run: (context) => listOperators(context),
  },
  'add-operator': {
    summary: "lets a person use the operator's desk",
    options: email,
    run: (context) => changeOperator(context, true),
  },
  'remove-operator': {
    summary: "takes the operator's desk from a person; it applies at once",
    options: email,
    run: (context) => changeOperator(context, false),
  },
  delete: {
    summary: 'deletes a person and everything that signs them in; accounts stay',
    options: { ...email, 'yes?': 'confirm' },
    run: async (context) => {
      const address = needEmail(context);
      if (!context.flags.has('yes')) throw new UsageError('This cannot be undone. Add --yes to confirm it');
      const personId = await requirePerson(context, address);
      await deletePerson(context, { personId, actor: context.actor });
      return { deleted: personId };
    },
  },
};

async function createPerson(context: OperatorContext): Promise<object> {
  const address = needEmail(context);
  const name = given(context, 'name', () => need(context, 'name')) ?? (address.split('@')[0] as string);
  const accountId = given(context, 'account', () => needId(context, 'account'));
  const memberRole: Role = given(context, 'role', () => needOneOf(context, 'role', ROLES)) ?? 'owner';
  if (accountId === undefined && memberRole !== 'owner') {
    throw new UsageError('--role needs --account: a new pair of accounts has an owner');
  }
  // Never an argument: other users of the machine can read those.
  const password = context.flags.has('password-stdin') ? (await text(process.stdin)).replace(/\r?\n$/, '') : null;
  if (accountId !== undefined) await listMembers(context, accountId);
  return withIdentity(context, async ({ identity }) => {
    const personId = await identity.createPerson({ email: address, name, password });
    if (personId === null) throw new Problem('invalid_params', 'There is already a person with this address.');
    await withTx(context.db, (tx) =>
      recordAudit(tx, { actor: context.actor, action: 'person.created', accountId: null, detail: { personId } }),
    );
    const accounts =
      accountId === undefined
        ? await setUpPerson({ db: context.db, accountDefaults: context.config.accountDefaults }, personId)
        : await join(context, { personId, accountId, role: memberRole });
    return {
      personId,
      role: memberRole,
      ...accounts,
      ...(password === null ? { link: await identity.createPasswordLink(personId) } : {}),
    };
  });
}

async function join(context: OperatorContext, member: { personId: string; accountId: string; role: Role }) {
  await addMember(context, { ...member, actor: context.actor });
  return { accountId: member.accountId };
}

async function changeRole(context: OperatorContext, to: Role | null): Promise<object> {
  const accountId = needId(context, 'account');
  const personId = await requirePerson(context, needEmail(context));
  await setMemberRole(context, { accountId, personId, role: to, actor: context.actor });
  return { personId, accountId, role: to };
}

async function changeOperator(context: OperatorContext, operator: boolean): Promise<object> {
  const personId = await requirePerson(context, needEmail(context));
  await setOperator(context, { personId, operator, actor: context.actor });
  return { personId, operator };
}

function needEmail(context: OperatorContext): string {
  const address = need(context, 'email').trim().toLowerCase();
  if (!isEmailAddress(address)) throw new UsageError('--email must be an email address');
  return address;
}

/** Loaded on demand: other commands should not wait for the sign-in library to load. */
async function withIdentity<T>(context: OperatorContext, work: (open: OpenIdentity) => Promise<T>): Promise<T> {
  const { openIdentity } = await import('../open-identity.ts');
  const { db, keys, config } = context;
  const open = await openIdentity(config, { db, keys, log: createLog({ level: config.logLevel }) });
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}
