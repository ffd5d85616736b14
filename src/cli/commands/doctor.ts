// backstory doctor: what is wrong here, and what to do about it (SUR-70).
import { execute } from '../../api/operation.ts';
import { doctor } from '../../api/operations.ts';
import { answer, EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { renderDoctor } from '../render/doctor.ts';
import { withEngine } from '../with-engine.ts';

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, async ({ backstory, caller, look }) => {
    const report = await execute(doctor, backstory, caller, parsed.input());
    answer(io, parsed, report, () => renderDoctor(report, look));
    return report.ok ? EXIT.done : EXIT.internal;
  });
