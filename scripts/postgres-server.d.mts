export interface Server {
  readonly port: number;
  /** A connection to a schema that was not used yet. */
  connection(): { connectionString: string; schema: string };
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Throws with the reason where no server can run. */
export function startServer(): Promise<Server>;
