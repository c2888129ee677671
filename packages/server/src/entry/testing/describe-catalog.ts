import type pg from 'pg';

/**
 * The catalog as lines of text: two databases with the same lines have the same tables, columns, constraints, indexes, triggers,
 * functions, rights and queues. The order of columns is left out, because it depends on when each was added.
 */
export async function describeCatalog(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(CATALOG);
  return rows.map(({ line }) => line);
}

const CATALOG = `
  WITH relation AS (
    SELECT * FROM pg_class
    WHERE relnamespace IN ('public'::regnamespace, 'pgboss'::regnamespace) AND relkind IN ('r', 'p', 'v', 'm', 'S')
  )
  SELECT format('relation %s %s %s rights %s', oid::regclass, relkind, reloptions, (SELECT array_agg(entry::text ORDER BY entry::text) FROM unnest(relacl) AS entry)) AS line FROM relation
  UNION ALL
  SELECT format('column %s.%s %s%s default %s identity %s generated %s rights %s', r.oid::regclass, a.attname,
      format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN ' not null' END, pg_get_expr(d.adbin, d.adrelid),
      a.attidentity, a.attgenerated, (SELECT array_agg(entry::text ORDER BY entry::text) FROM unnest(a.attacl) AS entry))
    FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = r.oid AND d.adnum = a.attnum
    WHERE r.relnamespace = 'public'::regnamespace
  UNION ALL
  SELECT format('constraint %s %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid),
      CASE WHEN NOT convalidated THEN 'not valid' END)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conrelid <> 0
  UNION ALL
  SELECT format('index %s %s', indexdef, CASE WHEN NOT i.indisvalid THEN 'not valid' END)
    FROM pg_indexes JOIN pg_index i ON i.indexrelid = format('%I.%I', schemaname, indexname)::regclass WHERE schemaname = 'public'
  UNION ALL
  SELECT format('trigger %s %s', pg_get_triggerdef(oid), tgenabled) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL
  SELECT format('function %s rights %s', pg_get_functiondef(oid), (SELECT array_agg(entry::text ORDER BY entry::text) FROM unnest(proacl) AS entry)) FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND prokind = 'f'
  UNION ALL
  SELECT format('type %s %s', typname, typtype) FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype <> 'b' AND typrelid = 0
  UNION ALL
  SELECT format('schema %s rights %s', nspname, (SELECT array_agg(entry::text ORDER BY entry::text) FROM unnest(nspacl) AS entry)) FROM pg_namespace WHERE nspname IN ('public', 'pgboss')
  UNION ALL
  SELECT format('default rights %s %s', defaclobjtype, (SELECT array_agg(entry::text ORDER BY entry::text) FROM unnest(defaclacl) AS entry)) FROM pg_default_acl
  UNION ALL
  SELECT format('queue %s %s', name, to_jsonb(q) - 'name' - 'created_on' - 'updated_on') FROM pgboss.queue q
  UNION ALL
  SELECT format('schedule %s %s', name, cron) FROM pgboss.schedule
  ORDER BY line`;
