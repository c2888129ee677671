import { PublicAccount } from '@atelier/contract';
import Type from 'typebox';
import { getAccount } from '../../../domain/accounts/get-account.ts';
import { defineTool } from '../tool.ts';

export const accountTool = defineTool({
  name: 'get_account',
  title: 'Get the account',
  description:
    'Returns the balance of the account, what runs and waits, and the limits of this access: scopes, caps and rates.',
  operation: 'getAccount',
  kind: 'reads',
  input: Type.Object({}, { additionalProperties: false }),
  output: PublicAccount,
  async call({ services, caller }) {
    const account = await getAccount(services, caller);
    const { available, held } = account.balance;
    return { summary: `${available} coins available, ${held} held.`, value: account };
  },
});
