import { randomBytes } from 'node:crypto';
import { type Db, statement } from '@atelier/server/platform/db.ts';
import type { TestAccount } from '../../e2e/harness/account.ts';

/** Of each account. Its limit is four, so eight wait, and promotion is part of the figure. */
export const GENERATIONS_PER_ACCOUNT = 12;
export const COINS = 7;

const SUBMIT = statement(
  'bench_submit',
  `SELECT submit_generation(p_id => gen_random_uuid(), p_account => a.account, p_key => a.key, p_channel => 'api',
     p_idempotency_key => gen_random_uuid()::text, p_fingerprint => $3, p_model_id => 'canvas', p_model_name => 'Canvas',
     p_task_type => 'image.generate', p_modality => 'image', p_workspace => 'image',
     p_effect_id => NULL, p_effect_text => NULL, p_params => '{"prompt":"x"}', p_project_id => NULL, p_consent_version => NULL,
     p_pool => 'run-simulator', p_coins => $4, p_coins_per_output => $4, p_outputs => 1,
     p_max_coins => NULL, p_pricebook_version => 'bench', p_deadline_seconds => 300, p_inputs => '{}')
   FROM unnest($1::uuid[], $2::uuid[]) AS a (account, key)`,
);

/** The accounts take turns. */
export async function fillGenerations(db: Db, accounts: readonly TestAccount[]): Promise<void> {
  const ids = accounts.map((account) => account.accountId);
  const keys = accounts.map((account) => account.keyId);
  for (let turn = 0; turn < GENERATIONS_PER_ACCOUNT; turn += 1) {
    await db.query(SUBMIT, [ids, keys, randomBytes(32), COINS]);
  }
}
