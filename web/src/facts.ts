// The facts that the page shows: what `otss report --facts FILE` writes, and what the program embeds in the page.
// docs/reference/facts.md explains every field; src/report/facts.hpp has the same types in C++.
//
// Conventions. A number that is not known is null. An Estimate without an interval has lo = hi = null. Shares are from
// 0 to 1. Positions (`column`, `factor`, `level`) count from 0; experts count from 1, as the program prints them.
// Weights are in the units of the log's own columns.

export interface Facts {
  format: "otss-facts";
  version: 1;
  about: About;
  factors: Factor[]; // J factors, in the order of the weights
  columns: ContextColumn[]; // the context columns, in the order of the encoder
  answer: Answer; // section 1
  segments: Segments; // section 2
  membership: Membership | null; // section 3; null: the model has fewer than two experts
  movements: Movements | null; // section 4; null: the weights do not depend on the context
  what_if: WhatIf | null; // section 5; null: the model is too large for the page
  decisions: Decisions | null; // section 6; null: no log, or nothing to choose from
  trust: Trust; // section 7
  origin: Origin; // section 8
}

export interface Estimate {
  value: number | null;
  lo: number | null;
  hi: number | null;
}

export type Family = "bernoulli" | "gaussian" | "poisson";
export type Method = "otss" | "pooled" | "linear" | "low-rank" | "mlp" | "cluster" | "em" | "hard";
export type GateKind = "linear" | "quadratic" | "mlp" | "average" | "one-hot" | "fixed";
/** Where numbers come from: the LOG of the report, or what the model file keeps of the log it was fitted on. */
export type Source = "log" | "training";

export interface About {
  model: string; // name of the model file
  log: string | null; // name of LOG; null: the report was made from the model file alone
  log_rows: number | null;
  sample_rows: number | null; // rows of the random sample of LOG, on which what needs single rows is computed
  feasible: Feasible | null; // what is chosen from, if given
  level: number; // the confidence of all intervals, where no other is stated: 0.9
  method: Method;
  estimator: string; // map, bayes, paper, paper-wide
  family: Family;
  gate: GateKind | null; // null: the model has no experts
  experts: number; // K; 0: the model has no experts
  mixes_probabilities: boolean;
  same_shares: boolean; // true: the shares of the experts are the same in every context
  outcome: string; // name of the outcome column
  positive: string | null; // the value of the outcome that counts as 1, if it was written as text
  unit: string | null; // the column with the units (customers), if the model knows their deviations
  has_intervals: boolean; // whether the weights have intervals
  no_intervals_because: string; // a sentence; empty: they have intervals, or the reason is not known
  software: string; // what made this report, such as "otss 0.1.0"
}

export interface Feasible {
  kind: "library" | "candidates";
  name: string; // name of the file
  decisions: number; // rows
  contexts: number; // contexts of the candidates; 1 for a library
}

export interface Factor {
  name: string;
  sd: number; // comparable units: weight × sd is the effect of one typical difference of this factor
  sd_over: "library" | "candidates" | "log"; // what the sd is over
  center: number; // mean in the training log
  log_sd: number; // standard deviation in the training log
  term: { kind: "square" | "product" | "log" | "log of 1 plus"; of: string[] } | null;
  importance: number; // the mean over contexts of |weight| × sd; factors are listed by this
}

export interface ContextColumn {
  name: string;
  kind: "number" | "text";
  type: "unknown" | "number" | "whole number" | "boolean" | "time" | "text"; // time: seconds since 1970
  // How a value is encoded (see docs/reference/facts.md).
  center: number;
  scale: number; // 0: the numbers of this column are not encoded
  levels: string[];
  frequencies: number[]; // one per level
  missing: boolean; // whether training had missing values: then there is an indicator
  missing_frequency: number;
  // What the values are like.
  source: Source;
  range: [number, number] | null;
  quantiles: number[] | null; // of the numbers at the probabilities 0, .05, .1, .25, .5, .75, .9, .95, 1
}

// ---- 1. The answer

export interface Answer {
  heterogeneity: Heterogeneity | null; // null: the fit did not compare
  experts_in_use: number; // experts with a share of at least 0.5 %
  effective_experts: number | null; // exp(entropy of the mean shares)
  policy: PolicyValue | null; // what the model's decisions are worth; null: the log cannot tell
  certified: { level: number; share: number } | null; // share of decisions that are certainly the best
}

