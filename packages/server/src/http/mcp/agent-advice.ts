import { type ProblemCode, problems } from '@atelier/contract';

const SIGN_IN = 'Ask the user to connect this server again, or to configure a valid API key.';
const LATER = 'Nothing was charged. Call the tool again later.';

/** What an agent can do, where the advice of the contract is for a program that sends HTTP. */
const ADVICE: Partial<Record<ProblemCode, string>> = {
  invalid_params: 'Correct the input and call the tool again.',
  invalid_quote: 'Call quote for exactly the modelId, params and effectId that you pass to generate.',
  consent_required: 'Ask the user. If everyone whose likeness or voice is used has agreed, set consent to true.',
  input_too_large: 'Stay within inputLimits of the model: call get_model.',
  input_duration: 'Stay between minInputSeconds and maxInputSeconds of the model: call get_model.',
  wrong_media: 'Call get_model, and pass an upload of the kind that the param accepts.',
  unauthorized: SIGN_IN,
  invalid_api_key: SIGN_IN,
  api_key_revoked: SIGN_IN,
  api_key_expired: SIGN_IN,
  insufficient_coins: 'Request less, or ask the user to top up the account. No coins were held.',
  spend_cap_exceeded:
    'Tell the user. A daily budget starts again at 00:00 UTC, a monthly cap with the next UTC month; both can be raised. No coins were held.',
  insufficient_scope: 'Ask the user to give access with this scope.',
  cooldown: 'Wait before you call generate again. The other tools still work.',
  account_locked: 'Tell the user to contact the operator. Reads and cancel still work.',
  not_found: 'Check the id. list_generations returns the generations of this account.',
  unknown_model: 'Use the id of a model that list_models returns.',
  idempotency_conflict: 'Set another label.',
  price_changed: 'Call quote again, and tell the user the new price. No coins were held.',
  not_cancelable: 'Only a queued generation can be canceled. Call get_generation for its status.',
  upload_too_large: 'Use a smaller file.',
  rate_limited: 'Wait, then call the tool again.',
  internal: 'Call the tool again with the same input: nothing is charged twice.',
  unavailable: LATER,
  maintenance: LATER,
  channel_disabled: LATER,
};

export function adviseAgent(code: ProblemCode): string {
  return ADVICE[code] ?? problems[code].advice;
}
