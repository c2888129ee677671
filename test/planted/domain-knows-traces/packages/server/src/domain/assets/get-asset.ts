import { trace } from '@opentelemetry/api';

export const getAsset = (): string => trace.getTracer('assets').constructor.name;
