//! stub
#![allow(missing_docs)]
pub mod highlight;
pub struct LaunchCommand(String);
pub struct Setting {
    pub kind: K,
    pub value: String,
}
pub struct K;
impl K {
    pub fn label(&self) -> &'static str {
        ""
    }
}
impl LaunchCommand {
    pub fn parse(t: &str) -> Self {
        Self(t.into())
    }
    pub fn lines(&self) -> Vec<String> {
        vec![self.0.clone()]
    }
    pub fn one_line(&self) -> String {
        self.0.clone()
    }
    pub fn has_hidden(&self) -> bool {
        false
    }
    pub fn settings(&self) -> Vec<Setting> {
        vec![]
    }
}