export interface Heterogeneity {
  supported: boolean; // different trade-offs for different contexts are supported
  gain: Estimate; // held-out log-loss of one trade-off for everybody minus that of the model; interval of 95 %
  of_contexts: Estimate | null; // only with mixes_probabilities: the part that the contexts explain
  level: number; // 0.95
  log_loss: number | null; // held out, of the model
  pooled_log_loss: number | null;
}

export interface PolicyValue {
  value: Estimate; // doubly robust: the mean outcome of the model's decisions
  logging: Estimate; // the mean outcome of the logged decisions
  gain: Estimate; // value − logging
  ips: Estimate;
  snips: Estimate;
  direct: Estimate;
  level: number;
  rows: number;
  effective_sample_size: number;
  agreement: number; // share of rows in which the model chooses the logged decision
  in_sample: boolean; // the model was fitted on these rows
  warnings: string[];
}

// ---- 2. What each segment wants

export interface Segments {
  source: Source;
  average: Estimate[]; // J: mean weight over all contexts
  list: Segment[]; // by share, the largest first, at most 12; empty: the model has no experts
  left_out: number; // experts that are not listed: those with a share below 0.5 %, and all but the largest 12
}

export interface Segment {
  expert: number; // from 1
  share: number | null; // mean share of the expert over all contexts; null: the model file does not say
  members: number | null; // share of the contexts in which this expert has the largest share
  weights: Estimate[]; // J: mean weight of the members; empty: no members
  expert_weights: number[]; // J: the expert's own weights, which may be more extreme than those of any context
}

// ---- 3. Who they are

export interface Membership {
  source: Source;
  sample_rows: number; // contexts over which the changes are averaged
  band_rows: number; // contexts from which their intervals are computed
  segments: SegmentMembership[]; // in the order of Segments.list
  distributions: Distribution[]; // of the leading columns, the most telling first; empty without a log
}

export interface SegmentMembership {
  expert: number;
  effects: Effect[]; // the strongest first, at most 40
  contrasts: Contrast[]; // how the members differ from everybody, the largest difference first, at most 20
}

/** The average change of the expert's share if one column changes and the others stay as they are. */
export interface Effect {
  column: number;
  level: number | null; // text: the column becomes this level, against what it is. number: null, per standard deviation
  missing: boolean; // the value becomes missing, against what it is
  per: number | null; // number column: the standard deviation, in the log's units
  change: Estimate; // 0.05 is 5 percentage points
}

export interface Contrast {
  column: number;
  level: number | null;
  missing: boolean;
  members: number; // mean of the number, or share with this level
  everybody: number;
  difference: number; // in standard deviations
}

/** A histogram of one column: shares of contexts, of everybody and of the members of each segment. */
export interface Distribution {
  column: number;
  edges: number[] | null; // number column: n + 1 edges of n bins; the outer bins include what lies outside
  levels: number[] | null; // text column: the levels of the bins
  other: boolean; // text column: one more bin, with all other levels
  everybody: number[]; // n shares, which sum to 1 together with `everybody_missing`
  everybody_missing: number;
  members: number[][]; // a row per segment, in the order of Segments.list
  members_missing: number[];
}

// ---- 4. How weights move

export interface Movements {
  source: Source; // training: the other columns are at typical values
  sample_rows: number; // contexts over which the weights are averaged
  band_rows: number; // contexts over which the bands are averaged
  columns: MovementColumn[]; // the column with the strongest effect first
  strongest: { factor: number; column: number; strength: number }[]; // pairs, the strongest first, at most 24
  left_out: number[]; // columns without a curve: the file would become too large
}

export interface MovementColumn {
  column: number;
  at: number[] | null; // number column: values, increasing
  levels: number[] | null; // text column: levels, the most frequent first
  weights: number[][]; // J rows: mean weight at each value, the other columns as they are
  lo: number[][] | null; // its band, of confidence About.level; null: no intervals
  hi: number[][] | null;
  shares: number[][]; // a row per segment, in the order of Segments.list: mean share at each value
  strength: number[]; // J: standard deviation of the mean weight over the column's values, × Factor.sd
}

