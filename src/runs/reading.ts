// What an interpreter answers: the meaning of one record (RUN-22). Visibility is none of its business (RUN-25).

/** `note`: something written down. `told`: said to the agent. `said`: said by it. `leftOut`: not to be found. */
export type Reading = { readonly kind: 'note' | 'told' | 'said'; readonly text: string } | { readonly kind: 'leftOut' };

export const Reading: {
  note(text: string): Reading;
  told(text: string): Reading;
  said(text: string): Reading;
  readonly leftOut: Reading;
} = Object.freeze({
  note: (text: string): Reading => Object.freeze({ kind: 'note', text }),
  told: (text: string): Reading => Object.freeze({ kind: 'told', text }),
  said: (text: string): Reading => Object.freeze({ kind: 'said', text }),
  leftOut: Object.freeze({ kind: 'leftOut' }) as Reading,
});

/** True for what the four above make, recognised by shape so that two copies of the package agree. */
export function isReading(value: unknown): value is Reading {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, text } = value as { readonly kind?: unknown; readonly text?: unknown };
  if (kind === 'leftOut') return true;
  return (kind === 'note' || kind === 'told' || kind === 'said') && typeof text === 'string';
}
