export * from './examples.ts';
export * from './keys.ts';
export * from './members.ts';
export * from './operations.ts';
export * from './scope-roles.ts';
export * from './session.ts';
export * from './webhooks.ts';
