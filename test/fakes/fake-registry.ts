// Discovery as nodes see it: keeps what was reported and answers what the test says.

import type { Registry, Report } from '../../services/mock-node/reports/report.js';

type Answer = (report: Report, signal: AbortSignal) => number | Promise<number>;

export class FakeRegistry implements Registry {
  readonly reports: Report[] = [];
  /** Gives the wait before the next report in milliseconds, or throws. */
  answer: Answer = () => 10_000;

  async report(report: Report, signal: AbortSignal): Promise<number> {
    this.reports.push(report);
    return await this.answer(report, signal);
  }

  get types(): Report['type'][] {
    return this.reports.map(({ type }) => type);
  }

  get last(): Report {
    const report = this.reports.at(-1);
    if (report === undefined) throw new Error('nothing was reported');
    return report;
  }
}
