import { discardParkedEvent, listParkedEvents } from '../../domain/payments/parked-events.ts';
import { limitOption, need, type OperatorCommand, readLimit } from './operator-command.ts';

export const paymentCommands: Readonly<Record<string, OperatorCommand>> = {
  parked: {
    summary: 'lists events of the payment provider that could not be applied yet, oldest first',
    options: limitOption,
    run: (context) => listParkedEvents(context, { limit: readLimit(context) }),
  },
  discard: {
    summary: 'deletes a parked event that will never be applied; the audit log keeps its id',
    options: { 'event!': 'id of the event at the payment provider' },
    run: (context) => discardParkedEvent(context, { eventId: need(context, 'event'), actor: context.actor }),
  },
};
