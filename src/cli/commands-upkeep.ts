// Commands that look after a home: whether it is sound, and what leaves and enters it whole (SUR-22).
import { doctor, exportOperation, importArchive } from '../api/operations.ts';
import { type Command, flagsOf } from './command.ts';

const doctorCommand: Command = {
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

const exportCommand: Command = {
  name: 'export',
  summary: "Write one agent's history and memory as JSON lines.",
  description: 'To standard output, or to a file that is there only when it is whole. Masked, unless --raw is given.',
  operands: { shown: '', min: 0, max: 0 },
  operation: exportOperation,
  flags: flagsOf(exportOperation),
  examples: [
    { title: 'Masked, for other eyes', command: 'backstory export --agent claude-code > history.jsonl' },
    { title: 'Everything, to take elsewhere', command: 'backstory export --agent main --raw --out main.jsonl' },
  ],
  load: () => import('./commands/export.ts'),
};

const importArchiveCommand: Command = {
  name: 'import-archive',
  summary: 'Take over an archive that export wrote.',
  description: 'Looks at all of it first. What is here already stays as it is; run it again after a crash.',
  operands: { shown: 'FILE', min: 1, max: 1 },
  operation: importArchive,
  flags: [],
  examples: [{ title: 'Take over', command: 'backstory import-archive main.jsonl' }],
  load: () => import('./commands/import-archive.ts'),
};

const config: Command = {
  name: 'config',
  summary: 'Show the settings that count here, and where each comes from.',
  description:
    'Those that something sets, or with a name that one and those below it. A flag wins over an environment variable, ' +
    'that over the config file, that over the default. Passwords and masked values are never shown.',
  operands: { shown: '[SETTING]', min: 0, max: 1 },
  flags: [{ name: 'all', summary: 'Those that have their default as well.' }],
  examples: [
    { title: 'What is set, and by what', command: 'backstory config' },
    { title: 'How long episodes are kept', command: 'backstory config memory.episodes' },
    { title: 'Everything, for a program', command: 'backstory config --all --json' },
  ],
  load: () => import('./commands/config.ts'),
};

export const UPKEEP_COMMANDS: readonly Command[] = [config, doctorCommand, exportCommand, importArchiveCommand];
