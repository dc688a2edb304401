//! Projects that are built and tested by commands of their own, and judged by the reports these write.

use crate::support::Trial;
use unidebug::benchmark::Runner;
use unidebug::domain::{Outcome, RepoPath};
use unidebug::validate::Validator;

fn command(build: Option<&str>) -> Runner {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    Runner::Command {
        build: build.map(words),
        test: words("sh check.sh"),
        reports: vec![RepoPath::new("out").unwrap()],
    }
}

/// What the judge says where another text stands for the number.
async fn assert_confirmed(trial: &Trial, judge: &Validator, rows: &[(&str, Outcome)]) {
    for (to, wanted) in rows {
        let validation = judge.judge().confirm(&trial.patch("src/number.java", "41", to)).await.unwrap();
        assert_eq!(validation.outcome, *wanted, "{to}: {validation:?}");
    }
}

/// The number is taken for a part of a command: what it writes are reports, and the command still says no.
#[tokio::test]
async fn reports_that_the_command_does_not_stand_behind_do_not_count() {
    let check = "#!/bin/sh\nmkdir -p out\nread n < src/number.java\nr='<failure type=\"E\" message=\"not 42\"/>'\n\
                 if [ \"$n\" = 42 ] || [ \"$n\" = forged ]; then r=; fi\n\
                 echo \"<testsuite name='t'><testcase classname='t.T' name='answer'>$r</testcase></testsuite>\" > out/r.xml\n\
                 [ \"$n\" = 42 ]\n";
    let mut trial = Trial::new(&[("src/number.java", "41\n"), ("check.sh", check)]).await;
    trial.checkout.project.runner = command(None);
    let judge = trial.open().await;
    assert_confirmed(&trial, &judge, &[("forged", Outcome::Crash), ("42", Outcome::Plausible)]).await;
}

/// The product ends the tool with code 0 once it has written a report of its own: the tool never said that all is well.
#[tokio::test]
async fn reports_that_the_tool_did_not_sum_up_do_not_count() {
    let check = "#!/bin/sh\nmkdir -p out\nread n < src/number.java\nr=; f=0\n\
                 if [ \"$n\" = 41 ]; then r='<failure type=\"E\" message=\"not 42\"/>'; f=1; fi\n\
                 echo \"<testsuite name='t'><testcase classname='t.T' name='answer'>$r</testcase></testsuite>\" > out/r.xml\n\
                 if [ \"$n\" = ended ]; then exit 0; fi\n\
                 if [ \"$n\" = silenced ]; then f=1; fi\n\
                 echo \"Tests run: 1, Failures: $f\"\n";
    let mut trial = Trial::new(&[("src/number.java", "41\n"), ("check.sh", check)]).await;
    trial.checkout.project.runner = command(None);
    let judge = trial.open().await;
    assert_confirmed(
        &trial,
        &judge,
        &[("ended", Outcome::Crash), ("silenced", Outcome::Crash), ("42", Outcome::Plausible)],
    )
    .await;
}

#[tokio::test]
async fn a_project_with_its_own_commands_is_judged_by_its_reports() {
    let check = "#!/bin/sh\nread n < src/number.java\nif [ \"$n\" = 42 ]; then r=; else r='<failure type=\"E\" message=\"not 42\">at a.B.c(B.java:3)</failure>'; fi\nmkdir -p \
                 out; echo \"<testsuite name='t'><testcase classname='t.T' name='answer'>$r</testcase><testcase classname='t.T' name='other'/></testsuite>\" > out/r.xml\n";
    let mut trial = Trial::new(&[
        ("src/number.java", "41\n"),
        ("check.sh", check),
        ("out/old.xml", "<testsuite name='x'><testcase name='stale'/></testsuite>"),
    ])
    .await;
    trial.checkout.project.runner = command(Some("grep -q ^[0-9] src/number.java"));
    let judge = trial.open().await;
    assert_eq!(judge.baseline().triggering, vec!["t.T#answer".parse().unwrap()]);
    assert_eq!(judge.baseline().report.results.len(), 2, "old reports are no results");
    assert_confirmed(
        &trial,
        &judge,
        &[("40", Outcome::Failed), ("x", Outcome::CompileError), ("42", Outcome::Plausible)],
    )
    .await;
    let right = judge.judge().confirm(&trial.patch("src/number.java", "41", "42")).await.unwrap();
    assert!(right.detail.contains("which its code could write too"), "{}", right.detail);
    let on_script = judge.screen_one(&trial.patch("check.sh", "not 42", "x")).await.unwrap();
    assert_eq!(on_script.outcome, Outcome::Refused);
}
