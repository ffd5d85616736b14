// What others run against what they make: a backend of the store, of sessions and of memory.
export { memoryAnswers } from './memory-answers.ts';
export { type MemoryCase, memoryContract } from './memory-contract.ts';
export { type ContractCase, storeContract } from './store-contract.ts';
