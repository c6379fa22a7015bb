//! What the file tells of the machine that ran the benchmark client. It is often the server too, and
//! often not (a real file lists sixteen GPUs of a host that only sent requests), so these are hints.
//! And the names in it that must not be published.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};

use crate::run::{Fact, FactValue, Facts};

use super::fields::Fields;

/// GPUs, driver and operating system of the client's machine. These blocks are the output of other
/// programs; what cannot be read in them is left out.
pub fn hints(root: &Fields) -> Facts {
    let mut hints = Facts::default();
    let block = root.get("startup_diagnostics").and_then(Fields::peek);
    if let Some(block) = &block {
        let uname = block.get("uname").and_then(|n| n.text());
        if let Some(system) = uname.as_deref().and_then(|u| u.split_whitespace().next()) {
            hints.set_text(Fact::Os, system.to_lowercase());
        }
        let query = block.get("nvidia_smi_query").and_then(|n| n.get("stdout"));
        if let Some(listing) = query.and_then(|n| n.text()) {
            gpus(&listing, &mut hints);
        }
    }
    memory(root, &mut hints);
    hints
}

/// `index, name, driver, bus id, …`, one line a GPU.
fn gpus(listing: &str, hints: &mut Facts) {
    let rows: Vec<Vec<&str>> = listing
        .lines()
        .map(|line| line.split(',').map(str::trim).collect::<Vec<_>>())
        .filter(|row| {
            row.first()
                .is_some_and(|index| index.parse::<u32>().is_ok())
        })
        .collect();
    let names: BTreeSet<&str> = rows.iter().filter_map(|row| row.get(1).copied()).collect();
    if rows.is_empty() || names.is_empty() {
        return;
    }
    let names: Vec<&str> = names.into_iter().collect();
    hints.set_text(Fact::Gpu, names.join(" + "));
    hints.set(Fact::GpuCount, FactValue::Count(rows.len() as u64));
    if let Some(driver) = rows.first().and_then(|row| row.get(2)) {
        hints.set_text(Fact::Driver, driver);
    }
}

/// Memory of all the client's GPUs together, from the first summary that has it.
fn memory(root: &Fields, hints: &mut Facts) {
    let of_run = root.get("hardware_run_summary").and_then(Fields::peek);
    let of_cell = || {
        let first = root.get("results")?.array()?.into_iter().next()?;
        Fields::peek(first.get("hardware_summary")?)
    };
    let Some(summary) = of_run.filter(|s| !s.is_empty()).or_else(of_cell) else {
        return;
    };
    let count = summary
        .get("gpu_count")
        .and_then(|n| n.count())
        .filter(|n| (1..=4096).contains(n));
    let total = summary
        .get("vram_total_mb")
        .and_then(|n| n.number())
        .filter(|n| *n > 0.0 && *n < 1e12);
    if let Some(count) = count {
        if hints.get(Fact::GpuCount).is_none() {
            hints.set(Fact::GpuCount, FactValue::Count(count));
        }
        if let Some(total) = total {
            let each = nominal_gb(total / count as f64);
            hints.set(Fact::VramGbPerGpu, FactValue::Number(each));
        }
    }
}

/// The size that a GPU is sold with, in GB, of the MiB that its driver offers: 97,887 MiB are a "96
/// GB" GPU, 143,771 MiB a "141 GB" one.
pub fn nominal_gb(mib: f64) -> f64 {
    (mib / 1024.0).ceil()
}

/// Names of machines that a reader has no use for: the client's host name, and the server's host
/// where it is no public one.
pub fn private_names(root: &Fields) -> Vec<String> {
    let mut names = BTreeSet::new();
    let metadata = root.get("metadata").and_then(Fields::peek);
    let block = root.get("startup_diagnostics").and_then(Fields::peek);
    let text = |fields: &Option<Fields>, key: &str| {
        fields
            .as_ref()
            .and_then(|fields| fields.get(key)?.text())
            .unwrap_or_default()
    };
    for address in [
        text(&metadata, "server"),
        text(&metadata, "server_url"),
        text(&block, "server_url"),
    ] {
        names.extend(private_host(&address));
    }
    let uname = text(&block, "uname");
    let node_name = uname.split_whitespace().nth(1).unwrap_or_default();
    for name in [text(&block, "hostname").trim(), node_name] {
        names.extend(Some(name.to_owned()).filter(|n| is_host(n) && !is_local(n)));
    }
    names.into_iter().collect()
}

/// The host of an address (`host:port`, or a URL), where it is neither this machine nor public.
pub fn private_host(address: &str) -> Option<String> {
    let address = address.trim();
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next().unwrap_or_default(),
        None if host.matches(':').count() == 1 => host.split(':').next().unwrap_or_default(),
        None => host,
    };
    let private = match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => ip.is_private() || ip.is_link_local() || is_shared(ip),
        Ok(IpAddr::V6(ip)) => ip.is_unique_local() || ip.is_unicast_link_local(),
        Err(_) => is_host(host) && !is_local(host) && !is_public(host),
    };
    private.then(|| host.to_owned())
}

/// 100.64.0.0/10, which networks between carriers and private ones use.
fn is_shared(ip: Ipv4Addr) -> bool {
    let [first, second, ..] = ip.octets();
    first == 100 && (64..128).contains(&second)
}

fn is_host(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '.' | '_'))
}

fn is_local(name: &str) -> bool {
    let name = name.to_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

/// A name of several parts whose last is none of those that only mean something at home.
fn is_public(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_lowercase();
    match name.rsplit_once('.') {
        None => false,
        Some((_, last)) => !matches!(
            last,
            "local"
                | "lan"
                | "internal"
                | "corp"
                | "home"
                | "intranet"
                | "localdomain"
                | "private"
                | "arpa"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hosts_that_are_neither_local_nor_public_are_private() {
        for (address, host) in [
            ("192.168.0.42:5075", "192.168.0.42"),
            ("http://labnode:8000", "labnode"),
            ("http://user:secret@box.lan/v1", "box.lan"),
            ("https://gpu7.corp:443/v1?x=1", "gpu7.corp"),
            ("[fd00::1]:8000", "fd00::1"),
            ("100.100.1.2", "100.100.1.2"),
        ] {
            assert_eq!(private_host(address).as_deref(), Some(host), "{address}");
        }
        for address in [
            "",
            "localhost:8000",
            "127.0.0.1:80",
            "0.0.0.0:8000",
            "[::1]:8000",
            "::1",
            "https://api.example.com/v1",
            "8.8.8.8:53",
            "<server>",
            "a b",
        ] {
            assert_eq!(private_host(address), None, "{address}");
        }
    }

    #[test]
    fn memory_is_named_as_it_is_sold() {
        for (mib, gb) in [(97_887.0, 96.0), (143_771.0, 141.0), (24_564.0, 24.0)] {
            assert_eq!(nominal_gb(mib), gb);
        }
    }

    #[test]
    fn gpus_of_two_kinds_are_both_named() {
        let mut hints = Facts::default();
        gpus("0, B, 1.2, x\n1, A, 1.2, x\nno devices\n", &mut hints);
        assert_eq!(hints.text(Fact::Gpu), Some("A + B"));
        assert_eq!(hints.count(Fact::GpuCount), Some(2));
        assert_eq!(hints.text(Fact::Driver), Some("1.2"));
        let mut none = Facts::default();
        gpus("NVIDIA-SMI has failed", &mut none);
        assert!(none.is_empty());
    }
}
