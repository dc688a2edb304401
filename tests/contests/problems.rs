//! Ten small problems of our own, each with a wrong program and a right one in C, Java and Python, and a reference that
//! answers drawn inputs. Programs get whole numbers on one line and print one number.

use crate::support::folder_of;

/// One problem.
pub struct Problem {
    /// What stands in place of `{}` in the right programs, and in the wrong ones.
    pub right: &'static str,
    pub wrong: &'static str,
    /// The body of `solve` in C and Java, with the numbers in `a` and how many there are in `n`.
    body: &'static str,
    /// The same in Python, with what stands in place of `{}` there.
    python: &'static str,
    python_right: &'static str,
    python_wrong: &'static str,
    answer: fn(&[i64]) -> i64,
}

pub const PROBLEMS: [Problem; 10] = [
    Problem {
        right: "a[i] > 0",
        wrong: "a[i] < 0",
        body: "long total = 0;\n    for (int i = 0; i < n; i++) {\n        if ({}) {\n            total += a[i];\n        }\n    }\n    return total;",
        python: "total = 0\n    for x in a:\n        if {}:\n            total += x\n    return total",
        python_right: "x > 0",
        python_wrong: "x < 0",
        answer: |a| a.iter().filter(|x| **x > 0).sum(),
    },
    Problem {
        right: "a[i] > best",
        wrong: "a[i] < best",
        body: "long best = a[0];\n    for (int i = 1; i < n; i++) {\n        if ({}) {\n            best = a[i];\n        }\n    }\n    return best;",
        python: "best = a[0]\n    for x in a:\n        if {}:\n            best = x\n    return best",
        python_right: "x > best",
        python_wrong: "x < best",
        answer: |a| *a.iter().max().unwrap(),
    },
    Problem {
        right: "a[i] % 2 == 0",
        wrong: "a[i] % 2 != 0",
        body: "long count = 0;\n    for (int i = 0; i < n; i++) {\n        if ({}) {\n            count++;\n        }\n    }\n    return count;",
        python: "return sum(1 for x in a if {})",
        python_right: "x % 2 == 0",
        python_wrong: "x % 2 != 0",
        answer: |a| a.iter().filter(|x| **x % 2 == 0).count() as i64,
    },
    Problem {
        right: "high - low",
        wrong: "high + low",
        body: "long low = a[0];\n    long high = a[0];\n    for (int i = 1; i < n; i++) {\n        low = a[i] < low ? a[i] : low;\n        high = a[i] > high ? a[i] : high;\n    }\n    return {};",
        python: "low, high = min(a), max(a)\n    return {}",
        python_right: "high - low",
        python_wrong: "high + low",
        answer: |a| a.iter().max().unwrap() - a.iter().min().unwrap(),
    },
    Problem {
        right: "a[i] >= a[at]",
        wrong: "a[i] > a[at]",
        body: "int at = 0;\n    for (int i = 1; i < n; i++) {\n        if ({}) {\n            at = i;\n        }\n    }\n    return at;",
        python: "at = 0\n    for i in range(len(a)):\n        if {}:\n            at = i\n    return at",
        python_right: "a[i] >= a[at]",
        python_wrong: "a[i] > a[at]",
        answer: |a| a.iter().enumerate().max_by_key(|(at, x)| (**x, *at)).unwrap().0 as i64,
    },
    Problem {
        right: "y != 0",
        wrong: "y > 1",
        body: "long x = a[0] < 0 ? -a[0] : a[0];\n    for (int i = 1; i < n; i++) {\n        long y = a[i] < 0 ? -a[i] : a[i];\n        while ({}) {\n            long rest = x % y;\n            x = y;\n            y = rest;\n        }\n    }\n    return x;",
        python: "x = abs(a[0])\n    for y in a[1:]:\n        y = abs(y)\n        while {}:\n            x, y = y, x % y\n    return x",
        python_right: "y != 0",
        python_wrong: "y > 1",
        answer: |a| a.iter().fold(0, |x, y| gcd(x, y.abs())),
    },
    Problem {
        right: "i % 2 == 0",
        wrong: "i % 2 == 1",
        body: "long total = 0;\n    for (int i = 0; i < n; i++) {\n        total += {} ? a[i] : -a[i];\n    }\n    return total;",
        python: "total = 0\n    for i, x in enumerate(a):\n        total += x if {} else -x\n    return total",
        python_right: "i % 2 == 0",
        python_wrong: "i % 2 == 1",
        answer: |a| a.iter().enumerate().map(|(i, x)| if i % 2 == 0 { *x } else { -x }).sum(),
    },
    Problem {
        right: "sum < low",
        wrong: "sum > low",
        body: "long sum = 0;\n    long low = 0;\n    for (int i = 0; i < n; i++) {\n        sum += a[i];\n        if ({}) {\n            low = sum;\n        }\n    }\n    return low;",
        python: "total = low = 0\n    for x in a:\n        total += x\n        if {}:\n            low = total\n    return low",
        python_right: "total < low",
        python_wrong: "total > low",
        answer: |a| {
            a.iter()
                .scan(0, |sum, x| {
                    *sum += x;
                    Some(*sum)
                })
                .min()
                .unwrap()
                .min(0)
        },
    },
    Problem {
        right: "int i = 1",
        wrong: "int i = 2",
        body: "long count = 1;\n    for ({}; i < n; i++) {\n        if (a[i] != a[i - 1]) {\n            count++;\n        }\n    }\n    return count;",
        python: "count = 1\n    for i in range({}, len(a)):\n        if a[i] != a[i - 1]:\n            count += 1\n    return count",
        python_right: "1",
        python_wrong: "2",
        answer: |a| 1 + a.windows(2).filter(|pair| pair[0] != pair[1]).count() as i64,
    },
    Problem {
        right: "total / n",
        wrong: "total * n",
        body: "long total = 0;\n    for (int i = 0; i < n; i++) {\n        total += a[i] < 0 ? -a[i] : a[i];\n    }\n    return {};",
        python: "total = sum(abs(x) for x in a)\n    return {}",
        python_right: "total // len(a)",
        python_wrong: "total * len(a)",
        answer: |a| a.iter().map(|x| x.abs()).sum::<i64>() / a.len() as i64,
    },
];

