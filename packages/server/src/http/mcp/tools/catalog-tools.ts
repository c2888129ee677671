import { ListModelsQuery, Model, operations } from '@atelier/contract';
import Type from 'typebox';
import { getModel, listModels } from '../../../domain/catalog/list-models.ts';
import { describeOpenness } from '../../routes/catalog-answer.ts';
import { defineTool } from '../tool.ts';

/** What an agent chooses by. The params of all models together would fill its context. */
const MODEL_SUMMARY = [
  'id',
  'displayName',
  'vendor',
  'taskType',
  'modality',
  'priceFromCoins',
  'description',
] as const satisfies ReadonlyArray<keyof Model>;

const { properties } = Model;
const ModelSummary = Type.Object({
  id: properties.id,
  displayName: properties.displayName,
  vendor: properties.vendor,
  taskType: properties.taskType,
  modality: properties.modality,
  priceFromCoins: properties.priceFromCoins,
  description: properties.description,
});

const summarize = (model: Model) =>
  Object.fromEntries(MODEL_SUMMARY.map((name) => [name, model[name]])) as Pick<Model, (typeof MODEL_SUMMARY)[number]>;

export const catalogTools = [
  defineTool({
    name: 'list_models',
    title: 'List models',
    description:
      'Lists the models that accept requests: image, video, audio and 3D, for generating, editing and converting. Filter by taskType, modality or workspace. Call get_model for the params of one.',
    operation: 'listModels',
    kind: 'reads',
    input: ListModelsQuery,
    output: Type.Object({ models: Type.Array(ModelSummary) }),
    async call({ services }, filter) {
      const { models } = listModels(services.catalog(), { ...describeOpenness(services), filter });
      return {
        summary: `${models.length} models. Call get_model with an id for its params.`,
        value: { models: models.map(summarize) },
      };
    },
  }),
  defineTool({
    name: 'get_model',
    title: 'Get a model',
    description:
      'Returns one model: the params it takes with their limits and defaults, and whether it accepts requests.',
    operation: 'getModel',
    kind: 'reads',
    input: Type.Object(operations.getModel.params.properties, { additionalProperties: false }),
    output: Model,
    async call({ services }, { id }) {
      const model = getModel(services.catalog(), { ...describeOpenness(services), id });
      return { summary: `${model.displayName}. Call quote with this modelId and params for the price.`, value: model };
    },
  }),
];
