//! The table of the engines' flags: canonical names, other spellings, which take no value, which
//! setting they are. Everything known of a single flag stands here.
//!
//! Sources: `vllm serve --help` (0.22), docs.vllm.ai "Engine arguments" and "Speculative decoding";
//! docs.sglang.io "Server arguments"; llama.cpp `tools/server/README.md`; `trtllm-serve --help`;
//! `docker run --help`.

use super::settings::SettingKind::{self, *};

/// One flag of one or more engines.
pub(super) struct Row {
    /// The engines that have it.
    engines: &'static [&'static str],
    /// Its canonical name, then its other spellings.
    names: &'static [&'static str],
    /// Whether it takes no value.
    switch: bool,
    /// The setting that it is.
    pub(super) setting: Option<SettingKind>,
}

impl Row {
    /// Its canonical name.
    pub(super) fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }
}

const V: &[&str] = &["vllm"];
const S: &[&str] = &["sglang"];
const L: &[&str] = &["llama.cpp"];
const T: &[&str] = &["tensorrt-llm"];
const VS: &[&str] = &["vllm", "sglang"];
const ALL: &[&str] = &["vllm", "sglang", "llama.cpp", "tensorrt-llm"];

macro_rules! rows {
    ($($engines:ident $kind:ident $($setting:ident)?: $($name:literal)+;)*) => {
        const ROWS: &[Row] = &[$(Row {
            engines: $engines,
            names: &[$($name),+],
            switch: rows!(@$kind),
            setting: rows!(@setting $($setting)?),
        },)*];
    };
    (@switch) => { true };
    (@value) => { false };
    (@setting) => { None };
    (@setting $setting:ident) => { Some($setting) };
}

