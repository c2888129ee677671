// Every part in one process, one after the other: what `node --test <this folder>` runs.
import './selfcheck.test.mjs';
import './models.test.mjs';
import './effects.test.mjs';
import './auth.test.mjs';
import './problems.test.mjs';
import './discovery.test.mjs';
import './quotes.test.mjs';
import './submit.test.mjs';
import './submit-params.test.mjs';
import './lifecycle.test.mjs';
import './list.test.mjs';
import './uploads.test.mjs';
import './inputs.test.mjs';
import './account.test.mjs';
import './webhooks.test.mjs';
import './ratelimit.test.mjs';
