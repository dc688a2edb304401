//! `bench watch --serve`: the page of a batch, as a browser and as an attacker see it; `inspect --screen` on a terminal;
//! `bench pack`, unpacked and repeated elsewhere. `UNIDEBUG_SCREENSHOTS=DIR` keeps pictures.

use crate::support::{Batch, Browser, Terminal, Unidebug, steady, unidebug, up_to_level_3};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const BUGS: usize = 3;

/// A batch that is over, but for nothing.
fn batch() -> (Batch, String) {
    let batch = Batch::of(BUGS, steady(Duration::ZERO, up_to_level_3));
    let folder = batch.folder("batch");
    batch.run_in(&folder, &["--jobs", "2"]).run().expect_code(0);
    (batch, folder)
}

/// A server at work; it is ended when it is dropped.
struct Server {
    child: Child,
    address: String,
    _home: tempfile::TempDir,
}

impl Server {
    fn on(folder: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut child = Unidebug::new(&["bench", "watch", folder, "--serve"]).start(home.path());
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
        Self { child, address, _home: home }
    }

    fn request(&self, method: &str, path: &str, host: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    fn got(&self, path: &str) -> String {
        self.request("GET", path, &self.address)
    }

    /// The first event.
    fn event(&self) -> Value {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET /events HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).unwrap();
        let lines = BufReader::new(stream).lines().map(Result::unwrap);
        let data = lines.filter_map(|line| line.strip_prefix("data: ").map(str::to_owned)).next().unwrap();
        serde_json::from_str(&data).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_batch_is_watched_from_this_machine_alone_and_nothing_can_be_changed() {
    let (_batch, folder) = batch();
    let before = files(folder.as_ref());
    let server = Server::on(&folder);
    let page = server.got("/");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<h1>Batch"), "{page}");
    assert!(page.to_lowercase().contains("content-security-policy: default-src 'none'"), "{page}");
    for host in ["evil.example", "127.0.0.1.evil.example:80", ""] {
        assert!(server.request("GET", "/", host).starts_with("HTTP/1.1 403"), "{host}");
    }
    assert!(server.request("GET", "/", "localhost:9999").starts_with("HTTP/1.1 200"), "a tunnel has a port of its own");
    assert!(server.request("POST", "/", &server.address).starts_with("HTTP/1.1 405"));
    for path in ["/run/../../etc/passwd", "/run/..%2F..%2Fplan.json", "/plan.json", "/run/nobody"] {
        assert!(server.got(path).starts_with("HTTP/1.1 404"), "{path}");
    }
    let event = server.event();
    assert_eq!((&event["units"], &event["states"][0][1]), (&BUGS.into(), &BUGS.into()), "{event}");
    let levels: Vec<(&str, u64, u64)> = event["levels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (row["level"].as_str().unwrap(), row["entered"].as_u64().unwrap(), row["plausible"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(levels, [("L1", 3, 0), ("L2", 3, 0), ("L3", 3, 3)], "{event}");
    assert_eq!(event["finish"], Value::Null, "nothing is left");
    let unit = event["bugs"][0]["unit"].as_str().unwrap().replace('/', "%2F");
    let run = server.got(&format!("/run/{unit}"));
    assert!(
        run.starts_with("HTTP/1.1 200") && run.contains("class=\"sides\"") && run.contains("class=\"heat\""),
        "{run}"
    );
    assert_eq!(files(folder.as_ref()), before, "it is only read");
}

fn files(folder: &Path) -> Vec<(std::path::PathBuf, u64)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => all.extend(files(&path)),
            path => all.push((path, entry.metadata().unwrap().len())),
        }
    }
    all.sort();
    all
}