fn gcd(x: i64, y: i64) -> i64 {
    if y == 0 { x } else { gcd(y, x % y) }
}

impl Problem {
    fn in_c(&self, part: &str) -> String {
        format!(
            "#include <stdio.h>\n\nlong solve(const long *a, int n) {{\n    {}\n}}\n\nint main(void) {{\n    long a[100];\n    \
             int n = 0;\n    while (n < 100 && scanf(\"%ld\", &a[n]) == 1) {{\n        n++;\n    }}\n    \
             printf(\"%ld\\n\", solve(a, n));\n    return 0;\n}}\n",
            self.body.replace("{}", part)
        )
    }

    fn in_java(&self, part: &str) -> String {
        format!(
            "import java.util.Arrays;\nimport java.util.Scanner;\n\npublic class Main {{\n    static long solve(long[] a, int n) {{\n    \
             {}\n    }}\n\n    public static void main(String[] args) {{\n        String line = new Scanner(System.in).nextLine();\n        \
             long[] a = Arrays.stream(line.trim().split(\" \")).mapToLong(Long::parseLong).toArray();\n        \
             System.out.println(solve(a, a.length));\n    }}\n}}\n",
            self.body.replace("{}", part)
        )
    }

    fn in_python(&self, part: &str) -> String {
        format!(
            "def solve(a):\n    {}\n\n\nprint(solve([int(word) for word in input().split()]))\n",
            self.python.replace("{}", part)
        )
    }

    /// An input with its answer.
    fn case(&self, numbers: &[i64]) -> (String, String) {
        let words: Vec<String> = numbers.iter().map(i64::to_string).collect();
        (format!("{}\n", words.join(" ")), format!("{}\n", (self.answer)(numbers)))
    }

    fn cases(&self, count: usize, random: &mut fastrand::Rng) -> Vec<(String, String)> {
        // The first ones are known to tell each wrong program from its right one.
        let fixed = [vec![4, -6, 8, 8], vec![3, 5], vec![-7, 2, 0, 9, 9, 1]];
        let drawn = |random: &mut fastrand::Rng| (0..random.usize(2..7)).map(|_| random.i64(-9..10)).collect();
        (0..count).map(|nth| self.case(&fixed.get(nth).cloned().unwrap_or_else(|| drawn(random)))).collect()
    }
}