// ---- 5. What if

export interface WhatIf {
  typical: (number | string | null)[]; // a typical context: a raw value per column; null is missing
  texts: { trims: boolean; ignores_case: boolean }; // how texts are read before a level is looked up
  level_pairs: LevelPairs[];
  num_encoded: number; // p
  map: MixtureMap | LinearMap | NetworkMap;
  baseline: Baseline;
  uncertainty: NormalUncertainty | DrawnUncertainty | null;
  discrepancy: Discrepancy | null; // null: the gate fits, or it was not tested
  pair_lead: number; // the lead over each of several rivals, in standard deviations, that shows at About.level which decision is the best
  determined: boolean; // false: the log does not determine the weights of single contexts, so nothing is certified
  library: Library | null; // null: no library was given
}

export interface LevelPairs {
  columns: [number, number];
  pairs: [number, number][]; // levels of the first and of the second column
  frequencies: number[];
}

export interface MixtureMap {
  kind: "mixture";
  gate: Gate;
  experts: number[][]; // K × J
}
export interface LinearMap {
  kind: "linear weights";
  slopes: number[][]; // J × p; an empty list if p is 0
  intercepts: number[]; // J
}
export interface NetworkMap extends Network {
  kind: "network weights"; // J outputs
}

export type Gate = LinearGate | NetworkGate | AverageGate | CenterGate;
export interface LinearGate {
  kind: "linear" | "quadratic" | "one-hot";
  slopes: number[][]; // K × p; quadratic: K × (p + p (p + 1) / 2); an empty list if there are no columns
  intercepts: number[]; // K
}
export interface NetworkGate extends Network {
  kind: "mlp"; // K outputs
  experts: number; // K
}
export interface AverageGate {
  kind: "average";
  weights: number[]; // M
  gates: { slopes: number[][]; intercepts: number[] }[]; // M linear gates
}
export interface CenterGate {
  kind: "fixed";
  centers: number[][]; // K × p
}
export interface Network {
  hidden_slopes: number[][]; // H × p
  hidden_intercepts: number[]; // H
  output_slopes: number[][]; // outputs × H
  output_intercepts: number[];
}

export interface Baseline {
  intercept: number;
  slopes: number[]; // p, or with a quadratic gate its number of columns
  expert_intercepts: number[]; // K
  centers: number[]; // J: factors are counted from these
  centered_by: string | null; // factors are first counted from the mean of a context's candidates
}

/** Rows × columns numbers: center[r] + scale[r] · q, where q are 16-bit integers (base64, little-endian, row after row). */
export interface Packed {
  rows: number;
  columns: number;
  center: number[] | null; // null: 0
  scale: number[];
  int16: string;
}

/** What a gate that does not fit adds to the errors: each draw of the errors gets sd times its own standard normal number. */
export interface Discrepancy {
  sd: number[]; // J, with signs
  normals: number[]; // one per draw
}

export interface NormalUncertainty {
  kind: "normal";
  quadratic: boolean;
  factor: Packed; // P × rank; F F' is the covariance of the parameters
  normals: Packed; // half of the draws × J; the other half has the opposite signs
  quantile: number; // of the standard normal distribution, for intervals of confidence About.level
}

export interface DrawnUncertainty {
  kind: "draws";
  quadratic: boolean;
  spread: number;
  groups: { posterior: number; experts: number; parameters: Packed }[]; // P × draws
  thinned_from: number | null; // the number of draws of the model, if fewer are given here
}

export interface Library {
  ids: string[];
  factors: number[][]; // a row of J factors per decision (terms included), in the log's units
  total: number; // decisions of the library; more than ids.length if some were left out
}

// ---- 6. Decisions

export interface Decisions {
  rows: number; // contexts of the log
  rows_certified: number; // contexts that were certified: a sample of a large log
  level: number;
  per_context: boolean; // candidates: an id may mean another decision in another context
  logged_known: boolean; // whether the logged decision of each row is known
  list: DecisionShare[]; // the most chosen first, at most 200
  others: DecisionShare | null; // all other decisions together; its id is empty
  distinct: number; // decisions (ids) in the library or among the candidates
  chosen_distinct: number; // how many are the best decision of some context
  never_chosen: { count: number; ids: string[] }; // decisions that are best in no context of the log; at most 50 ids
  agreement: number | null; // share of rows whose best decision is the logged one
  curve: { level: number; share: number }[]; // share of decisions certified as the best, by confidence; empty: no intervals
  expected_regret: number | null; // mean over contexts, in units of the score
  regret_bound: number | null; // mean bound at `level`
  margin: { quantiles: number[] } | null; // of the margin of the best decision, at 0, .05, .1, .25, .5, .75, .9, .95, 1
}

