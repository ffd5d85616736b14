// The way to a server, which a test closes, silences, or cuts at a message.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Way {
  /** The connection string, through here. */
  through(connectionString: string): string;
  open(): Promise<void>;
  /** Refuses connections, and breaks those there are. */
  close(): Promise<void>;
  /** From now on nothing that the server says arrives. */
  silence(): void;
  /** Breaks the connection that says this next, once the server has heard it. */
  cutAt(said: string): void;
}

export async function wayTo(port: number): Promise<Way> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  let word: string | undefined;
  let own = 0;
  let listener: Server | undefined;
  const joined = (client: Socket): void => {
    const server = connect(port, '127.0.0.1');
    let isCut = false;
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    client.on('data', (data) => {
      server.write(data);
      if (word === undefined || !data.includes(word)) return;
      word = undefined;
      isCut = true;
    });
    server.on('data', (data) => {
      // What answers the word shows that the server did it.
      if (isCut) client.destroy();
      else if (!isSilent) client.write(data);
    });
  };
  const way: Way = {
    through: (connectionString) => connectionString.replace(`:${port}/`, `:${own}/`),
    async open() {
      listener = createServer(joined).listen(own, '127.0.0.1');
      await once(listener, 'listening');
      own = (listener.address() as { port: number }).port;
    },
    async close() {
      const closing = listener?.listening ? once(listener, 'close') : undefined;
      listener?.close();
      for (const socket of sockets) socket.destroy();
      await closing;
    },
    silence() {
      isSilent = true;
    },
    cutAt(said) {
      word = said;
    },
  };
  await way.open();
  return way;
}
