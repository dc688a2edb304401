//! Findings of static analysis in SARIF, as SonarQube, SpotBugs, PMD, ruff and others write them.

use crate::code::CodeIndex;
use crate::domain::RepoPath;
use serde_json::Value;

/// One finding on a line of the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file.
    pub file: RepoPath,
    /// The line, counted from 1.
    pub line: u32,
    /// The analyser, the rule and how grave it is: `SpotBugs NP_ALWAYS_NULL, error`.
    pub rule: String,
    /// What it says.
    pub message: String,
}

/// Why a text is no SARIF.
#[derive(Debug, thiserror::Error)]
pub enum NoSarif {
    /// It is no JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It is another JSON.
    #[error("it has no `runs`")]
    NoRuns,
}

/// Reads the findings that lie in the product's code.
///
/// # Errors
/// The text is no SARIF.
pub fn read(text: &str, index: &CodeIndex) -> Result<Vec<Finding>, NoSarif> {
    let log: Value = serde_json::from_str(text)?;
    let runs = log["runs"].as_array().ok_or(NoSarif::NoRuns)?;
    let mut found = Vec::new();
    for run in runs {
        let tool = run["tool"]["driver"]["name"].as_str().unwrap_or("an analyser");
        let results = run["results"].as_array().into_iter().flatten();
        found.extend(results.filter_map(|result| finding(tool, result, index)));
    }
    found.sort_by(|a: &Finding, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    found.dedup();
    Ok(found)
}

fn finding(tool: &str, result: &Value, index: &CodeIndex) -> Option<Finding> {
    let place = &result["locations"][0]["physicalLocation"];
    let uri = place["artifactLocation"]["uri"].as_str()?;
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    let line = u32::try_from(place["region"]["startLine"].as_u64()?).ok()?;
    let file = resolve(path, index)?;
    let rule = result["ruleId"].as_str().or(result["rule"]["id"].as_str()).unwrap_or("");
    let level = result["level"].as_str().unwrap_or("warning");
    let message = result["message"]["text"].as_str().unwrap_or("").lines().next().unwrap_or("").to_owned();
    Some(Finding { file, line, rule: format!("{tool} {rule}, {level}"), message })
}

/// The product's file that a path of another machine means: by its longest ending that is one.
fn resolve(path: &str, index: &CodeIndex) -> Option<RepoPath> {
    let mut rest = path.trim_start_matches('/');
    loop {
        if let Some(file) = RepoPath::new(rest).ok().and_then(|path| index.file(&path)) {
            return Some(file.path.clone()).filter(|_| !file.test);
        }
        match rest.split_once('/') {
            Some((_, shorter)) => rest = shorter,
            None => return index.resolve(path).ok().filter(|file| !file.test).map(|file| file.path.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Java;
    use serde_json::json;

    #[test]
    fn findings_lie_on_lines_of_the_product() {
        let folder = tempfile::tempdir().unwrap();
        let root = camino::Utf8Path::from_path(folder.path()).unwrap();
        for name in ["src/shop/Cart.java", "test/shop/CartTest.java"] {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), "class Cart {\n  int total;\n}\n").unwrap();
        }
        let roots = ["src", "test"].map(|root| RepoPath::new(root).unwrap());
        let index = CodeIndex::build(root, &roots[..1], &roots[1..], &Java);
        let at = |uri: &str| {
            json!({"ruleId": "NP", "level": "error", "message": {"text": "null\nmore"}, "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": uri}, "region": {"startLine": 2}}}]})
        };
        let results =
            [at("file:///home/me/project/src/shop/Cart.java"), at("shop/CartTest.java"), at("Other.java"), json!({})];
        let log = json!({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "SpotBugs"}}, "results": results}]});
        let found = read(&log.to_string(), &index).unwrap();
        let file = RepoPath::new("src/shop/Cart.java").unwrap();
        assert_eq!(found, [Finding { file, line: 2, rule: "SpotBugs NP, error".into(), message: "null".into() }]);
        assert!(matches!(read("{}", &index), Err(NoSarif::NoRuns)));
    }
}
