import type { Model, ParamDescriptor, ParamName } from '@atelier/contract';
import type { CatalogModel, ModelEntry } from '../catalog.ts';
import type { PriceRule } from '../price-rule.ts';

type Bounds = ParamDescriptor extends infer D
  ? D extends ParamDescriptor
    ? Omit<D, 'name' | 'ui' | 'required'>
    : never
  : never;

/** A descriptor for tests, with a default control. */
export function sampleParam(name: ParamName, bounds: Bounds & { required?: boolean }): ParamDescriptor {
  return { required: false, ...bounds, name, ui: { control: 'select', group: 'basic', order: 1 } } as ParamDescriptor;
}

/** A model for tests with defaults for everything that the test does not set. */
export function sampleModel(options: {
  params?: readonly ParamDescriptor[];
  defaults?: Model['defaults'];
  price?: PriceRule;
  inputLimits?: Model['inputLimits'];
  entry?: Partial<ModelEntry>;
  expandUnit?: CatalogModel['expandUnit'];
  closed?: boolean;
}): CatalogModel {
  const {
    params = [],
    defaults = {},
    price = { perOutput: 1 },
    inputLimits,
    entry,
    expandUnit = null,
    closed = false,
  } = options;
  return {
    entry: {
      id: 'sample',
      listingId: 'sample',
      taskType: 'image.generate',
      modality: 'image',
      workspace: 'image',
      vendor: 'Nobody',
      displayName: 'Sample',
      params: [...params],
      defaults,
      priceFromCoins: null,
      description: null,
      ...(inputLimits === undefined ? {} : { inputLimits }),
      ...entry,
    },
    deadlineSeconds: 60,
    price,
    expandUnit,
    routes: [],
    closed,
  };
}
