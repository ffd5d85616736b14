// What the server counts, as Prometheus reads it (SUR-40): requests, their time, and nothing of what they were about.
import type { Clock } from '../model/clock.ts';

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Series {
  count: number;
  seconds: number;
  readonly buckets: number[];
}

export class Metrics {
  readonly #clock: Clock;
  readonly #started: number;
  readonly #requests = new Map<string, number>();
  readonly #times = new Map<string, Series>();
  #inFlight = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#started = clock.elapsed();
  }

  /** Begins one; the returned function ends it. `operation` is a name of the table or of a route, never text of a caller. */
  begin(): (operation: string, status: number) => void {
    const from = this.#clock.elapsed();
    this.#inFlight++;
    return (operation, status) => {
      this.#inFlight--;
      const name = `operation="${operation}",status="${status}"`;
      this.#requests.set(name, (this.#requests.get(name) ?? 0) + 1);
      const seconds = (this.#clock.elapsed() - from) / 1000;
      const series = this.#times.get(operation) ?? { count: 0, seconds: 0, buckets: BUCKETS.map(() => 0) };
      this.#times.set(operation, series);
      series.count++;
      series.seconds += seconds;
      for (const [index, bound] of BUCKETS.entries()) if (seconds <= bound) series.buckets[index]!++;
    };
  }

  /** Prometheus' text format. `gauges`: values of the engine, by name. */
  text(gauges: Readonly<Record<string, number>>): string {
    const lines = [
      ...head('backstory_http_requests_total', 'counter', 'Requests answered.'),
      ...[...this.#requests].map(([labels, count]) => `backstory_http_requests_total{${labels}} ${count}`),
      ...head('backstory_http_requests_in_flight', 'gauge', 'Requests being answered.'),
      `backstory_http_requests_in_flight ${this.#inFlight}`,
      ...head('backstory_http_request_seconds', 'histogram', 'Time to an answer.'),
    ];
    for (const [operation, { count, seconds, buckets }] of this.#times) {
      for (const [index, bound] of BUCKETS.entries()) {
        lines.push(`backstory_http_request_seconds_bucket{operation="${operation}",le="${bound}"} ${buckets[index]}`);
      }
      lines.push(`backstory_http_request_seconds_bucket{operation="${operation}",le="+Inf"} ${count}`);
      lines.push(`backstory_http_request_seconds_sum{operation="${operation}"} ${seconds}`);
      lines.push(`backstory_http_request_seconds_count{operation="${operation}"} ${count}`);
    }
    const memory = process.memoryUsage();
    const own = {
      backstory_uptime_seconds: (this.#clock.elapsed() - this.#started) / 1000,
      backstory_resident_memory_bytes: memory.rss,
      backstory_heap_used_bytes: memory.heapUsed,
    };
    for (const [name, value] of Object.entries({ ...own, ...gauges })) {
      lines.push(...head(name, 'gauge', name.replaceAll('_', ' ')), `${name} ${value}`);
    }
    return `${lines.join('\n')}\n`;
  }
}

function head(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}
