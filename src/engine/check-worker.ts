// The thread that looks at the health of one large store (SUR-70): what it asks of SQLite takes seconds in one call.
import { parentPort, workerData } from 'node:worker_threads';
import { openSqliteStores } from '../store/sqlite/store-set.ts';
import type { CheckAsked } from './store-check.ts';

const { agentId, ...home } = workerData as CheckAsked;
const stores = openSqliteStores(home);
const store = await stores.open(agentId);
const check = await store?.check();
await stores.close();
parentPort!.postMessage(check);
