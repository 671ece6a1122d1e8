// Runs the program: fits models to a made-up log, and reads what it prints.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Facts } from "../../src/facts";
import type { RawValue } from "../../src/model/encoder";
import { Random } from "../fixtures/random";

export const OTSS = process.env.OTSS;
export const CONTEXT = ["age", "income", "town", "member"];
export const FACTORS = ["price", "speed", "comfort"];
const TOWNS = Array.from({ length: 12 }, (_, i) => `town ${i + 1}`);

/** A table as CSV. No cell has a comma or a quote. */
function csv(columns: string[], rows: RawValue[][]): string {
  return [columns, ...rows].map((row) => row.map((cell) => cell ?? "").join(",")).join("\n") + "\n";
}

export function rowsOf(text: string): Record<string, string>[] {
  const [head = [], ...rows] = text
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ""])));
}

/** A random context; an odd one may have a level that training did not have, or a missing value where training had none. */
export function context(random: Random, odd: boolean): RawValue[] {
  const age = odd && random.uniform() < 0.1 ? null : Number((45 + 12 * random.normal()).toFixed(3));
  const income = random.uniform() < 0.2 ? null : Number((50 + 10 * random.normal()).toFixed(3));
  const town = odd && random.uniform() < 0.2 ? "elsewhere" : random.uniform() < 0.1 ? null : (TOWNS[random.below(TOWNS.length)] as string);
  const member = odd && random.uniform() < 0.1 ? null : random.uniform() < 0.4 ? 1 : 0;
  return [age, income, town, member];
}

function logRow(random: Random): RawValue[] {
  const own = context(random, false);
  const z = FACTORS.map(() => Number((1.5 + random.normal()).toFixed(4)));
  const eta = (Number(own[0]) > 45 ? 1 : -1) * (z[0] as number) + 0.6 * (z[1] as number) - 0.4 * (z[2] as number);
  return [...own, ...z, random.uniform() < 1 / (1 + Math.exp(-eta)) ? 1 : 0];
}

/** A folder with a log, a library and contexts, in which the program runs. */
export class Program {
  private readonly folder = mkdtempSync(join(tmpdir(), "otss-program-"));
  readonly contexts: RawValue[][];

  constructor(numContexts: number) {
    const random = new Random(11);
    this.contexts = Array.from({ length: numContexts }, () => context(random, true));
    this.write(
      "log.csv",
      csv(
        [...CONTEXT, ...FACTORS, "y"],
        Array.from({ length: 600 }, () => logRow(random)),
      ),
    );
    this.write("contexts.csv", csv(CONTEXT, this.contexts));
    this.write(
      "library.csv",
      csv(
        ["id", ...FACTORS],
        Array.from({ length: 40 }, (_, d) => [`d${d}`, ...FACTORS.map(() => Number(random.normal().toFixed(4)))]),
      ),
    );
  }

  private write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  async run(...options: (string | number)[]): Promise<string> {
    const { stdout } = await promisify(execFile)(OTSS as string, options.map(String), { cwd: this.folder, maxBuffer: 1e8 });
    return stdout;
  }

  /** Fits a model and returns the facts of its report. */
  async fit(options: string[]): Promise<Facts> {
    await this.run(
      "fit",
      "log.csv",
      "--context",
      CONTEXT.join(),
      "--factors",
      FACTORS.join(),
      "--outcome",
      "y",
      ...options,
      "-o",
      "model.json",
    );
    await this.run(
      "report",
      "model.json",
      "log.csv",
      "--library",
      "library.csv",
      "--id",
      "id",
      "--facts",
      "facts.json",
      "-o",
      "report.html",
    );
    return JSON.parse(this.read("facts.json")) as Facts;
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  stop(): void {
    rmSync(this.folder, { recursive: true });
  }
}

export const KINDS: Record<string, string[]> = {
  map: ["--estimator", "map", "--experts", "3"],
  bayes: ["--estimator", "bayes", "--experts", "2"],
  mean: ["--estimator", "bayes", "--experts", "2", "--deploy", "mean"],
  quadratic: ["--experts", "2", "--gate", "quadratic", "--estimator", "map"],
  "mlp gate": ["--experts", "2", "--gate", "mlp"],
  terms: ["--estimator", "map", "--experts", "2", "--terms", "squares"],
  ...Object.fromEntries(["pooled", "linear", "low-rank", "mlp", "cluster", "em", "hard"].map((method) => [method, ["--method", method]])),
};
