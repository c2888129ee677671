import Type from 'typebox';
import { Closed, Nullable } from '../building-blocks.ts';
import { WebhookEvent } from '../event.ts';

export const ListRecentEventsQuery = Type.Object(
  {
    cursor: Type.Optional(Type.String({ maxLength: 1_000, description: 'nextCursor of the previous page.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 30 })),
  },
  Closed,
);

export const RecentEventPage = Type.Object({
  items: Type.Array(WebhookEvent, { description: 'Newest first. Their bodies are those of the webhooks.' }),
  nextCursor: Nullable(Type.String({ description: 'Null on the last page.' })),
});
