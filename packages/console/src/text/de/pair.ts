import type { pair as englishPair } from '../en/pair.ts';

export const pair: typeof englishPair = {
  title: 'Gerät verbinden',
  hint: 'Gib den Code ein, den dein Terminal nach atelier login zeigt.',
  code: 'Code',
  needCode: 'Ein Code hat acht Buchstaben.',
  wrongCode: 'Der Code ist falsch, abgelaufen oder schon benutzt.',
  next: 'Weiter',
  reviewTitle: 'Diesem Gerät einen API-Schlüssel geben?',
  reviewHint:
    'Genehmige nur, wenn du atelier login selbst gestartet hast und dein Terminal diesen Code zeigt. Kein Support fragt dich danach.',
  device: 'Gerät',
  asked: 'Angefragt',
  account: 'Konto',
  noAccount: 'Nur Inhaber und Entwickler eines Kontos können ein Gerät genehmigen.',
  approve: 'Genehmigen',
  deny: 'Ablehnen',
  approved: {
    title: 'Genehmigt',
    hint: 'Zurück zu deinem Terminal: Es bekommt seinen Schlüssel in wenigen Sekunden. Du kannst den Schlüssel jederzeit widerrufen.',
  },
  denied: { title: 'Abgelehnt', hint: 'Das Gerät bekommt keinen Schlüssel.' },
  home: 'Zu deinem Konto',
};
