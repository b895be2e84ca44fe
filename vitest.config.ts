import { defineConfig } from 'vitest/config';

const generated = ['**/node_modules/**', '**/dist/**'];

// Unit tests stand beside what they test; the other suites have folders of their own under test/.
export default defineConfig({
  test: {
    // By default one core is left out, which on two is half of the machine.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'unit',
          // Nothing here has state that outlives a test: a process for each file would take longer than its tests.
          isolate: false,
          include: [
            '{services,shared,cli}/**/*.test.ts',
            'test/{fakes,vectors,check,queries,bench,soak}/**/*.test.ts',
          ],
          exclude: generated,
          testTimeout: 10_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          exclude: generated,
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: generated,
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'matrix',
          isolate: false,
          include: ['test/faults/{matrix,model}/**/*.test.ts'],
          exclude: generated,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'faults',
          include: ['test/faults/{processes,sites}/**/*.test.ts'],
          exclude: generated,
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'fleets',
          include: ['test/fleets/**/*.test.ts'],
          exclude: generated,
          testTimeout: 600_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'containers',
          include: ['test/containers/**/*.test.ts'],
          exclude: generated,
          testTimeout: 900_000,
          hookTimeout: 900_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
