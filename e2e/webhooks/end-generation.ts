import { randomBytes, randomUUID } from 'node:crypto';
import { type Db, statement } from '@atelier/server/platform/db.ts';
import { newId } from '@atelier/server/platform/ids.ts';

/** No queue has this name, so the generation gets no job and only its end happens. */
const POOL = 'nowhere';
const COINS = 7;

const SUBMIT_AND_CANCEL = statement(
  'submit_and_cancel',
  `SELECT c.outcome FROM submit_generation(p_id => $1, p_account => $2, p_key => $3, p_channel => 'api',
     p_idempotency_key => $4, p_fingerprint => $5, p_model_id => 'canvas', p_model_name => 'Canvas',
     p_task_type => 'image.generate', p_modality => 'image', p_workspace => 'image',
     p_effect_id => NULL, p_effect_text => NULL,
     p_params => '{"prompt": "a lighthouse at dusk, oil on canvas"}', p_project_id => NULL, p_consent_version => NULL, p_pool => '${POOL}',
     p_coins => ${COINS}, p_coins_per_output => ${COINS}, p_outputs => 1, p_max_coins => NULL, p_pricebook_version => 'test',
     p_deadline_seconds => 60, p_inputs => '{}') s,
   LATERAL cancel_generation(p_account => $2, p_id => s.generation_id) c`,
);

/** Submits and cancels a generation in one statement: the cheapest complete end of a generation. */
export async function endGeneration(db: Db, account: { accountId: string; keyId: string }): Promise<string> {
  const id = newId();
  const [row] = await db.query<{ outcome: string }>(SUBMIT_AND_CANCEL, [
    id,
    account.accountId,
    account.keyId,
    randomUUID(),
    randomBytes(32),
  ]);
  if (row?.outcome !== 'canceled') throw new Error(`the generation ended as ${row?.outcome}`);
  return id;
}
