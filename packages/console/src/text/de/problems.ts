import type { problems as english } from '../en/problems.ts';

const later = 'Es wurde nichts berechnet. Versuche es in einigen Minuten erneut.';

export const problems: typeof english = {
  invalid_params: { title: 'Ungültige Eingabe', advice: 'Korrigiere, was oben steht, und versuche es erneut.' },
  invalid_quote: {
    title: 'Der Preis passt nicht zu diesem Formular',
    advice: 'Sieh dir den Preis noch einmal an und starte erneut.',
  },
  consent_required: {
    title: 'Einwilligung nötig',
    advice: 'Bestätige, dass alle zugestimmt haben, deren Bild oder Stimme verwendet wird.',
  },
  input_too_large: { title: 'Eingabe zu groß', advice: 'Nimm eine kleinere Datei oder einen kürzeren Text.' },
  input_duration: {
    title: 'Eingabe zu kurz oder zu lang',
    advice: 'Kürze die Datei auf die Länge, die das Modell annimmt.',
  },
  wrong_media: { title: 'Falsche Art von Datei', advice: 'Wähle eine Datei der Art, die das Feld nennt.' },
  insufficient_coins: {
    title: 'Nicht genug Coins',
    advice: 'Kaufe Coins oder verlange weniger. Es wurden keine Coins reserviert.',
  },
  cooldown: {
    title: 'Zu viele Anfragen gegen die Inhaltsregeln',
    advice: 'Warte eine Weile bis zur nächsten.',
  },
  account_locked: {
    title: 'Konto gesperrt',
    advice: 'Wende dich an den Betreiber. Du kannst weiter alles sehen und Wartendes abbrechen.',
  },
  not_found: { title: 'Nicht gefunden', advice: 'Es wurde gelöscht, oder es gehört einem anderen Konto.' },
  unknown_model: {
    title: 'Unbekanntes Modell',
    advice: 'Wähle ein anderes Modell. Dieses wurde vielleicht entfernt.',
  },
  idempotency_conflict: {
    title: 'Schon für etwas anderes verwendet',
    advice: 'Dieselbe Referenz wurde schon mit anderen Werten gesendet. Nimm eine neue.',
  },
  price_changed: {
    title: 'Der Preis hat sich geändert',
    advice: 'Sieh dir den neuen Preis an und entscheide erneut. Es wurden keine Coins reserviert.',
  },
  max_coins_exceeded: {
    title: 'Der Preis ist höher als angezeigt',
    advice: 'Sieh dir den neuen Preis an und entscheide erneut. Es wurden keine Coins reserviert.',
  },
  not_cancelable: {
    title: 'Die Generierung kann nicht mehr abgebrochen werden',
    advice: 'Sie hat begonnen oder ist beendet. Schlägt sie fehl, werden ihre Coins erstattet.',
  },
  upload_too_large: { title: 'Datei zu groß', advice: 'Bilder dürfen 20 MB haben, Audio 50 MB und Video 200 MB.' },
  storage_quota_exceeded: {
    title: 'Kein Speicherplatz mehr',
    advice: 'Warte, bis ältere Uploads ablaufen, oder bitte den Betreiber um mehr.',
  },
  upload_too_long: { title: 'Datei zu lang', advice: 'Audio darf 10 Minuten dauern und Video 60 Sekunden.' },
  input_file_too_large: { title: 'Datei zu groß für dieses Modell', advice: 'Lade eine kleinere Datei hoch.' },
  upload_invalid: {
    title: 'Nicht unterstützte oder beschädigte Datei',
    advice: 'Nimm PNG, JPEG, WebP, MP3, WAV, M4A, OGG, MP4, WebM oder MOV.',
  },
  rate_limited: { title: 'Zu viele Anfragen', advice: 'Warte eine Minute und versuche es erneut.' },
  internal: {
    title: 'Bei uns ist etwas fehlgeschlagen',
    advice: 'Versuche es erneut. Wenn es wieder passiert, schicke dem Betreiber die Nummer der Anfrage.',
  },
  unavailable: { title: 'Dienst nicht verfügbar', advice: later },
  maintenance: { title: 'Wartung', advice: later },
  channel_disabled: { title: 'Die Konsole ist zurzeit geschlossen', advice: later },
  sign_in_required: { title: 'Du bist nicht angemeldet', advice: 'Melde dich erneut an.' },
  reauthentication_required: {
    title: 'Bestätige, dass du es bist',
    advice: 'Melde dich erneut an und wiederhole es dann.',
  },
  role_required: {
    title: 'Deine Rolle erlaubt das nicht',
    advice: 'Bitte jemanden, der es darf, oder um eine andere Rolle.',
  },
  cross_site_request: {
    title: 'Die Anfrage kommt nicht von dieser Seite',
    advice: 'Öffne die Konsole unter ihrer eigenen Adresse und versuche es erneut.',
  },
};
