import { BUILDERS, type ConsoleOperationRow, changesFresh, OfAccount, signedIn } from './operation-row.ts';
import {
  ApprovePairingBody,
  CreatedPairing,
  CreatePairingBody,
  Pairing,
  PairingCodeBody,
  RedeemedPairing,
  RedeemPairingBody,
} from './pairings.ts';

const ofDevice = ['invalid_params', 'unavailable', 'rate_limited', 'cross_site_request'] as const;

/** A command line gets an API key: it shows a code, and a person confirms the code in the console. */
export const pairingOperations = {
  createPairing: {
    method: 'POST',
    path: '/api/pairings',
    summary: 'Ask for an API key from a device',
    roles: null,
    public: true,
    body: CreatePairingBody,
    response: CreatedPairing,
    status: 201,
    problems: ofDevice,
  },
  redeemPairing: {
    method: 'POST',
    path: '/api/pairings/redeem',
    summary: 'Get the decision on a pairing; the first call after an approval creates the key',
    roles: null,
    public: true,
    body: RedeemPairingBody,
    response: RedeemedPairing,
    status: 200,
    problems: [...ofDevice, 'not_found'],
  },
  findPairing: {
    method: 'POST',
    path: '/api/pairings/find',
    summary: 'Get the device that shows a code',
    roles: null,
    body: PairingCodeBody,
    response: Pairing,
    status: 200,
    problems: [...signedIn, 'rate_limited', 'not_found', 'cross_site_request'],
  },
  denyPairing: {
    method: 'POST',
    path: '/api/pairings/deny',
    summary: 'Deny a device its API key',
    roles: null,
    body: PairingCodeBody,
    response: Pairing,
    status: 200,
    problems: [...signedIn, 'rate_limited', 'not_found', 'cross_site_request'],
  },
  approvePairing: {
    method: 'POST',
    path: '/api/accounts/{accountId}/pairings/approve',
    summary: 'Allow a device to get an API key of the account',
    roles: BUILDERS,
    fresh: true,
    params: OfAccount,
    body: ApprovePairingBody,
    response: Pairing,
    status: 200,
    problems: changesFresh,
  },
} as const satisfies Record<string, ConsoleOperationRow>;
