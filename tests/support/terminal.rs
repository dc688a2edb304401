//! The program on a terminal of its own: what a person types, and what is on the screen.
#![allow(dead_code)]

use super::Unidebug;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A started program behind a pseudo-terminal.
pub struct Terminal {
    child: Child,
    keys: ChildStdin,
    screen: Arc<Mutex<String>>,
    read: usize,
}

impl Terminal {
    /// Starts the program; keys go in by a pipe, as `script` passes them on.
    pub fn start(program: Unidebug, home: &Path) -> Self {
        let script = ["sh", "-c", "exec script -qec \"stty cols 100 rows 30; $*\" /dev/null", "sh"];
        let mut child = program.under(&script).env("TERM", "xterm").env("COLUMNS", "100").with_input().start(home);
        let (keys, mut out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let screen = Arc::new(Mutex::new(String::new()));
        let shared = screen.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = out.read(&mut bytes) {
                shared.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..n]));
            }
        });
        Self { child, keys, screen, read: 0 }
    }

    /// Everything that was shown.
    pub fn screen(&self) -> String {
        self.screen.lock().unwrap().clone()
    }

    /// Waits until this is shown behind what was waited for before, and types.
    pub fn answer(&mut self, shown: &str, keys: &str) {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            let screen = self.screen();
            if let Some(at) = screen[self.read..].find(shown) {
                self.read += at + shown.len();
                break;
            }
            assert!(Instant::now() < until, "`{shown}` is not shown:\n{screen}");
            std::thread::sleep(Duration::from_millis(20));
        }
        // What stands behind the words is drawn, and keys are read one by one.
        std::thread::sleep(Duration::from_millis(200));
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for the end: its code, and all that was shown.
    pub fn exit(mut self) -> (Option<i32>, String) {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                std::thread::sleep(Duration::from_millis(200));
                return (status.code(), self.screen());
            }
            assert!(Instant::now() < until, "it does not end:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Ended already, as a rule.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
