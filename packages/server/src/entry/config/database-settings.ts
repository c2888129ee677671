/** Settings of the database; part of the table in settings.ts, which checks their form. */
export const databaseSettings = {
  DATABASE_URL: {
    description:
      'PostgreSQL, as a login role that is a member of atelier_app (of atelier_desk for the `desk` role). Must be the primary, directly or through PgBouncer (docs/operate/pgbouncer.md).',
    kind: 'secret',
    required: true,
  },
  DATABASE_DIRECT_URL: {
    description:
      'The same database and role without a pooler: for the job queue of workers, operator commands and `verify`. Needed if DATABASE_URL leads to PgBouncer. Defaults to DATABASE_URL.',
    kind: 'secret',
  },
  DATABASE_OWNER_URL: {
    description:
      'PostgreSQL as the owner of the tables, without a pooler. Only `migrate` uses it, and needs no other setting. Defaults to DATABASE_DIRECT_URL.',
    kind: 'secret',
  },
  DATABASE_MAX_CONNECTIONS: {
    description: 'Connections per process.',
    kind: 'integer',
    default: '20',
    range: { minimum: 1, maximum: 1_000 },
  },
  DATABASE_PREPARE: {
    description:
      'Prepares each statement once per connection. `false` behind a PgBouncer older than 1.21, or one without max_prepared_statements.',
    kind: 'boolean',
    default: 'true',
  },
  CLOCK_CHECK_SECONDS: {
    description:
      'How often a process reads the time of the database. Quotes, links, deadlines and signatures use that time.',
    kind: 'integer',
    default: '60',
    range: { minimum: 1, maximum: 3_600 },
  },
} as const;
