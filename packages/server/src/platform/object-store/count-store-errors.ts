import { type ObjectStore, ObjectStoreUnavailable } from './object-store.ts';

export const STORE_OPERATIONS = ['put', 'head', 'read', 'delete', 'list', 'presign', 'check'] as const;
type StoreOperation = (typeof STORE_OPERATIONS)[number];

/** Reports every call that fails because the store is unavailable. Other errors are those of a request. */
export function countStoreErrors(store: ObjectStore, onError: (operation: StoreOperation) => void): ObjectStore {
  const counted =
    <A extends unknown[], R>(operation: StoreOperation, call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      try {
        return await call(...given);
      } catch (error) {
        if (error instanceof ObjectStoreUnavailable) onError(operation);
        throw error;
      }
    };
  const { presign } = store;
  return {
    putFile: counted('put', store.putFile),
    putBytes: counted('put', store.putBytes),
    putStream: counted('put', store.putStream),
    head: counted('head', store.head),
    read: counted('read', store.read),
    deleteMany: counted('delete', store.deleteMany),
    list: counted('list', store.list),
    ...(presign === undefined ? {} : { presign: counted('presign', presign) }),
    check: counted('check', store.check),
    close: store.close,
  };
}
