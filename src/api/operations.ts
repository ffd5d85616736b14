// The table of operations: what every surface projects (SUR-1).
import { oneNamed } from '../model/named.ts';
import { doctor } from './doctor.ts';
import { erase } from './erase.ts';
import { explain } from './explain.ts';
import { exportOperation } from './export.ts';
import { importArchive } from './import-archive.ts';
import { memoryInspect, memoryList } from './memory-list.ts';
import { memoryApprove, memoryForget, memoryReject } from './memory-review.ts';
import { memoryTimeline } from './memory-timeline.ts';
import { memoryConsolidate, memoryPrune, memoryReflect } from './memory-upkeep.ts';
import type { Operation } from './operation.ts';
import { recall } from './recall.ts';
import { remember } from './remember.ts';
import { runsSearch } from './runs-search.ts';
import { search } from './search.ts';
import { sessionsAppend } from './sessions-append.ts';
import { sessionsCurrent, sessionsDelete } from './sessions-delete.ts';
import { sessionsDescribe } from './sessions-describe.ts';
import { sessionsHistory } from './sessions-history.ts';
import { sessionsList } from './sessions-list.ts';
import { sessionsArchive, sessionsCompact, sessionsReset, sessionsRewind, sessionsSwitch } from './sessions-moves.ts';
import { sessionsSearch } from './sessions-search.ts';
import { sourcesList } from './sources-list.ts';
import { stats } from './stats.ts';
import { sync } from './sync.ts';

export {
  doctor,
  erase,
  explain,
  exportOperation,
  importArchive,
  memoryApprove,
  memoryConsolidate,
  memoryForget,
  memoryInspect,
  memoryList,
  memoryPrune,
  memoryReflect,
  memoryReject,
  memoryTimeline,
  recall,
  remember,
  runsSearch,
  search,
  sessionsAppend,
  sessionsArchive,
  sessionsCompact,
  sessionsCurrent,
  sessionsDelete,
  sessionsDescribe,
  sessionsHistory,
  sessionsList,
  sessionsReset,
  sessionsRewind,
  sessionsSearch,
  sessionsSwitch,
  sourcesList,
  stats,
  sync,
};

export const OPERATIONS: readonly Operation[] = [
  sessionsSearch,
  sessionsHistory,
  sessionsList,
  sessionsDescribe,
  sessionsAppend,
  sessionsReset,
  sessionsRewind,
  sessionsSwitch,
  sessionsCompact,
  sessionsArchive,
  sessionsDelete,
  sessionsCurrent,
  sync,
  sourcesList,
  stats,
  doctor,
  explain,
  exportOperation,
  importArchive,
  runsSearch,
  search,
  recall,
  remember,
  memoryTimeline,
  memoryList,
  memoryInspect,
  memoryApprove,
  memoryReject,
  memoryForget,
  memoryPrune,
  memoryConsolidate,
  memoryReflect,
  erase,
];

/** Throws `invalid_argument`, naming the nearest. */
export function operationNamed(name: string): Operation {
  return oneNamed('operation', OPERATIONS, name);
}
