// What the page asks a server, and what it answers: the one description of these requests. Names are those of the command
// line's flags without dashes, so that a body and a command can be turned into each other; what is absent has the
// command's default. Paths are below `/api/v1/`; errors are a 4xx or 5xx status with `{error, hint}`.

import type { Document, Value } from "../../source/document";

/** A number as the command line reads it: 4096 or "4k". */
export type Extent = number | string;

/** Flags that every `eaves predict` has. */
interface PredictCommon {
  /** A device of the catalogue, which every prediction needs. */
  device?: string;
  /** One, several with commas, or `all`. */
  precision?: string;
  weights?: string;
  activations?: string;
  cache?: string;
  output_precision?: string;
  compute?: string;
  sparse?: boolean;
  peak_unit?: "ops" | "macs";
  /** `m=1..4k:x2`. */
  sweep?: string;
}

/** `POST predict`: `eaves predict OP ... --json`, answered by `eaves.predict/1`. */
export type PredictRequest =
  | ({ op: "gemm"; m?: Extent; n?: Extent; k?: Extent; batch?: Extent; bias?: boolean } & PredictCommon)
  | ({ op: "gemv"; n?: Extent; k?: Extent } & PredictCommon)
  | ({
      op: "attention";
      batch?: Extent;
      heads?: Extent;
      kv_heads?: Extent;
      queries?: Extent;
      keys?: Extent;
      head_dim?: Extent;
      value_dim?: Extent;
      causal?: boolean;
      unfused?: boolean;
      backward?: boolean;
    } & PredictCommon)
  | ({ op: "ffn"; tokens?: Extent; hidden?: Extent; intermediate?: Extent; no_gate?: boolean } & PredictCommon)
  | ({
      op: "conv";
      /** `1,64,56,56`: all of these are texts as after their flags. */
      input: string;
      channels: Extent;
      kernel?: string;
      stride?: string;
      padding?: string;
      dilation?: string;
      groups?: Extent;
      transposed?: boolean;
      bias?: boolean;
      backward?: boolean;
    } & PredictCommon)
  | ({
      op: "model";
      /** The argument NAME: a key of `presets`. */
      model: string;
      phase?: "prefill" | "decode" | "both";
      batch?: Extent;
      context?: Extent;
      tensor_parallel?: Extent;
      unfused?: boolean;
      not_causal?: boolean;
      all_logits?: boolean;
      /** A key of `presets.configurations`. */
      config?: string;
    } & Omit<PredictCommon, "precision" | "output_precision">);

/** Flags that every `eaves bench` has. */
interface BenchCommon {
  /** Of weights, with that of activations behind a slash: several with commas, or `all`. */
  precision?: string;
  backend?: "cpu" | "opencl" | "cuda";
  /** `1,2`. */
  threads?: string;
  seconds?: number;
  state?: "hot" | "llc" | "cold";
  device?: string;
}

/** `POST bench`: `eaves bench KERNEL ... --json`, answered by a `Job` before anything has run. */
export type BenchRequest =
  | ({ kernel: "gemm"; m?: Extent; n?: Extent; k?: Extent; batch?: string; implementation?: string } & BenchCommon)
  | ({ kernel: "gemv"; n?: Extent; k?: Extent } & BenchCommon)
  | ({
      kernel: "attention";
      batch?: Extent;
      heads?: Extent;
      kv_heads?: Extent;
      queries?: Extent;
      context?: Extent;
      head_dim?: Extent;
      causal?: boolean;
    } & BenchCommon)
  | ({ kernel: "stream"; bytes?: string; kind?: string } & Omit<BenchCommon, "precision">)
  | ({ kernel: "fma"; types?: string } & Omit<BenchCommon, "precision">)
  | ({ kernel: "preset"; preset: "decode" | "ffn-up" | "prefill" | "sweep" } & BenchCommon);

/** Answer of `POST bench`. */
export interface Job {
  job: string;
}

/**
 * An event of `GET jobs/{job}/events`: a message of kind `progress` with this in `data`, one after every kernel (one shape in
 * one precision) that finished, and a last one with a state that is not `running`. Whoever listens late hears all of them
 * from the first. `DELETE jobs/{job}` stops after the kernel that runs; the last state is `cancelled` then.
 */
export interface JobProgress {
  state: "running" | "done" | "failed" | "cancelled";
  /** Kernels that finished, and how many there will be. */
  done: number;
  total: number;
  /** What runs next, for people: `gemm 1024x1024x1024 int8/int8`. */
  next?: string;
  /** `eaves.bench/1` with the kernel that just finished alone. */
  document?: Document;
  /** Why a kernel could not be run, or why the job failed; a kernel that could not be run does not end the job. */
  error?: string;
}

/** `GET precisions`: every format of `eaves_roofline::Precision::all`. */
export interface Format {
  /** `fp8_e4m3`, `mxfp4`. */
  name: string;
  family: "float" | "integer" | "microscaling" | "nvfp4" | "lookup" | "plain";
  element_bits: number;
  exponent_bits: number;
  mantissa_bits: number;
  /** Largest finite value of an element. */
  largest: number;
  /** Shared scales, inner first; `every` is null if the whole tensor shares it. */
  scales: { bits: number; every: number | null }[];
  /** Bits of an element with its share of the scales, in a tensor of 4096 x 4096. */
  effective_bits: number;
  /** What units compute such numbers in, if there is one obvious answer. */
  arithmetic: string | null;
}

/** `GET presets`. */
export interface Presets {
  models: { key: string; name: string; parameters: number }[];
  /** Usual combinations of precisions: `--config`. */
  configurations: { key: string; weights: string; activations: string; cache: string; compute: string }[];
  /** `eaves bench --preset`. */
  shapes: { key: string; shapes: [m: number, n: number, k: number][] }[];
  /** What `bench` means by `all`, and what can run kernels here. */
  bench_precisions: string[];
  backends: { name: string; available: boolean; reason?: string | null }[];
}

/** `GET config`: what is in `roofline_config.json`; `PUT config` with a `Config` saves it and answers the same. */
export interface ConfigAnswer {
  config: Record<string, Value>;
  /** Where it is, for people. */
  path: string;
  /** What was wrong with the file, and where it was kept, if it was corrupt. */
  problem?: string | null;
}

/** `GET ops`; `PUT ops` with `{script}` saves it and answers the same, or 422 with the errors of `POST ops/check`. */
export interface OpsAnswer {
  script: string;
  path: string;
}

/** `POST ops/check` with `{script}`. */
export interface OpsCheck {
  ok: boolean;
  /** Lines count from 1; null if it is none in particular. */
  errors: { line: number | null; message: string }[];
}
