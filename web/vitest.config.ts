import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    fileParallelism: false, // the machine that runs the tests may have two cores, and Chromium uses both
    projects: [
      { test: { name: "unit", include: ["tests/unit/**/*.test.ts"], environment: "happy-dom" } },
      { test: { name: "program", include: ["tests/program/**/*.test.ts"], environment: "node", testTimeout: 120_000 } },
      {
        test: {
          name: "browser",
          include: ["tests/browser/**/*.test.ts"],
          environment: "node",
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
