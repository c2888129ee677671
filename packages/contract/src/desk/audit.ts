import Type, { type Static } from 'typebox';
import { DateTime, Natural, Nullable } from '../building-blocks.ts';
import { UUID_PATTERN } from '../vocabulary.ts';

export const AuditEntry = Type.Object({
  id: Natural(),
  at: DateTime(),
  actor: Type.String({ description: 'As recorded, such as `person <id>`.' }),
  person: Nullable(Type.String({ description: 'The email address of the person; null if it is none or was deleted.' })),
  action: Type.String(),
  accountId: Nullable(Type.String({ pattern: UUID_PATTERN })),
  detail: Type.Record(Type.String(), Type.Unknown()),
});
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditQuery = Type.Object({
  before: Type.Optional(Type.Integer({ minimum: 1, description: 'Only entries with a smaller id.' })),
});
export const AuditPage = Type.Object({
  items: Type.Array(AuditEntry, { description: 'Newest first. At most 50.' }),
  nextBefore: Nullable(Natural('For the next page; null at the end.')),
});
