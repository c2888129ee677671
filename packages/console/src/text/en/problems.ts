import type { ProblemCode } from '@atelier/contract';

interface ProblemText {
  readonly title: string;
  /** What a person at a page can do: they have no key, and send no headers. */
  readonly advice: string;
}

const later = 'Nothing was charged. Try again in a few minutes.';

/** What a signed-in person can meet. Other codes belong to API keys and links. */
export const problems = {
  invalid_params: { title: 'Invalid input', advice: 'Correct what is named above, then try again.' },
  invalid_quote: { title: 'The price does not match this form', advice: 'Look at the price again, then start again.' },
  consent_required: {
    title: 'Consent required',
    advice: 'Confirm that everyone whose likeness or voice is used has agreed.',
  },
  input_too_large: { title: 'Input too large', advice: 'Use a smaller file or a shorter text.' },
  input_duration: { title: 'Input too short or too long', advice: 'Trim the file to the length that the model takes.' },
  wrong_media: { title: 'Wrong kind of file', advice: 'Choose a file of the kind that the field names.' },
  insufficient_coins: { title: 'Not enough coins', advice: 'Buy coins, or ask for less. No coins were held.' },
  cooldown: { title: 'Too many requests against the content policy', advice: 'Wait a while before the next one.' },
  account_locked: {
    title: 'Account locked',
    advice: 'Contact the operator. You can still see everything and cancel what waits.',
  },
  not_found: { title: 'Not found', advice: 'It was deleted, or it belongs to another account.' },
  unknown_model: { title: 'Unknown model', advice: 'Choose another model. This one may have been removed.' },
  idempotency_conflict: {
    title: 'Already used for something else',
    advice: 'The same reference was sent with other values before. Use a new one.',
  },
  price_changed: {
    title: 'The price changed',
    advice: 'Look at the new price, then decide again. No coins were held.',
  },
  max_coins_exceeded: {
    title: 'The price is higher than shown',
    advice: 'Look at the new price, then decide again. No coins were held.',
  },
  not_cancelable: {
    title: 'The generation can no longer be canceled',
    advice: 'It has started or ended. If it fails, its coins are refunded.',
  },
  upload_too_large: { title: 'File too large', advice: 'Images can have 20 MB, audio 50 MB and video 200 MB.' },
  storage_quota_exceeded: {
    title: 'No storage left',
    advice: 'Wait until older uploads expire, or ask the operator for more.',
  },
  upload_too_long: { title: 'File too long', advice: 'Audio can last 10 minutes and video 60 seconds.' },
  input_file_too_large: { title: 'File too large for this model', advice: 'Upload a smaller file.' },
  upload_invalid: {
    title: 'Unsupported or damaged file',
    advice: 'Use PNG, JPEG, WebP, MP3, WAV, M4A, OGG, MP4, WebM or MOV.',
  },
  rate_limited: { title: 'Too many requests', advice: 'Wait a minute, then try again.' },
  internal: {
    title: 'Something failed on our side',
    advice: 'Try again. If it happens again, send the operator the number of the request.',
  },
  unavailable: { title: 'Service unavailable', advice: later },
  maintenance: { title: 'Maintenance', advice: later },
  channel_disabled: { title: 'The console is closed at the moment', advice: later },
  sign_in_required: { title: 'You are not signed in', advice: 'Sign in again.' },
  reauthentication_required: { title: 'Confirm that it is you', advice: 'Sign in again, then repeat what you did.' },
  role_required: { title: 'Your role does not allow this', advice: 'Ask somebody who may do it, or for another role.' },
  cross_site_request: {
    title: 'The request does not come from this page',
    advice: 'Open the console at its own address and try again.',
  },
} satisfies Partial<Record<ProblemCode, ProblemText>>;
