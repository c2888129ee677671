import { MODALITIES, type Modality, WORKSPACES, type Workspace } from '@atelier/contract';
import { useQuery } from '@tanstack/react-query';
import { useAccount } from '../../api/session.ts';
import { SmallSelect } from '../../parts/field.tsx';
import { Segmented } from '../../parts/segmented.tsx';
import { useText } from '../../text/use-text.ts';
import { type GenerationFilters, modelsQuery } from './generation-queries.ts';

const EVERY = '';
type StatusChoice = 'all' | 'active' | 'succeeded' | 'failed' | 'canceled';
const STATUS_CHOICES: readonly StatusChoice[] = ['all', 'active', 'succeeded', 'failed', 'canceled'];

const choiceOf = ({ active, status }: GenerationFilters): StatusChoice =>
  active === true ? 'active' : (STATUS_CHOICES.find((choice) => choice === status) ?? 'all');

/** The filters of the contract. */
export function GenerationFilterBar(props: {
  filters: GenerationFilters;
  onFilters(filters: GenerationFilters): void;
}) {
  const { filters, onFilters } = props;
  const text = useText().generations;
  const { id: accountId } = useAccount();
  const models = useQuery(modelsQuery(accountId)).data?.models ?? [];
  const chooseStatus = (choice: StatusChoice) => {
    const { active: _active, status: _status, ...rest } = filters;
    if (choice === 'all') onFilters(rest);
    else onFilters(choice === 'active' ? { ...rest, active: true } : { ...rest, status: choice });
  };
  const choose = <K extends 'modality' | 'workspace' | 'modelId'>(name: K, value: string) => {
    const { [name]: _old, ...rest } = filters;
    onFilters(value === EVERY ? rest : { ...rest, [name]: value });
  };
  return (
    <div className="toolbar">
      <Segmented<StatusChoice>
        label={text.filters.status}
        choice={choiceOf(filters)}
        choices={STATUS_CHOICES.map((value) => ({
          value,
          label: value === 'all' || value === 'active' ? text.filters[value] : text.statuses[value],
        }))}
        onChoice={chooseStatus}
      />
      <SmallSelect<Modality | ''>
        label={text.filters.modality}
        choice={filters.modality ?? EVERY}
        choices={[
          { value: EVERY, label: text.filters.everyModality },
          ...MODALITIES.map((value) => ({ value, label: text.filters.modalities[value] })),
        ]}
        onChoice={(value) => choose('modality', value)}
      />
      <SmallSelect<Workspace | ''>
        label={text.filters.workspace}
        choice={filters.workspace ?? EVERY}
        choices={[
          { value: EVERY, label: text.filters.everyWorkspace },
          ...WORKSPACES.map((value) => ({ value, label: text.filters.workspaces[value] })),
        ]}
        onChoice={(value) => choose('workspace', value)}
      />
      <SmallSelect
        label={text.filters.model}
        choice={filters.modelId ?? EVERY}
        choices={[
          { value: EVERY, label: text.filters.everyModel },
          ...models.map(({ id, displayName }) => ({ value: id, label: displayName })),
        ]}
        onChoice={(value) => choose('modelId', value)}
      />
    </div>
  );
}
