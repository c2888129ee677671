import type { components, operations } from './schemas.gen.ts';

type Schemas = components['schemas'];

export type Asset = Schemas['Asset'];
export type Concurrency = Schemas['Concurrency'];
export type CreateGenerationBody = Schemas['CreateGenerationBody'];
export type CreateQuoteBody = Schemas['CreateQuoteBody'];
export type Effect = Schemas['Effect'];
export type EventPage = Schemas['EventPage'];
export type EventType = Schemas['EventType'];
export type FailureCode = Schemas['FailureCode'];
export type Generation = Schemas['Generation'];
export type GenerationPage = Schemas['GenerationPage'];
export type GenerationStatus = Schemas['GenerationStatus'];
export type Model = Schemas['Model'];
export type ParamDescriptor = Schemas['ParamDescriptor'];
export type ParamName = Schemas['ParamName'];
export type ParamValue = Schemas['ParamValue'];
export type Problem = Schemas['Problem'];
export type ProblemCode = Schemas['ProblemCode'];
export type PublicAccount = Schemas['PublicAccount'];
export type QuoteResponse = Schemas['QuoteResponse'];
export type ResumableUpload = Schemas['ResumableUpload'];
export type WebhookEvent = Schemas['WebhookEvent'];

type QueryOf<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;

export type ListModelsQuery = QueryOf<'listModels'>;
export type ListGenerationsQuery = QueryOf<'listGenerations'>;
export type ListEventsQuery = QueryOf<'listEvents'>;

/** What the event stream reports about an unfinished generation. */
export type GenerationProgress = Pick<Generation, 'id' | 'status' | 'progress' | 'queuePosition'>;
