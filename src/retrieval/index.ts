// Knowledge for a chat: sources bound to their owners, asked together (run-files.md §7).
export { ChatKnowledgeBinding } from './binding.ts';
export { RetrievalEngine, type SourceAnswer } from './engine.ts';
export { type AgentClass, Knowledge, type KnowledgeDeclaration } from './knowledge.ts';
