// Result of the doctor (SUR-70).
import * as z from 'zod';
import type { DoctorReport } from './face.ts';
import { maybe, number, type Same } from './results-shared.ts';

const doctor = z.strictObject({
  ok: z.boolean(),
  checked: z.strictObject({ stores: number, bytes: number, trial: z.boolean() }),
  findings: z.array(
    z.strictObject({
      code: z.string(),
      level: z.enum(['note', 'warning', 'error']),
      message: z.string(),
      fix: z.string(),
      fixed: maybe(z.literal(true)),
    }),
  ),
});

export const DOCTOR_RESULTS: Readonly<Record<string, z.ZodType>> = {
  doctor: doctor satisfies Same<typeof doctor, DoctorReport>,
};