export interface DecisionShare {
  id: string;
  chosen: number; // share of contexts in which the model chooses it
  logged: number | null; // share of rows in which it was logged
}

// ---- 7. Can I trust it?

export interface Trust {
  held_out: Quality | null; // of the fit, on rows held out
  on_log: Quality | null; // on LOG, with intervals
  in_sample: boolean; // LOG is the table that the model was fitted on
  calibration: Calibration | null;
  tried: Tried[]; // settings that were tried, by held-out loss
  chosen: string; // a sentence: which setting was chosen, and why
  split: string; // a sentence: how rows were held out
  chosen_on_rows: number | null; // a sample, if the settings were not tried on all rows
  comparison: Comparison | null; // --compare
  gate: GateUse | null;
  starts: { tried: number; agreeing: number } | null;
  seed_changes: number | null; // share of contexts whose best decision depends on how rows were divided
  chains: Chains[];
  findings: Finding[] | null; // of `check`; null: the model file does not have them
  unseen: Unseen | null; // values of LOG that training did not have
  warnings: string[]; // whole sentences
  units: Units | null;
}

export interface Quality {
  rows: number | null;
  log_loss: Estimate;
  squared_error: Estimate; // the Brier score of 0/1 outcomes
  auc: Estimate;
  explained: Estimate; // R² of gaussian outcomes; share of the deviance
  calibration_slope: Estimate;
}

export interface Calibration {
  rows: number;
  held_out: boolean; // true: rows held out of the fit; false: rows of LOG
  bins: { predicted: number; observed: Estimate; rows: number }[]; // mean predicted and mean observed outcome
}

export interface Tried {
  words: string; // such as "3 experts" or "linear weights"
  log_loss: number;
  weight: number | null; // in the average of the settings
  chosen: boolean; // has a weight above 0, or is the one that was chosen
}

export interface Comparison {
  rows: number | null; // test rows
  repeats: number;
  verdict: string;
  reference: Method; // the method that differences are counted from
  methods: { method: string; log_loss: number; difference: Estimate; seconds: number | null }[]; // method − reference
  level: number; // 0.95
}

export interface GateUse {
  source: Source;
  top_share: number[] | null; // 20 bins from 0 to 1: contexts by the largest share of an expert
  entropy: number;
  effective_experts: number; // mean over contexts
  effective_experts_overall: number;
  usage: number[]; // K
}

export interface Chains {
  experts: number;
  gate_columns: "all" | "few";
  chains: number;
  draws: number;
  acceptance: number;
  r_hat: number; // of the weights
  effective_sample: number;
  warning: string;
}

export interface Finding {
  severity: "not identified" | "refused" | "warning" | "note";
  kind: string;
  what: string;
  columns: string[];
}

export interface Unseen {
  unknown_levels: number;
  unexpected_missing: number;
  far_values: { column: number; count: number }[];
}

/** How much units (customers) with the same context differ. */
export interface Units {
  column: string;
  units: number;
  supported: boolean;
  form: "none" | "intercept" | "diagonal" | "low-rank" | "full";
  gain: Estimate; // log-loss on rows held out within units; interval of 95 %
  variation: { decision: number; context: number; unit: number; rest: number } | null;
  weight_sd: number[] | null; // J: standard deviation of units' weights around w(x)
  known_rows: number | null; // rows of LOG whose unit has a history, with --history or --units
}

// ---- 8. Where it comes from

export interface Origin {
  rows: number | null; // of the training log
  fingerprint: string;
  software: string; // what fitted the model
  checksum: string; // of the model file
  seed: number | null;
  options: { name: string; value: string }[];
  roles: { role: string; columns: string[] }[]; // context, factors, outcome, weight, group, unit, time
  encoded: number; // encoded context columns
  commands: { purpose: string; command: string }[]; // that make the model and this report again
}
