// Operation: look at everything, and try everything (SUR-70).
import type { DoctorParams, DoctorReport } from './face.ts';
import { defineOperation, type Operation } from './operation.ts';

export const doctor: Operation<DoctorParams, DoctorReport> = defineOperation<DoctorParams, DoctorReport>({
  name: 'doctor',
  summary: 'Check the health of this home, and try writing, finding, reading and deleting.',
  description:
    'Looks at every store: rows, index and whether both agree; permissions, disk, clock, sources that are not read. Then ' +
    'tries it all in a scratch home. Each finding says what to do; fix makes indexes anew, and never touches a row.',
  who: 'operator',
  readOnly: false,
  spec: 'surfaces.md SUR-70',
  parameters: { fix: { type: 'boolean', standard: 'false', summary: 'Make damaged indexes anew from their rows.' } },
  examples: [{ title: 'Look only', input: {} }],
  run: (backstory, caller, input) => backstory.doctor(caller, input),
});
