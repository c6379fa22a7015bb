//! Absolute addresses, for the few places where a standard asks for them.

use crate::config::BaseUrl;
use crate::site::Address;
use crate::site::address::percent_encode;

/// The absolute address of a page's file; `""` as the file names the page itself.
pub fn absolute(base: &BaseUrl, address: &Address, file: &str) -> String {
    format!("{}{}", base_text(base), percent_encode(&address.file(file)))
}

/// The site's own address with everything but ASCII percent-encoded, except in the host's name,
/// where that would name another host.
fn base_text(base: &BaseUrl) -> String {
    let (path, all) = (base.path(), base.as_str());
    let origin = all.strip_suffix(path).unwrap_or_default();
    let mut out = origin.to_owned();
    for c in path.chars() {
        // Brackets would end a link of Markdown, the apostrophe a quoted value.
        if c.is_ascii() && !matches!(c, '(' | ')' | '[' | ']' | '\'') {
            out.push(c);
        } else {
            let mut buffer = [0; 4];
            for byte in c.encode_utf8(&mut buffer).bytes() {
                out.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_ascii_behind_the_host() {
        for (base, address, file, url) in [
            ("https://a.org", Address::front(), "", "https://a.org/"),
            (
                "https://a.org/sub/path/",
                Address::run("x/große"),
                "",
                "https://a.org/sub/path/runs/x/gro%C3%9Fe/",
            ),
            (
                "https://bücher.example/ä(1)/%20",
                Address::run("x"),
                "run.json",
                "https://bücher.example/%C3%A4%281%29/%20/runs/x/run.json",
            ),
        ] {
            let base = BaseUrl::parse(base).unwrap();
            assert_eq!(absolute(&base, &address, file), url);
        }
    }
}
