export const authorize = {
  pending: 'A program asks for access',
  title: (program: string) => `Give ${program} access?`,
  destination: (place: string) =>
    `It asks to use one of your accounts. The access goes to ${place}. Programs choose their names themselves: allow it only if you started this.`,
  thisComputer: 'a program on this computer',
  account: 'Account',
  scopes: 'It may',
  capHint: 'The most it can spend in a month. Leave it empty for no cap.',
  allow: 'Allow access',
  refuse: 'Refuse',
  foot: 'The access is an API key for 90 days. You can change or revoke it under API keys.',
  noAccount: 'You belong to no account that you may give access to. Ask its owner to make you a developer.',
  invalid: 'This request for access is not valid',
  invalidHint:
    'The address is incomplete, or the program uses a way that is not supported. Start again in the program.',
};
