export const pair = {
  title: 'Connect a device',
  hint: 'Enter the code that your terminal shows after atelier login.',
  code: 'Code',
  needCode: 'A code has eight letters.',
  wrongCode: 'The code is wrong, has expired or was already used.',
  next: 'Continue',
  reviewTitle: 'Give this device an API key?',
  reviewHint:
    'Approve only if you started atelier login yourself and your terminal shows this code. Nobody from support asks you for it.',
  device: 'Device',
  asked: 'Requested',
  account: 'Account',
  noAccount: 'Only owners and developers of an account can approve a device.',
  approve: 'Approve',
  deny: 'Deny',
  approved: {
    title: 'Approved',
    hint: 'Return to your terminal: it gets its key within seconds. You can revoke the key at any time.',
  },
  denied: { title: 'Denied', hint: 'The device gets no key.' },
  home: 'Go to your account',
};