#[test]
fn the_page_fills_in_a_browser_and_leads_to_runs_by_the_keyboard() {
    let (_batch, folder) = batch();
    let server = Server::on(&folder);
    let url = format!("http://{}/", server.address);
    for width in [1280, 390] {
        let Some(mut browser) = Browser::start(width) else { return };
        for scheme in ["light", "dark"] {
            browser.prefer(scheme);
            browser.visit(&url);
            let until = Instant::now() + Duration::from_secs(60);
            while browser.eval("document.querySelectorAll('#rows tr').length") != BUGS as u64 {
                assert!(Instant::now() < until, "the page stays empty");
                std::thread::sleep(Duration::from_millis(50));
            }
            assert_eq!(browser.eval("document.getElementById('headline').textContent"), "3 of 3 done, 3 plausible");
            let wide = browser.eval("document.documentElement.scrollWidth").as_u64().unwrap();
            assert!(wide <= width.into(), "{wide} of {width} pixels, {scheme}");
            assert_eq!(
                browser
                    .eval("document.getElementById('states').getAttribute('aria-label')")
                    .as_str()
                    .unwrap()
                    .split(',')
                    .next(),
                Some("3 plausible")
            );
            let unnamed = "[...document.querySelectorAll('[role=img],[role=region],input,select,section')].filter(e => !(e.ariaLabel || e.getAttribute('aria-labelledby'))).length";
            assert_eq!(browser.eval(unnamed), 0, "everything has a name");
            assert!(browser.complaints().is_empty(), "{:?}", browser.complaints());
            if let Some(pictures) = std::env::var_os("UNIDEBUG_SCREENSHOTS") {
                browser.picture(&Path::new(&pictures).join(format!("watch-{width}-{scheme}.png")));
            }
        }
        browser.eval("document.querySelector('#rows a').focus()");
        browser.press("Enter");
        let until = Instant::now() + Duration::from_secs(60);
        while !browser.eval("document.querySelectorAll('.sides').length > 0").as_bool().unwrap_or(false) {
            assert!(Instant::now() < until, "the run is not shown");
            std::thread::sleep(Duration::from_millis(50));
        }
        let wide = browser.eval("document.documentElement.scrollWidth").as_u64().unwrap();
        assert!(wide <= width.into(), "{wide} of {width} pixels");
        if let Some(pictures) = std::env::var_os("UNIDEBUG_SCREENSHOTS") {
            browser.eval("document.querySelectorAll('.heat').forEach(part => part.open = true)");
            browser.picture(&Path::new(&pictures).join(format!("watch-run-{width}.png")));
        }
    }
}

#[test]
fn a_run_is_walked_through_on_the_whole_terminal() {
    let (_batch, folder) = batch();
    let run = files(folder.as_ref()).into_iter().find(|(path, _)| path.ends_with("run.journal")).unwrap().0;
    let home = tempfile::tempdir().unwrap();
    let program = Unidebug::new(&["inspect", run.parent().unwrap().to_str().unwrap(), "--screen"]);
    let mut terminal = Terminal::start(program, home.path());
    // The screen is drawn word by word, and later on only what changed.
    terminal.answer("happened", "dq");
    let (code, screen) = terminal.exit();
    assert_eq!(code, Some(0), "{screen}");
    let piped = Unidebug::new(&["inspect", run.parent().unwrap().to_str().unwrap(), "--screen"]).run();
    piped.expect_code(2);
}

#[test]
fn an_artifact_replays_identically_from_another_folder_and_home() {
    let keep = tempfile::tempdir().unwrap();
    let at = |name: &str| keep.path().join(name).to_str().unwrap().to_owned();
    let (folder, artifact) = (at("batch"), at("artifact.tar.gz"));
    let args =
        ["bench", "run", "fixtures:ring-buffer", "fixtures:roman-numerals", "--out", &folder, "--quiet", "--jobs", "2"];
    Unidebug::new(&[&args[..], &["--", "--model", "builtin"]].concat()).run().expect_code(0);
    let packed = unidebug(&["bench", "pack", &folder, "--out", &artifact]);
    assert!(packed.expect_code(0).stdout.starts_with("2 runs, "), "{packed}");
    std::fs::remove_dir_all(&folder).unwrap();
    let unpacked = std::process::Command::new("tar")
        .args(["-xzf", &artifact, "-C", keep.path().to_str().unwrap()])
        .stderr(Stdio::inherit())
        .status();
    assert!(unpacked.unwrap().success());
    let again = unidebug(&["replay", &at("artifact"), "--json"]);
    let object = again.expect_code(0).json();
    assert_eq!((&object["identical"], object["runs"].as_array().unwrap().len()), (&true.into(), 2), "{object}");
    // What was changed on the way is named.
    let report = std::path::Path::new(&at("artifact")).join("report.html");
    std::fs::write(&report, "better").unwrap();
    let changed = unidebug(&["replay", &at("artifact")]);
    changed.expect_code(3);
    assert!(changed.stderr.contains("report.html"), "{changed}");
}
