//! What the schemas of published documents have in common.

use serde_json::{Value, json};

/// Changes a schema to say that an absent key is left out, never `null`.
pub(crate) fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(keys) => {
            for key in ["type", "anyOf"] {
                let Some(Value::Array(kinds)) = keys.get_mut(key) else {
                    continue;
                };
                kinds.retain(|kind| *kind != json!("null") && *kind != json!({"type": "null"}));
                if let [only] = kinds.as_slice() {
                    let only = only.clone();
                    match only {
                        Value::Object(inner) if key == "anyOf" => {
                            keys.remove(key);
                            keys.extend(inner);
                        }
                        only => {
                            keys.insert(key.to_owned(), only);
                        }
                    }
                }
            }
            keys.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}
