// How far a retriever looks (RUN-38). Not the `Scope` of access/, which says who may see which session.

export type RunScope = 'run' | 'episode';

/** `RUN`, the default, searches every episode: for a host of one user. `EPISODE`: only the current one. */
export const RunScope: { readonly RUN: 'run'; readonly EPISODE: 'episode' } = Object.freeze({
  RUN: 'run',
  EPISODE: 'episode',
});
