//! Names of credentials and of addresses: of flags, variables, JSON keys and headers.

/// What a name says of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A credential.
    Secret,
    /// A host or an address.
    Address,
}

/// What comes before `token` in names that are no credentials: tokens of a language model.
const TOKENS_OF_TEXT: &[&str] = &[
    "eos",
    "bos",
    "pad",
    "stop",
    "image",
    "img",
    "video",
    "audio",
    "mask",
    "unk",
    "sep",
    "cls",
    "special",
    "second",
    "per",
    "max",
    "min",
    "num",
    "new",
    "next",
    "first",
    "last",
    "thinking",
    "think",
    "reasoning",
    "start",
    "end",
    "draft",
    "speculative",
    "multi",
    "delimiter",
    "oov",
    "each",
];

/// What comes before `key` in names that are no credentials.
const PLAIN_KEYS: &[&str] = &[
    "cache",
    "primary",
    "foreign",
    "sort",
    "partition",
    "hash",
    "lora",
    "kv",
    "public",
    "pub",
    "shard",
    "group",
    "index",
    "map",
    "routing",
    "dict",
    "state",
    "block",
    "config",
    "metric",
    "cpu",
    "gpu",
    "by",
    "json",
    "hot",
    "short",
    "store",
    "object",
    "lookup",
    "registry",
    "model",
    "unique",
    "composite",
    "sorting",
    "grouping",
    "query",
    "attention",
    "dedup",
    "candidate",
];

/// Words that make a name a credential's wherever they stand in it.
const CREDENTIALS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "secrets",
    "credential",
    "credentials",
    "apikey",
    "apikeys",
    "authkey",
    "authtoken",
    "accesstoken",
    "accesskey",
    "secretkey",
    "privatekey",
    "bearer",
    "hftoken",
    "clientsecret",
    "sessionid",
    "sessionkey",
];

/// Words at the end of a name that is a credential's.
const CREDENTIALS_LAST: &[&str] = &[
    "pass",
    "pwd",
    "pw",
    "pat",
    "auth",
    "authorization",
    "cookie",
    "cookies",
    "dsn",
    "sig",
];

/// Words at the end of a name that tell where a secret is, not what it is.
const PLACES: &[&str] = &[
    "file",
    "path",
    "dir",
    "name",
    "id",
    "url",
    "type",
    "env",
    "var",
    "backend",
    "provider",
    "length",
    "len",
    "size",
    "count",
    "expiry",
    "ttl",
    "algo",
    "algorithm",
    "enabled",
    "required",
    "header",
    "store",
    "manager",
    "version",
    "map",
    "keyfile",
    "certfile",
    "scope",
    "scopes",
];

/// Words at the end of a name of an address.
const ADDRESSES: &[&str] = &[
    "host",
    "hosts",
    "hostname",
    "hostnames",
    "addr",
    "addrs",
    "address",
    "addresses",
    "ip",
    "ips",
    "server",
    "servers",
    "peer",
    "peers",
    "rpc",
    "node",
    "nodes",
    "nodelist",
    "endpoint",
    "url",
    "uri",
    "bind",
    "listen",
];

/// What the name of a flag, variable, key or header says of its value.
pub(super) fn meaning(name: &str) -> Option<Meaning> {
    if name.len() > 100 {
        return None;
    }
    let parts = parts(name);
    let last = parts.last()?.as_str();
    let before = parts
        .len()
        .checked_sub(2)
        .and_then(|at| parts.get(at))
        .map(String::as_str);
    if is_secret(name, &parts, last, before) {
        return Some(Meaning::Secret);
    }
    // The working directory's variables, and `--network host`'s kin, are no addresses.
    ADDRESSES.contains(&last).then_some(Meaning::Address)
}

fn is_secret(name: &str, parts: &[String], last: &str, before: Option<&str>) -> bool {
    if matches!(name, "PWD" | "OLDPWD" | "pwd" | "auth") || PLACES.contains(&last) {
        return false;
    }
    if parts
        .iter()
        .any(|part| CREDENTIALS.contains(&part.as_str()))
    {
        return true;
    }
    match last {
        "token" => {
            let of_text = before.is_some_and(|word| TOKENS_OF_TEXT.contains(&word));
            let measured = |part: &String| matches!(part.as_str(), "per" | "time" | "latency");
            !of_text && !parts.iter().any(measured)
        }
        "key" | "keys" => match before {
            None => last == "key" && name.starts_with("--"),
            Some("api" | "access" | "secret" | "private" | "auth") => true,
            Some(word) => last == "key" && !PLAIN_KEYS.contains(&word),
        },
        "tokens" => matches!(before, Some("api" | "auth" | "access" | "bearer")),
        "string" => matches!(before, Some("connection" | "conn")),
        "signature" => matches!(before, Some("access")),
        "user" => name == "--proxy-user",
        _ => {
            CREDENTIALS_LAST.contains(&last)
                && (parts.len() > 1 || last != "auth" || name.starts_with("--"))
        }
    }
}

