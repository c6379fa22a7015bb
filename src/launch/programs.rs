//! Programs that serve models, and programs that start them.

/// Programs that start another program which they are given.
pub(super) const WRAPPERS: &[&str] = &[
    "sudo",
    "doas",
    "nohup",
    "exec",
    "env",
    "command",
    "numactl",
    "taskset",
    "nice",
    "ionice",
    "time",
    "timeout",
    "stdbuf",
    "setsid",
    "chrt",
    "unbuffer",
    "uv",
    "uvx",
    "pipx",
    "poetry",
    "pipenv",
    "pdm",
    "hatch",
    "conda",
    "mamba",
    "micromamba",
    "pixi",
    "srun",
    "mpirun",
    "mpiexec",
    "nsys",
    "ncu",
    "rocprof",
    "rocprofv3",
    "strace",
    "systemd-run",
    "systemd-inhibit",
    "caffeinate",
    "screen",
    "tmux",
    "ssh",
    "nix",
    "nix-shell",
    "distrobox",
    "toolbox",
    "firejail",
    "accelerate",
    "torchrun",
    "prlimit",
    "cgexec",
    "catchsegv",
    "script",
    "trtllm-llmapi-launch",
    "flatpak",
];

/// Programs that start a container.
pub(super) const CONTAINERS: &[&str] = &[
    "docker",
    "podman",
    "nerdctl",
    "singularity",
    "apptainer",
    "enroot",
];

/// Shells.
pub(super) const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ash", "ksh"];

/// Modules of Python that are servers.
pub(super) const MODULES: &[(&str, &str)] = &[
    ("vllm.entrypoints.openai.api_server", "vllm"),
    ("vllm.entrypoints.api_server", "vllm"),
    ("vllm.entrypoints.openai.rpc.server", "vllm"),
    ("sglang.launch_server", "sglang"),
    ("sglang_router.launch_server", "sglang"),
    ("sglang.srt.server", "sglang"),
    ("llama_cpp.server", "llama-cpp-python"),
    ("mlx_lm.server", "mlx-lm"),
    ("mlx_lm", "mlx-lm"),
    ("mlx_vlm.server", "mlx-vlm"),
    ("tensorrt_llm.commands.serve", "tensorrt-llm"),
    ("ktransformers.server.main", "ktransformers"),
];

/// Programs that are servers, by the name of their file; the second is a word that must follow.
pub(super) const PROGRAMS: &[(&str, &[&str], &str)] = &[
    ("vllm", &["serve"], "vllm"),
    ("sglang", &["serve"], "sglang"),
    ("llama-server", &[], "llama.cpp"),
    ("llamafile", &[], "llama.cpp"),
    ("trtllm-serve", &["serve"], "tensorrt-llm"),
    ("text-generation-launcher", &[], "tgi"),
    ("lmdeploy", &["serve"], "lmdeploy"),
    ("ollama", &["serve"], "ollama"),
    ("mlx_lm.server", &[], "mlx-lm"),
    ("aphrodite", &["run", "serve"], "aphrodite"),
    ("koboldcpp", &[], "koboldcpp"),
    ("mlc_llm", &["serve"], "mlc-llm"),
];

/// Parts of the names of images whose entry point is the server.
pub(super) const IMAGES: &[(&str, &str)] = &[
    ("vllm", "vllm"),
    ("sglang", "sglang"),
    ("llama.cpp", "llama.cpp"),
    ("llama-cpp", "llama.cpp"),
    ("text-generation-inference", "tgi"),
    ("tensorrt-llm", "tensorrt-llm"),
    ("tensorrt_llm", "tensorrt-llm"),
    ("lmdeploy", "lmdeploy"),
    ("ollama", "ollama"),
];
