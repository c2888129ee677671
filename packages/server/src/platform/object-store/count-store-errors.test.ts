import { expect, test } from 'vitest';
import { countStoreErrors } from './count-store-errors.ts';
import { type ObjectStore, ObjectStoreUnavailable } from './object-store.ts';

test('only calls that fail because the store is unavailable count', async () => {
  const counted: string[] = [];
  const store = countStoreErrors(
    {
      head: async () => null,
      putBytes: () => Promise.reject(new ObjectStoreUnavailable('down')),
      read: () => Promise.reject(new RangeError('beyond the object')),
    } as unknown as ObjectStore,
    (operation) => counted.push(operation),
  );
  expect(await store.head('a')).toBeNull();
  await expect(store.putBytes({ key: 'a', bytes: new Uint8Array(), contentType: '' })).rejects.toThrow('down');
  await expect(store.read({ key: 'a' })).rejects.toThrow(RangeError);
  expect(counted).toEqual(['put']);
  expect(store.presign).toBeUndefined();
});
