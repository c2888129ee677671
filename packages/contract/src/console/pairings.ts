import Type, { type Static } from 'typebox';
import { Closed, DateTime, Natural, Nullable } from '../building-blocks.ts';
import { SCOPES } from '../vocabulary.ts';
import { Cap, ConsoleKey, Scopes } from './keys.ts';

export const PAIRING_LIFE_MINUTES = 10;
/** How long a device waits between two questions. */
export const PAIRING_INTERVAL_SECONDS = 5;
/** Without vowels, so that a code is no word, and without letters that look alike. */
export const PAIRING_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

const UserCode = Type.String({
  pattern: '^[\\sA-Za-z-]{8,20}$',
  description: 'The code that the device shows. Case, spaces and hyphens do not matter.',
});
const DeviceSecret = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description: 'The secret that the device got.' });

export const CreatePairingBody = Type.Object(
  {
    deviceName: Type.String({ minLength: 1, maxLength: 100, description: 'Names the device, and later its key.' }),
    scopes: Scopes,
    monthlySpendCapCoins: Type.Optional(Cap),
  },
  Closed,
);

export const CreatedPairing = Type.Object({
  userCode: Type.String({ description: 'For the person to enter in the console, such as `BCDF-GHJK`.' }),
  deviceSecret: Type.String({ description: 'Shown once: only its hash is stored.' }),
  pairUrl: Type.String({ description: 'The page of the console where the code is entered.' }),
  expiresAt: DateTime(),
  intervalSeconds: Natural('How long to wait between two questions.'),
});
export type CreatedPairing = Static<typeof CreatedPairing>;

export const RedeemPairingBody = Type.Object({ deviceSecret: DeviceSecret }, Closed);

export const RedeemedPairing = Type.Union([
  Type.Object({ status: Type.Enum(['pending', 'denied']) }),
  Type.Object({
    status: Type.Literal('approved'),
    apiUrl: Type.String({ description: 'Base URL of the public API.' }),
    key: ConsoleKey,
    secret: Type.String({ description: 'The API key itself. Sent once: it is not stored.' }),
  }),
]);
export type RedeemedPairing = Static<typeof RedeemedPairing>;

/** A device that waits for the decision of a person. */
export const Pairing = Type.Object({
  userCode: Type.String(),
  deviceName: Type.String(),
  scopes: Type.Array(Type.Enum(SCOPES)),
  monthlySpendCapCoins: Nullable(Natural('What the device asks for, or what was approved.')),
  createdAt: DateTime(),
  expiresAt: DateTime(),
});
export type Pairing = Static<typeof Pairing>;

export const PairingCodeBody = Type.Object({ userCode: UserCode }, Closed);
export const ApprovePairingBody = Type.Object({ userCode: UserCode, monthlySpendCapCoins: Cap }, Closed);