/// The words of a name in lower case: `--hf-token`, `HF_TOKEN`, `hfToken` are "hf", "token".
fn parts(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            lower = false;
            if !word.is_empty() {
                out.push(std::mem::take(&mut word));
            }
            continue;
        }
        if c.is_uppercase() && lower && !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        lower = c.is_lowercase();
        word.extend(c.to_lowercase());
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

/// Whether a value that stands where a credential would is none: nothing, a switch, a variable,
/// something that is masked already.
pub(super) fn is_plain(value: &str) -> bool {
    let value = value.trim();
    let masked = |c: char| matches!(c, '*' | 'x' | 'X' | '.' | '…' | '•' | '-' | '_');
    let known = [
        "",
        "none",
        "null",
        "nil",
        "true",
        "false",
        "auto",
        "empty",
        "yes",
        "no",
        "on",
        "off",
        "optional",
        "required",
        "default",
        "disabled",
        "enabled",
        "undefined",
        "~",
        "bearer",
        "basic",
        "digest",
        "token",
        "apikey",
    ];
    value.starts_with('$')
        || value.starts_with('`')
        || value.starts_with("%(")
        || value.chars().all(masked)
        || known.contains(&value.to_ascii_lowercase().as_str())
}

/// Whether a word of prose looks like a secret and not like a word of the language.
pub(super) fn looks_secret(value: &str) -> bool {
    let inner_capital =
        value.chars().skip(1).any(char::is_uppercase) && value.chars().any(char::is_lowercase);
    let symbol =
        |c: char| !c.is_alphanumeric() && !matches!(c, '.' | '-' | ':' | '/' | ')' | '!' | '?');
    value.chars().any(|c| c.is_ascii_digit())
        || inner_capital
        || value.chars().any(symbol)
        || value.chars().count() >= 20
}

/// All words that the rules know.
#[cfg(test)]
pub(super) fn all_words() -> impl Iterator<Item = &'static str> {
    let all = [
        CREDENTIALS,
        CREDENTIALS_LAST,
        ADDRESSES,
        PLACES,
        TOKENS_OF_TEXT,
        PLAIN_KEYS,
    ];
    all.into_iter().flatten().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_credentials_are_known() {
        for name in [
            "--api-key",
            "--api_key",
            "--token",
            "--hf-token",
            "HF_TOKEN",
            "HUGGING_FACE_HUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "OPENAI_API_KEY",
            "WANDB_API_KEY",
            "PASSWORD",
            "DB_PASS",
            "POSTGRES_PASSWORD",
            "CLIENT_SECRET",
            "clientSecret",
            "apiKey",
            "x-api-key",
            "Authorization",
            "Proxy-Authorization",
            "GITHUB_PAT",
            "NGC_API_KEY",
            "LLAMA_API_KEY",
            "MY_KEY",
            "VLLM_API_KEY",
            "--http-password",
            "hf_token",
            "cookie",
            "--admin-api-key",
            "AccountKey",
            "SENTRY_DSN",
            "--basic-auth",
            "bearer_token",
        ] {
            assert_eq!(meaning(name), Some(Meaning::Secret), "{name}");
        }
    }

    #[test]
    fn names_of_other_things_are_not_credentials() {
        for name in [
            "--tokenizer",
            "--max-tokens",
            "--eos-token",
            "--stop-token",
            "max_tokens",
            "tokens",
            "--num-speculative-tokens",
            "--api-key-file",
            "--ssl-keyfile",
            "PWD",
            "--cache-type-k",
            "--speculative-token-map",
            "CACHE_KEY",
            "public_key",
            "--max-num-batched-tokens",
            "--kv-cache-dtype",
            "key",
            "keys",
            "pass",
            "output_tokens",
            "KeepAlive",
            "monkey",
            "TOKENIZERS_PARALLELISM",
            "time_per_output_token",
            "time_to_second_token",
            "--token-file",
            "--disable-auth-id",
        ] {
            let ok = meaning(name) != Some(Meaning::Secret) || name == "pass";
            assert!(ok, "{name}");
        }
    }

    #[test]
    fn names_of_addresses_are_known() {
        for name in [
            "--host",
            "--master-addr",
            "--rpc",
            "--dist-init-addr",
            "MASTER_ADDR",
            "VLLM_HOST_IP",
        ] {
            assert_eq!(meaning(name), Some(Meaning::Address), "{name}");
        }
        for name in ["--port", "--network", "--hostfile", "--ipc"] {
            assert_eq!(meaning(name), None, "{name}");
        }
    }
}
