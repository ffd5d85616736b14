// What others run against what they make: a backend of the store.
export { type ContractCase, storeContract } from './store-contract.ts';
