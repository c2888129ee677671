import { loadCatalog } from '../../domain/catalog/load-catalog.ts';
import { listQueue } from '../../domain/generations/read/list-queue.ts';
import { listTransfers } from '../../domain/ledger/list-transfers.ts';
import { listAudit } from '../../domain/operator/list-audit.ts';
import { listOffers } from '../../domain/operator/list-offers.ts';
import { createOfferBoard, listWorkers } from '../../domain/operator/offer-board.ts';
import { given, limitOption, needDate, needId, type OperatorCommand, readLimit } from './operator-command.ts';

export const ledgerCommand: OperatorCommand = {
  summary: "the movements of an account's coins, the newest first",
  options: { 'account!': 'id of the account', ...limitOption },
  run: (context) => listTransfers(context, { accountId: needId(context, 'account'), limit: readLimit(context) }),
};

export const auditCommand: OperatorCommand = {
  summary: 'lists changes and who made them, newest first',
  options: { account: 'only changes of this account', since: 'a date-time', ...limitOption },
  run: (context) =>
    listAudit(context, {
      accountId: given(context, 'account', () => needId(context, 'account')) ?? null,
      since: given(context, 'since', () => needDate(context, 'since')) ?? null,
      limit: readLimit(context),
    }),
};

export const offersCommand: OperatorCommand = {
  summary: 'lists what each worker can run and when it last reported',
  options: {},
  run: (context) => listOffers(context),
};

export const workersCommand: OperatorCommand = {
  summary: 'lists each worker with its offers, and the engines and safety checks that it cannot run',
  options: {},
  run: (context) => listWorkers(context),
};

export const queueCommand: OperatorCommand = {
  summary:
    'lists queued and running generations by pool and model, the age of the oldest, and whether a worker serves them',
  options: {},
  async run({ config, db }) {
    const catalog = await loadCatalog(config.catalogDir);
    const offers = await createOfferBoard({ db });
    try {
      return await listQueue({ db, catalog: () => catalog, offers: () => offers.current() });
    } finally {
      offers.close();
    }
  },
};
