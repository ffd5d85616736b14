// Commands that look after a home: whether it is sound, and what leaves and enters it whole (SUR-22).
import { doctor } from '../api/operations.ts';
import { type Command, flagsOf } from './command.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check the health of this home, and try everything once.',
  description: 'Exit code 5 when something is wrong. Changes nothing but indexes, and those with --fix only.',
  operands: { shown: '', min: 0, max: 0 },
  operation: doctor,
  flags: flagsOf(doctor),
  examples: [
    { title: 'Look', command: 'backstory doctor' },
    { title: 'Make damaged indexes anew', command: 'backstory doctor --fix' },
  ],
  load: () => import('./commands/doctor.ts'),
};
