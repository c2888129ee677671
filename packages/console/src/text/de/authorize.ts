import type { authorize as english } from '../en/authorize.ts';

export const authorize: typeof english = {
  pending: 'Ein Programm bittet um Zugriff',
  title: (program) => `${program} Zugriff geben?`,
  destination: (place) =>
    `Es möchte eines deiner Konten benutzen. Der Zugriff geht an ${place}. Programme wählen ihren Namen selbst: Erlaube ihn nur, wenn du das begonnen hast.`,
  thisComputer: 'ein Programm auf diesem Computer',
  account: 'Konto',
  scopes: 'Es darf',
  capHint: 'So viel kann es im Monat höchstens ausgeben. Leer lassen für keine Grenze.',
  allow: 'Zugriff erlauben',
  refuse: 'Ablehnen',
  foot: 'Der Zugriff ist ein API-Schlüssel für 90 Tage. Du kannst ihn unter API-Schlüssel ändern oder widerrufen.',
  noAccount:
    'Du gehörst zu keinem Konto, auf das du Zugriff geben darfst. Bitte den Inhaber, dich zum Entwickler zu machen.',
  invalid: 'Diese Bitte um Zugriff ist ungültig',
  invalidHint:
    'Die Adresse ist unvollständig, oder das Programm benutzt einen Weg, der nicht unterstützt wird. Beginne im Programm von vorn.',
};
