export * from './accounts.ts';
export * from './audit.ts';
export * from './examples.ts';
export * from './models.ts';
export * from './operations.ts';
export * from './price-rule.ts';
export * from './requests.ts';
export * from './system.ts';