/// The ids of the ten bugs of [`codeflaws`].
pub fn codeflaws_ids() -> Vec<String> {
    (0..PROBLEMS.len()).map(|nth| format!("codeflaws:{}-A-bug-{}-{}", 100 + nth, 1000 + nth, 2000 + nth)).collect()
}

/// How the set's scripts name the cases for repair.
const SCRIPT: &str = "case $1 in\np1) run_test \"$INPUT_NAME\"1 \"$OUTPUT_NAME\"1 ;;\n\
                      n1) run_test \"$NEGINPUT_NAME\"1 \"$NEGOUTPUT_NAME\"1 ;;\nesac\n";

/// The ids of the ten bugs of [`condefects`] in one language.
pub fn condefects_ids(language: &str) -> Vec<String> {
    (0..PROBLEMS.len()).map(|nth| format!("condefects-{language}:abc{}_a-{}", 100 + nth, 3000 + nth)).collect()
}

/// The ten problems in the layout of Codeflaws. The held-out inputs come after `held_out`, numbers that no other input has.
pub fn codeflaws(held_out: &[i64]) -> tempfile::TempDir {
    let mut random = fastrand::Rng::with_seed(1);
    let mut files = Vec::new();
    for (nth, problem) in PROBLEMS.iter().enumerate() {
        let name = format!("{}-A", 100 + nth);
        let folder = format!("codeflaws/{name}-bug-{}-{}", 1000 + nth, 2000 + nth);
        files.push((format!("{folder}/{name}-{}.c", 1000 + nth), problem.in_c(problem.wrong)));
        files.push((format!("{folder}/{name}-{}.c", 2000 + nth), problem.in_c(problem.right)));
        files.push((format!("{folder}/Makefile"), "all:\n\techo this makefile must not run >&2; exit 1\n".into()));
        if nth == 0 {
            files.push((format!("{folder}/test-genprog.sh"), SCRIPT.into()));
            files.push((format!("{folder}/input-pos77"), "1 2 3 ...".into()));
            files.push((format!("{folder}/output-pos77"), "the page cuts this input".into()));
        }
        let mut cases = |before: &str, cases: Vec<(String, String)>| {
            for (nth, (input, output)) in cases.into_iter().enumerate() {
                let kind = if nth == 0 { "neg1".to_owned() } else { format!("pos{nth}") };
                files.push((format!("{folder}/{before}input-{kind}"), input));
                files.push((format!("{folder}/{before}output-{kind}"), output));
            }
        };
        cases("", problem.cases(6, &mut random));
        cases("heldout-", [problem.cases(8, &mut random), vec![problem.case(held_out)]].concat());
    }
    written(files)
}

/// The ten problems in the layout of ConDefects, in Java and Python.
pub fn condefects() -> tempfile::TempDir {
    let mut random = fastrand::Rng::with_seed(2);
    let mut files = Vec::new();
    let (mut dates, mut difficulties) = (String::new(), String::new());
    for (nth, problem) in PROBLEMS.iter().enumerate() {
        let contest = format!("abc{}", 100 + nth);
        let code = format!("Code/{contest}_a");
        for (version, part, python) in [
            ("faultyVersion", problem.wrong, problem.python_wrong),
            ("correctVersion", problem.right, problem.python_right),
        ] {
            files.push((format!("{code}/Java/{}/{version}.java", 3000 + nth), problem.in_java(part)));
            files.push((format!("{code}/Python/{}/{version}.py", 3000 + nth), problem.in_python(python)));
        }
        for (case, (input, output)) in problem.cases(5, &mut random).into_iter().enumerate() {
            // The last task of some contests has a folder of another name.
            let folder = if nth == 9 { "Ex" } else { "A" };
            files.push((format!("Test/{contest}/{folder}/in/{case:03}.txt"), input));
            files.push((format!("Test/{contest}/{folder}/out/{case:03}.txt"), output));
        }
        dates.push_str(&format!("{contest}_a 2023-0{}-01\n", nth % 9 + 1));
        difficulties.push_str(&format!("{contest}_a {}\n", 100 * nth));
    }
    files.extend([("date.txt".to_owned(), dates), ("difficulty.txt".to_owned(), difficulties)]);
    written(files)
}

fn written(files: Vec<(String, String)>) -> tempfile::TempDir {
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    folder_of(&files)
}
