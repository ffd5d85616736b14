// The passes of the credential masker, in their order, each with the literals without which it finds nothing (MASK-19).
import { ASSIGNMENT_HINTS, BUNDLE_HINTS, findAssignments, findBundles } from './assignments.ts';
import { findMysqlOptions, findUserOptions, MYSQL_HINTS, USER_HINTS } from './command-lines.ts';
import { findHeaders, findSchemes, HEADER_HINTS, SCHEME_HINTS } from './headers.ts';
import type { Hits } from './hints.ts';
import { findKeyBlocks, KEY_BLOCK_HINTS } from './key-blocks.ts';
import { findKubernetesSecrets, KUBERNETES_HINTS } from './kubernetes.ts';
import type { MarkerKind, Range } from './ranges.ts';
import { findShapes, SHAPE_HINTS } from './shapes.ts';
import { findParameters, findUserInfo, PARAMETER_HINTS, USER_INFO_HINTS } from './urls.ts';

export interface Pass {
  /** Named by `--explain`; a pass that knows better names its ranges itself. */
  readonly rule: string;
  readonly kind: MarkerKind;
  readonly hints: readonly string[];
  readonly find: (text: string, hits: Hits) => readonly Range[];
  /** Also runs on a copy without invisible characters (MASK-20). */
  readonly throughInvisible?: true;
}

/** In the order of MASK-19. Each pass works on the output of the one before. */
export const PASSES: readonly Pass[] = [
  { rule: 'key-block', kind: 'private-key', hints: KEY_BLOCK_HINTS, find: findKeyBlocks },
  { rule: 'kubernetes-secret', kind: 'credential', hints: KUBERNETES_HINTS, find: findKubernetesSecrets },
  { rule: 'url-password', kind: 'credential', hints: USER_INFO_HINTS, find: findUserInfo, throughInvisible: true },
  { rule: 'token-shape', kind: 'credential', hints: SHAPE_HINTS, find: findShapes, throughInvisible: true },
  { rule: 'header', kind: 'credential', hints: HEADER_HINTS, find: findHeaders },
  { rule: 'authorization-scheme', kind: 'credential', hints: SCHEME_HINTS, find: findSchemes },
  { rule: 'user-option', kind: 'credential', hints: USER_HINTS, find: findUserOptions },
  { rule: 'mysql-option', kind: 'credential', hints: MYSQL_HINTS, find: findMysqlOptions },
  { rule: 'url-parameter', kind: 'credential', hints: PARAMETER_HINTS, find: findParameters },
  { rule: 'assignment', kind: 'credential', hints: ASSIGNMENT_HINTS, find: findAssignments, throughInvisible: true },
  { rule: 'bundler', kind: 'credential', hints: BUNDLE_HINTS, find: findBundles },
];
