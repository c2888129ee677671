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
