import { PAIRING_INTERVAL_SECONDS, type Pairing } from '@atelier/contract/console';
import {
  approvePairing,
  createPairing,
  denyPairing,
  findPairing,
  redeemPairing,
} from '../../../domain/people/pairings.ts';
import type { ConsoleRoutes } from '../console-handler.ts';
import { showKey } from './keys.ts';

export const pairingRoutes: ConsoleRoutes<
  'createPairing' | 'redeemPairing' | 'findPairing' | 'denyPairing' | 'approvePairing'
> = {
  async createPairing(services, { network, body }) {
    const { deviceName, scopes, monthlySpendCapCoins: monthlyCap = null } = body;
    const created = await createPairing(services, { deviceName, scopes, monthlyCap, network });
    return {
      userCode: withHyphen(created.userCode),
      deviceSecret: created.deviceSecret,
      pairUrl: `${services.consoleUrl}/pair`,
      expiresAt: created.expiresAt.toISOString(),
      intervalSeconds: PAIRING_INTERVAL_SECONDS,
    };
  },

  async redeemPairing(services, { network, body }) {
    const redeemed = await redeemPairing(services, { deviceSecret: body.deviceSecret, network });
    if (redeemed.status !== 'approved') return { status: redeemed.status };
    const { status, key, secret } = redeemed;
    return { status, apiUrl: services.publicUrl, key: showKey(key), secret };
  },

  findPairing: async (services, { signedIn: { personId }, body: { userCode } }) =>
    showPairing(await findPairing(services, { userCode, personId })),

  denyPairing: async (services, { signedIn: { personId }, body: { userCode } }) =>
    showPairing(await denyPairing(services, { userCode, personId })),

  approvePairing: async (services, { accountId, signedIn: { personId }, body }) => {
    const { userCode, monthlySpendCapCoins: monthlyCap } = body;
    return showPairing(await approvePairing(services, { userCode, personId, accountId, monthlyCap }));
  },
};

function showPairing(pairing: Awaited<ReturnType<typeof findPairing>>): Pairing {
  return {
    userCode: withHyphen(pairing.userCode),
    deviceName: pairing.deviceName,
    scopes: [...pairing.scopes],
    monthlySpendCapCoins: pairing.monthlyCap,
    createdAt: pairing.createdAt.toISOString(),
    expiresAt: pairing.expiresAt.toISOString(),
  };
}

const withHyphen = (userCode: string): string => `${userCode.slice(0, 4)}-${userCode.slice(4)}`;
