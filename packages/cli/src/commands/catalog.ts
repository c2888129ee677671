import type { ParamDescriptor } from '@atelier/sdk';
import type { Command } from '../command.ts';
import { needOneOf } from '../read-command.ts';
import { renderTable } from '../terminal.ts';

const MODALITIES = ['image', 'video', 'audio', '3d'] as const;

export const modelsCommand: Command = {
  summary: 'list the models, or the params of one',
  args: ['[MODEL]'],
  options: {
    modality: { says: 'only this modality', value: 'NAME', values: MODALITIES },
    task: { says: 'only this task type, such as image.generate', value: 'TYPE' },
  },
  async run(context) {
    const { terminal, signal, json, options } = context;
    const client = await context.client();
    const [id] = context.args;
    if (id !== undefined) {
      const model = await client.models.get(id, { signal });
      if (json) terminal.print(JSON.stringify(model));
      else {
        const price = model.priceFromCoins === null ? '' : `, from ${model.priceFromCoins} coins`;
        terminal.print(`${terminal.color('bold', model.displayName)} (${model.taskType}${price})`);
        if (model.description) terminal.print(model.description);
        const rows = model.params.map((param) => [
          `--${param.name.replaceAll('_', '-')}`,
          describe(param),
          param.required ? 'required' : String(model.defaults[param.name] ?? ''),
        ]);
        for (const line of renderTable(rows)) terminal.print(`  ${line}`);
      }
      return 0;
    }
    const modality = needOneOf(context, 'modality', MODALITIES);
    const query = { modality, taskType: options.task } as { modality?: 'image' };
    const models = await client.models.list(query, { signal });
    if (json) terminal.print(JSON.stringify(models));
    else {
      const rows = models.map(({ id: name, taskType, priceFromCoins, displayName }) => [
        name,
        taskType,
        priceFromCoins === null ? '' : `from ${priceFromCoins} coins`,
        displayName,
      ]);
      for (const line of renderTable(rows)) terminal.print(line);
    }
    return 0;
  },
};

function describe(param: ParamDescriptor): string {
  if (param.kind === 'enum') return param.values.join('|');
  if (param.kind === 'range') return `${param.min} to ${param.max}`;
  if (param.kind === 'media') return `${param.accept} file`;
  return param.kind === 'media_list' ? `up to ${param.maxItems} ${param.accept} files` : param.kind;
}

export const effectsCommand: Command = {
  summary: 'list the effects',
  args: [],
  options: {},
  async run({ client, terminal, json, signal }) {
    const effects = await (await client()).effects.list({ signal });
    if (json) terminal.print(JSON.stringify(effects));
    else {
      const rows = effects.map(({ id, kind, category, modelId }) => [id, kind, category, modelId]);
      for (const line of renderTable(rows)) terminal.print(line);
    }
    return 0;
  },
};
