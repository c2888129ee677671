import { findRequest } from '../../domain/generations/operate/find-request.ts';
import { showGeneration } from '../../domain/generations/read/show-generation.ts';
import { Problem } from '../../platform/problem.ts';
import { needId, type OperatorCommand } from './operator-command.ts';

export const generationCommands: Readonly<Record<string, OperatorCommand>> = {
  show: {
    summary: "a generation with every attempt and the provider's own message",
    options: { 'generation!': 'id of the generation' },
    async run(context) {
      const shown = await showGeneration(context, needId(context, 'generation'));
      if (shown === null) throw new Problem('not_found', 'There is no such generation.');
      const { generation, providerMessage, failures } = shown;
      return { ...generation, providerMessage, failures };
    },
  },
};

export const requestCommands: Readonly<Record<string, OperatorCommand>> = {
  show: {
    summary: "a request by its id, with its generation, every attempt and the provider's own message",
    options: { 'request!': 'X-Request-Id of the response or `instance` of the problem; also the id of a generation' },
    async run(context) {
      const found = await findRequest(context, needId(context, 'request'));
      if (found === null) {
        throw new Problem(
          'not_found',
          'There is no record of this request. Submits and refusals of valid keys are kept for 14 days; the log has every request.',
        );
      }
      const { requests, shown } = found;
      if (shown === null) return { requests };
      return { requests, ...shown };
    },
  },
};