rows! {
    // Parallelism.
    V value TensorParallel: "--tensor-parallel-size" "-tp" "--tensor-parallel";
    S value TensorParallel: "--tensor-parallel-size" "--tp-size" "--tp";
    T value TensorParallel: "--tensor-parallel-size" "--tp-size" "--tp";
    V value PipelineParallel: "--pipeline-parallel-size" "-pp" "--pipeline-parallel";
    S value PipelineParallel: "--pipeline-parallel-size" "--pp-size" "--pp";
    T value PipelineParallel: "--pipeline-parallel-size" "--pp-size" "--pp";
    V value DataParallel: "--data-parallel-size" "-dp" "--data-parallel";
    S value DataParallel: "--data-parallel-size" "--dp-size" "--dp";
    V switch ExpertParallel: "--enable-expert-parallel" "-ep";
    S value ExpertParallel: "--expert-parallel-size" "--ep-size" "--ep";
    T value ExpertParallel: "--expert-parallel-size" "--ep-size" "--ep";
    S switch ExpertParallel: "--enable-ep-moe" "--enable-deepep-moe";
    V value: "--data-parallel-rank" "-dpn";
    V value: "--data-parallel-start-rank" "-dpr";
    V value: "--data-parallel-size-local" "-dpl";
    V value: "--data-parallel-address" "-dpa";
    V value: "--data-parallel-rpc-port" "-dpp";
    V value: "--data-parallel-backend" "-dpb";
    V switch: "--data-parallel-hybrid-lb" "-dph";
    V switch: "--data-parallel-external-lb" "-dpe";
    V switch: "--data-parallel-multi-port-external-lb" "-dpm";
    V value: "--decode-context-parallel-size" "-dcp";
    V value: "--prefill-context-parallel-size" "-pcp";
    V value: "--nnodes" "-n";
    V value: "--node-rank" "-r";
    V value: "--api-server-count" "-asc";
    S value: "--dist-init-addr" "--nccl-init-addr";

    // Sizes and memory.
    V value MaxModelLen: "--max-model-len";
    S value MaxModelLen: "--context-length";
    L value MaxModelLen: "--ctx-size" "-c";
    T value MaxModelLen: "--max-seq-len";
    V value MaxSequences: "--max-num-seqs";
    S value MaxSequences: "--max-running-requests";
    L value MaxSequences: "--parallel" "-np" "--n-parallel";
    T value MaxSequences: "--max-batch-size";
    VS value KvCacheType: "--kv-cache-dtype";
    T value KvCacheType: "--kv-cache-dtype";
    L value KvCacheType: "--cache-type-k" "-ctk";
    L value KvCacheType: "--cache-type-v" "-ctv";
    V switch PrefixCaching: "--enable-prefix-caching";
    S switch PrefixCaching: "--disable-radix-cache";
    L switch PrefixCaching: "--cache-prompt";
    VS value Quantization: "--quantization" "-q";

    // Speculative decoding.
    V value: "--speculative-config" "-sc";
    V value SpeculativeMethod: "--spec-method";
    V value SpeculativeTokens: "--spec-tokens" "--num-speculative-tokens";
    V value DraftModel: "--spec-model" "--speculative-model";
    S value SpeculativeMethod: "--speculative-algorithm" "--speculative-algo";
    S value SpeculativeTokens: "--speculative-num-draft-tokens";
    S value DraftModel: "--speculative-draft-model-path" "--speculative-draft-model";
    L value SpeculativeMethod: "--spec-type";
    L value SpeculativeTokens: "--spec-draft-n-max" "--draft-max" "--draft-n" "--draft";
    L value DraftModel: "--spec-draft-model" "--model-draft" "-md";
    L value DraftModel: "--spec-draft-hf" "--hf-repo-draft" "-hfd" "-hfrd";
    L value: "--spec-draft-n-min" "--draft-min" "--draft-n-min";
    L value: "--spec-draft-p-min" "--draft-p-min";
    L value: "--spec-draft-p-split" "--draft-p-split";
    L value: "--spec-draft-ngl" "--gpu-layers-draft" "--n-gpu-layers-draft" "-ngld";
    L value: "--spec-draft-device" "--device-draft" "-devd";
    L value: "--spec-draft-threads" "--threads-draft" "-td";
    L value: "--spec-draft-type-k" "--cache-type-k-draft" "-ctkd";
    L value: "--spec-draft-type-v" "--cache-type-v-draft" "-ctvd";

    // The model and its names.
    V value: "--model" "--model-tag";
    S value: "--model-path" "--model";
    T value: "--model";
    L value: "--model" "-m";
    L value: "--hf-repo" "-hf" "-hfr";
    L value: "--hf-file" "-hff";
    L value: "--model-url" "-mu";
    L value: "--docker-repo" "-dr";
    VS value: "--served-model-name";
    T value: "--served-model-name";
    L value: "--alias" "-a";
    VS switch: "--trust-remote-code";
    T switch: "--trust-remote-code";
    L value: "--hf-token" "-hft";

    // Other short names and other spellings.
    V value: "--compilation-config" "-cc";
    V value: "--attention-config" "-ac";
    V value: "--optimization-level" "-O";
    V switch: "--enforce-eager";
    V switch: "--async-scheduling";
    V switch: "--headless";
    V switch: "--grpc";
    V switch: "--language-model-only";
    V switch: "--mm-encoder-only";
    V switch: "--fully-sharded-loras";
    V switch: "--calculate-kv-scales";
    V switch: "--kv-sharing-fast-prefill";
    V switch: "--kv-cache-metrics";
    V switch: "--cudagraph-metrics";
    V switch: "--numa-bind";
    V switch: "--allow-credentials";
    V switch: "--use-tqdm-on-load";
    V switch: "--skip-mm-profiling";
    V switch: "--interleave-mm-strings";
    V switch: "--aggregate-engine-logging";
    V switch: "--scheduler-reserve-full-isl";
    V switch: "--return-tokens-as-token-ids";
    V switch: "--tokens-only";
    V switch: "--log-error-stack";
    V value: "--disable-access-log-for-endpoints";
    V switch: "--ray-workers-use-nsight";
    VS switch: "--skip-tokenizer-init";
    S switch: "--log-requests";
    S switch: "--is-embedding";
    S switch: "--show-time-cost";
    S switch: "--sleep-on-idle";
    S switch: "--skip-server-warmup";
    S switch: "--decode-log-interval-only";
    S switch: "--allow-auto-truncate";
    S switch: "--delete-ckpt-after-loading";
    S switch: "--torch-compile";
    S value: "--mem-fraction-static" "--mem-frac";
    L value: "--threads" "-t";
    L value: "--threads-batch" "-tb";
    L value: "--gpu-layers" "--n-gpu-layers" "-ngl";
    L value: "--split-mode" "-sm";
    L value: "--tensor-split" "-ts";
    L value: "--main-gpu" "-mg";
    L value: "--batch-size" "-b";
    L value: "--ubatch-size" "-ub";
    L value: "--n-predict" "--predict" "-n";
    L value: "--override-tensor" "-ot";
    L value: "--device" "-dev";
    L value: "--n-cpu-moe" "-ncmoe";
    L switch: "--cpu-moe" "-cmoe";
    L value: "--flash-attn" "-fa";
    L switch: "--cont-batching" "-cb";
    L switch: "--kv-offload" "-kvo";
    L switch: "--kv-unified" "-kvu";
    L switch: "--no-kv-offload" "-nkvo";
    L switch: "--no-cont-batching" "-nocb";
    L switch: "--no-repack" "-nr";
    L switch: "--mmap";
    L switch: "--mlock";
    L switch: "--metrics";
    L switch: "--props";
    L switch: "--slots";
    L switch: "--jinja";
    L switch: "--verbose" "-v" "--log-verbose";
    L switch: "--swa-full";
    L switch: "--offline";
    L switch: "--warmup";
    L switch: "--context-shift";
    L switch: "--op-offload";
    L switch: "--perf";
    L switch: "--embedding" "--embeddings";
    L switch: "--rerank" "--reranking";
    L switch: "--webui" "--ui";
    L switch: "--special" "-sp";
    L switch: "--check-tensors";
    L switch: "--ignore-eos";
    L switch: "--log-disable";
    L switch: "--log-prefix";
    L switch: "--log-timestamps";
    L switch: "--spec-default";
    L switch: "--spm-infill";
    L switch: "--reuse-port";
    L switch: "--escape" "-e";
    L switch: "--mmproj-offload";
    L switch: "--prefill-assistant";
    L switch: "--models-autoload";
    L switch: "--lora-init-without-apply";
    L switch: "--no-host";
    L value: "--mmproj" "-mm";
    L value: "--cache-ram" "-cram";
    L value: "--ctx-checkpoints" "-ctxcp" "--swa-checkpoints";
    L value: "--temperature" "--temp";
    L value: "--seed" "-s";
    ALL value: "--host";
    ALL value: "--port";
    ALL value: "--api-key";
}

