//! A real browser without a window, driven through DevTools over two pipes: what a reader sees, types and is asked for.
#![allow(dead_code)]

use base64::prelude::{BASE64_STANDARD, Engine};
use command_fds::{CommandFdExt, FdMapping};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Names under which Chromium is installed.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// A page in a browser; both end with this value.
pub struct Browser {
    child: Child,
    to: PipeWriter,
    from: BufReader<PipeReader>,
    session: Option<String>,
    calls: u64,
    /// What happened in the page, in order.
    events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// An empty page of that width in CSS pixels; `None` where no Chromium is installed.
    pub fn start(width: u32) -> Option<Self> {
        let runs = |name: &&&str| Command::new(name).arg("--version").stdout(Stdio::null()).status().is_ok();
        let name = NAMES.iter().find(runs)?;
        let profile = tempfile::tempdir().unwrap();
        let (commands, to) = std::io::pipe().unwrap();
        let (from, answers) = std::io::pipe().unwrap();
        let mut command = Command::new(name);
        command
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let pipes = [(commands.into(), 3), (answers.into(), 4)];
        command.fd_mappings(pipes.map(|(parent_fd, child_fd)| FdMapping { parent_fd, child_fd }).into()).unwrap();
        let child = command.spawn().unwrap();
        drop(command);
        let from = BufReader::new(from);
        let mut browser = Self { child, to, from, session: None, calls: 0, events: Vec::new(), _profile: profile };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Runtime", "Network", "Log", "Page"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.call("Emulation.setFocusEmulationEnabled", json!({"enabled": true}));
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        browser.call("Emulation.setDeviceMetricsOverride", size);
        Some(browser)
    }

    /// Opens a file and waits until it is loaded.
    pub fn open(&mut self, file: &Path) {
        self.visit(&format!("file://{}", file.display()));
    }

    /// Goes to an address and waits until it is loaded.
    pub fn visit(&mut self, url: &str) {
        self.events.clear();
        self.call("Page.navigate", json!({"url": url}));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let message = self.read();
            self.events.push(message);
        }
    }

    /// What a script evaluates to.
    pub fn eval(&mut self, script: &str) -> Value {
        let params = json!({"expression": script, "returnByValue": true, "awaitPromise": true});
        let done = self.call("Runtime.evaluate", params);
        assert!(done.get("exceptionDetails").is_none(), "{script}: {done}");
        done["result"]["value"].clone()
    }

    /// Asks pages for `light` or `dark` colours.
    pub fn prefer(&mut self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Keeps the whole page as a picture, with what is painted only when it comes near.
    pub fn picture(&mut self, file: &Path) {
        self.call("Emulation.setScrollbarsHidden", json!({"hidden": true}));
        self.eval("document.querySelectorAll('details').forEach(part => part.style.contentVisibility = 'visible')");
        let shot = self.call("Page.captureScreenshot", json!({"format": "png", "captureBeyondViewport": true}));
        std::fs::write(file, BASE64_STANDARD.decode(shot["data"].as_str().unwrap()).unwrap()).unwrap();
    }

    /// Presses a key and lets it go, as a keyboard would.
    pub fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "ArrowRight" => (39, ""),
            other => panic!("no key {other}"),
        };
        let down = if text.is_empty() { "rawKeyDown" } else { "keyDown" };
        for kind in [down, "keyUp"] {
            let mut event = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
            if kind == "keyDown" {
                event["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Addresses that the page asked for, itself left out.
    pub fn requests(&self) -> Vec<String> {
        let urls = self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        let urls = urls.filter_map(|event| event["params"]["request"]["url"].as_str());
        urls.filter(|url| !url.starts_with("file://") && !url.starts_with("data:")).map(str::to_owned).collect()
    }

    /// What the page wrote to the console, warned of or threw.
    pub fn complaints(&self) -> Vec<&Value> {
        let kinds = ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"];
        self.events.iter().filter(|event| kinds.iter().any(|kind| event["method"] == *kind)).collect()
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let mut message = json!({"id": self.calls, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = self.read();
            if answer["id"] == self.calls {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    fn read(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.from.read_until(0, &mut bytes).unwrap();
        assert!(bytes.pop() == Some(0), "the browser ended");
        serde_json::from_slice(&bytes).unwrap()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
