import pg from 'pg';
import { runStatements } from './create-sandbox-database.ts';

const TRIGGER = 'hold_job';

/**
 * Whether workers take the generations of a model. Test keys use the simulator, which every worker has and no worker offers.
 * So the jobs of the model are not due while it is unserved: submits are accepted, and the generations wait in the queue.
 */
export async function setServed(
  ownerUrl: string,
  { model, served }: { model: string; served: boolean },
): Promise<void> {
  const modelId = pg.escapeLiteral(model);
  const postpone = `
    CREATE OR REPLACE FUNCTION pgboss.${TRIGGER}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM public.generation WHERE id = (NEW.data ->> 'generationId')::uuid AND model_id = TG_ARGV[0]) THEN
        NEW.start_after := 'infinity';
      END IF;
      RETURN NEW;
    END $$;
    CREATE OR REPLACE TRIGGER ${TRIGGER} BEFORE INSERT ON pgboss.job FOR EACH ROW EXECUTE FUNCTION pgboss.${TRIGGER}(${modelId})`;
  await runStatements(ownerUrl, [
    served ? `DROP TRIGGER IF EXISTS ${TRIGGER} ON pgboss.job` : postpone,
    `UPDATE pgboss.job j SET start_after = ${served ? 'j.created_on' : `'infinity'`} FROM public.generation g
     WHERE g.id = (j.data ->> 'generationId')::uuid AND g.model_id = ${modelId} AND j.name = g.pool AND j.state < 'active'`,
  ]);
}