/// The row of a flag, by its name without value, in any of its spellings.
pub(super) fn row(engine: &str, name: &str) -> Option<&'static Row> {
    ROWS.iter()
        .find(|row| row.engines.contains(&engine) && row.names.contains(&name))
}

/// Whether a flag of an engine takes no value, when the next word could be one. Words that begin
/// like this are switches in all engines, unless the table says otherwise.
pub(super) fn is_switch(engine: &str, name: &str) -> bool {
    if let Some(row) = row(engine, name) {
        return row.switch;
    }
    if name.starts_with("--no-") {
        return row(engine, &name.replacen("--no-", "--", 1)).is_none_or(|row| row.switch);
    }
    ["--enable-", "--disable-"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Options of `docker run` (podman, nerdctl) that take no value.
pub(super) const CONTAINER_SWITCHES: &[&str] = &[
    "--detach",
    "--init",
    "--interactive",
    "--no-healthcheck",
    "--oom-kill-disable",
    "--privileged",
    "--publish-all",
    "--quiet",
    "--read-only",
    "--rm",
    "--sig-proxy",
    "--tty",
    "--help",
    "--replace",
    "--nv",
    "--rocm",
    "--cleanenv",
    "--contain",
    "--containall",
    "--writable-tmpfs",
    "--fakeroot",
    "--writable",
    "--no-home",
    "--compat",
    "--env-host",
    "--rmi",
    "--tls-verify",
    "--http-proxy",
];

/// Short options of `docker run` and their long names.
pub(super) const CONTAINER_SHORT: &[(&str, &str)] = &[
    ("-e", "--env"),
    ("-v", "--volume"),
    ("-p", "--publish"),
    ("-w", "--workdir"),
    ("-u", "--user"),
    ("-h", "--hostname"),
    ("-m", "--memory"),
    ("-c", "--cpu-shares"),
    ("-l", "--label"),
    ("-a", "--attach"),
    ("-B", "--bind"),
    ("-d", "--detach"),
    ("-i", "--interactive"),
    ("-t", "--tty"),
    ("-P", "--publish-all"),
    ("-q", "--quiet"),
    ("--net", "--network"),
];

/// Flags that may be given more than once and then all count.
pub(super) const REPEATABLE: &[&str] = &[
    "--lora",
    "--lora-scaled",
    "--override-tensor",
    "--override-kv",
    "--middleware",
    "--control-vector",
    "--control-vector-scaled",
    "--lora-modules",
];
