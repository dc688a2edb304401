use super::*;
use crate::templates::clues::Clues;
use crate::templates::testing::{whole_proposals_in_python, whole_proposals_in_python_for};

/// What a family makes of a line, each whole text with the changed or added lines alone, joined by ` / `.
fn proposals(template: &dyn Template, source: &str, line: u32) -> Vec<String> {
    let before: Vec<&str> = source.lines().collect();
    let news = |text: &String| {
        let added = text.lines().filter(|line| !before.contains(line)).map(str::trim);
        added.collect::<Vec<_>>().join(" / ")
    };
    whole_proposals_in_python(template, source, line).iter().map(news).collect()
}

/// A bug, a line, and what one of the families must propose there.
const ROWS: &[(&dyn Template, &str, u32, &str)] = &[
    (&comparison::Comparison, "def f(lo, hi):\n    while lo <= hi:\n        lo += 1\n", 2, "while lo < hi:"),
    (&comparison::Comparison, "def f(x):\n    if len(x) == 0:\n        return x\n", 2, "if len(x) <= 1:"),
    (&comparison::Comparison, "def f(x, y):\n    return x in y\n", 2, "return x not in y"),
    (&comparison::Comparison, "def f(x):\n    return \"=\" not in x\n", 2, "return \"=\" in x"),
    (&comparison::Comparison, "def f(x):\n    return x is not None\n", 2, "return x is None"),
    (&operator::Operator, "def f(n):\n    n ^= n - 1\n", 2, "n &= n - 1"),
    (&operator::Operator, "def f(a, b):\n    return a and b\n", 2, "return a or b"),
    (&operator::Operator, "def f(a, b):\n    return f\"{a}{b and ''}\"\n", 2, "return f\"{a}{b or ''}\""),
    (&calls::Swap, "def f(a, b):\n    return f\"{len(a, b):>3}\"\n", 2, "return f\"{len(b, a):>3}\""),
    (&calls::Swap, "def gcd(a, b):\n    return gcd(a % b, b)\n", 2, "return gcd(b, a % b)"),
    (&calls::Swap, "def f(d, a, b):\n    return d[a, b]\n", 2, "return d[b, a]"),
    (&calls::Swap, "def f(s, c):\n    s = s + c[0]\n", 2, "s = c[0] + s"),
    (&calls::Name, "def f(x):\n    return any(y for y in x)\n", 2, "return all(y for y in x)"),
    (
        &value::Variable,
        "def f(a):\n    b = []\n    for i, x in enumerate(a):\n        b[i] = x\n",
        3,
        "for i, x in enumerate(b):",
    ),
    (&value::ReturnValue, "def f(n):\n    if n == 1:\n        return []\n    return [n]\n", 3, "return [n]"),
    (&value::ReturnValue, "def f(text):\n    depth = 0\n    return True\n", 3, "return depth == 0"),
    (&value::ReturnValue, "def f(k):\n    if k == 0:\n        return []\n", 3, "return [[]]"),
    (&operand::Offset, "def f(r):\n    for c in range(0, r):\n        print(c)\n", 2, "for c in range(0, r + 1):"),
    (&operand::Operands, "def f(a):\n    return 1 + f(a)\n", 2, "return f(a)"),
    (&operand::AddOperand, "def f(above, k):\n    low = 1\n    return f(above, k)\n", 3, "return f(above, k - low)"),
    (&Truth, "def f(x):\n    return False\n", 2, "return True"),
    (&Truth, "def f(x):\n    g(x, strict=True)\n", 2, "g(x, strict=False)"),
    (&value::Variable, "class A:\n    def f(self):\n        self.x = 1\n        return x\n", 4, "return self.x"),
    (
        &calls::Name,
        "class A:\n    def f(self):\n        return g(1)\n    def g(self, n):\n        return n\n",
        3,
        "return self.g(1)",
    ),
    (
        &default::Default,
        "def f(x, end=-1):\n    return x\ndef g(x, end: int = None):\n    \"Ends.\"\n    return x\n",
        5,
        "def g(x, end: int = -1):",
    ),
    (&default::Default, "def f(\n    x, back=True\n):\n    y = x\n    return y\n", 4, "x, back=False"),
    (&condition::Negate, "def f(text):\n    if text:\n        return 1\n", 2, "if not text:"),
    (&condition::Negate, "def f(a, b):\n    if a and b:\n        return a\n", 2, "if not (a and b):"),
    (&condition::Negate, "def f(x):\n    x = 1 if x else 2\n", 2, "x = 1 if not x else 2"),
    (&condition::Negate, "def f(x):\n    return [y for y in x if y]\n", 2, "return [y for y in x if not y]"),
    (&part::Unwrap, "def f(x):\n    x = 1 if x else 2\n", 2, "x = 2"),
    (&guard::Guard, "def f(n, by):\n    n *= by\n", 2, "if by: / n *= by"),
    (&guard::Guard, "def f(rows):\n  for row in rows:\n    yield row[-1]\n", 3, "if row: / yield row[-1]"),
    (&guard::Guard, "def f(x):\n    return x[0]\n", 2, "return x[0] if x else None"),
    (&guard::Guard, "def f(x):\n    y = x.y\n", 2, "if x is None: / return"),
    (&guard::Guard, "def f(x):\n    for y in x:\n        g(y.z)\n", 3, "if not y: / continue"),
    (&lookup::Lookup, "def f(d, k):\n    return d[k][\"x\"]\n", 2, "return d[k].get(\"x\")"),
    (&lookup::Lookup, "def f(d, k):\n    return d[k][\"x\"]\n", 2, "return d.get(k, {})[\"x\"]"),
    (&lookup::Lookup, "def f(d, k):\n    del d[k]\n", 2, "d.pop(k, None)"),
    (&lookup::Lookup, "def f(d):\n    if hasattr(d, 'x'):\n        g()\n", 2, "if getattr(d, 'x', None):"),
    (&lookup::Lookup, "def f(d):\n    return d.total\n", 2, "return getattr(d, \"total\", None)"),
    (&instance::Instance, "def f(x):\n    return type(x) in [str, bytes]\n", 2, "return isinstance(x, (str, bytes))"),
    (&instance::Instance, "def f(x):\n    return type(x) is not int\n", 2, "return not isinstance(x, int)"),
    (&instance::Instance, "def f(x):\n    return isinstance(x, list)\n", 2, "return isinstance(x, (list, tuple))"),
    (
        &instance::Instance,
        "def f(x):\n    return isinstance(x, (A, B))\ndef g(x):\n    return isinstance(x, C)\n",
        2,
        "return isinstance(x, (A, B, C))",
    ),
    (&instance::Instance, "def f(x, no):\n    return x == no\n", 2, "return x is no"),
    (&instance::Instance, "def f(x):\n    return x is \"\"\n", 2, "return x == \"\""),
    (&convert::Convert, "def f(m):\n    return {\"m\": m}\n", 2, "return {\"m\": str(m)}"),
    (&convert::Convert, "def f(s):\n    for x in s.all:\n        g(x)\n", 2, "for x in list(s.all):"),
    (&convert::Convert, "def f(t):\n    return g(t)\ndef h(t):\n    u = t\n    return u\n", 4, "u = g(t)"),
    (
        &argument::Argument,
        "class A:\n    def add(self, m, first=None):\n        pass\n    def put(self, m, first):\n        self.add(m)\n",
        5,
        "self.add(m, first=first)",
    ),
    (&argument::Argument, "def f(a):\n    g(a)\n    x = g(a, b=1)\n", 2, "g(a, b=1)"),
    (&argument::Argument, "def f(a):\n    g(a, b=1)\n", 2, "g(a)"),
    (&instance::Instance, "def f(x):\n    if x:\n        g(x)\n", 2, "if x is not None:"),
    (&instance::Instance, "def f(x, y):\n    if y and x is None:\n        g(x)\n", 2, "if y and not x:"),
    (&convert::Convert, "def f(url, s):\n    if url.startswith(s):\n        g()\n", 2, "if url.lower().startswith(s):"),
    (&convert::Convert, "def f(x):\n    raise KeyError(\"no %s\" % x)\n", 2, "raise KeyError(\"no %s\" % repr(x))"),
    (&convert::Convert, "def f(a, b):\n    return a, b\n", 2, "return a.copy(), b"),
    (
        &guard::Guard,
        "def f(xs):\n    return [g(x.y(), 1) for x in xs]\n",
        2,
        "return [g(x.y() if x else None, 1) for x in xs]",
    ),
    (&calls::Name, "def f(a):\n    make_a(a)\ndef g(a):\n    x = make_b(a)\n", 2, "make_b(a)"),
    (&calls::Name, "class A:\n    def f(self, key):\n        return self.key(1)\n", 3, "return key(1)"),
    (&flow::Leave, "def f(x):\n    if x:\n        g(x)\n    h(x)\n", 3, "return"),
    (&flow::Leave, "def f(x):\n    for y in x:\n        if y:\n            g(y)\n        h(y)\n", 4, "continue"),
    (
        &literal::Literal,
        "def f(x):\n    return \" \".join(x)\ndef g(x):\n    y = \", \".join(x)\n",
        2,
        "return \", \".join(x)",
    ),
    (&literal::Literal, "def f(x):\n    y = x.pop(\"to\")\n    z = a.pop(\"too\")\n", 2, "y = x.pop(\"too\")"),
    (&flow::Jump, "def f(x):\n    for y in x:\n        break\n", 3, "continue"),
    (
        &flow::Branch,
        "def f(x):\n    if x:\n        x += 1\n    # so\n    if x > 1:\n        x += 2\n",
        5,
        "elif x > 1:",
    ),
    (&flow::Branch, "def f(x):\n    if x:\n        x += 1\n    elif x > 1:\n        x += 2\n", 4, "if x > 1:"),
    (&part::Unwrap, "def f(x):\n    yield f(x)\n", 2, "yield x"),
    (&part::Wrap, "def f(arr, k):\n    for x in arr:\n        yield x\n", 2, "for x in arr[k:]:"),
    (&part::Wrap, "def f(best, x):\n    best = best + x\n", 2, "best = max(0, best + x)"),
    (&part::Wrap, "def f(src):\n    yield [src]\n", 2, "yield list(src)"),
    (&condition::Extend, "def f(queue):\n    while True:\n        queue.pop()\n", 2, "while queue:"),
    (
        &condition::Extend,
        "def f(total, coins):\n    if total < 0:\n        return 0\n",
        2,
        "if total < 0 or not coins:",
    ),
    (&condition::Reduce, "def f(a, b):\n    if a and b:\n        return a\n", 2, "if a:"),
    (&condition::Negate, "def f(a, b):\n    if a and b:\n        return a\n", 2, "if a and not b:"),
    (
        &statement::Addition,
        "def f(node):\n    seen = set()\n    if node in seen:\n        return\n    print(node)\n",
        5,
        "seen.add(node)",
    ),
    (
        &statement::Assignment,
        "def f(node):\n    last = None\n    while node:\n        node = node.next\n",
        4,
        "last = node",
    ),
];

#[test]
fn families_hold_the_repairs_that_they_are_written_for() {
    for &(template, source, line, wanted) in ROWS {
        let found = proposals(template, source, line);
        assert!(found.iter().any(|text| text == wanted), "{}: {wanted}\n{}", template.name(), found.join("\n"));
    }
}

#[test]
fn a_truth_is_not_compared_with_a_text() {
    let source = "def f(c, d):\n    done = False\n    return c == ' '\n";
    assert_eq!(proposals(&value::Variable, source, 3), ["return d == ' '"]);
}

#[test]
fn what_would_be_decided_for_good_is_not_proposed() {
    let source = "def f(c):\n    return c == ' ' or c == 'x'\n";
    assert!(proposals(&operator::Operator, source, 2).is_empty());
    assert_eq!(proposals(&operator::Operator, &source.replace("'x'", "c"), 2).len(), 1);
}

#[test]
fn a_default_is_looked_at_once_for_a_function() {
    let source = "def f(n=3):\n    n += 1\n    return n\n";
    assert_eq!(proposals(&default::Default, source, 2), ["def f(n=4):", "def f(n=2):"]);
    assert_eq!(proposals(&default::Default, source, 3), [""; 0]);
}

#[test]
fn statements_go_where_their_block_is() {
    let source = "def f(x):\n    for y in x:\n        print(y)\n    return 1\n";
    let found = whole_proposals_in_python(&statement::Exchange, source, 2);
    assert_eq!(found, ["def f(x):\n    return 1\n    for y in x:\n        print(y)\n"]);
    let removed = whole_proposals_in_python(&statement::Remove, source, 3);
    assert_eq!(removed, [source.replace("print(y)", "pass")]);
    let copies = whole_proposals_in_python(&statement::Copy, source, 2);
    assert!(
        copies.contains(&"def f(x):\n    for y in x:\n        print(y)\n    print(y)\n    return 1\n".to_owned()),
        "{copies:?}"
    );
}

#[test]
fn a_call_a_target_or_a_name_of_a_keyword_is_no_variable() {
    let source = "def f(a, b):\n    c = g(b, key=a)\n    return c\n";
    let found = proposals(&value::Variable, source, 2);
    assert!(found.iter().all(|text| text.starts_with("c = g(") && text.contains("key=")), "{found:?}");
    assert!(found.contains(&"c = g(a, key=a)".to_owned()), "{found:?}");
}

#[test]
fn what_a_condition_asks_is_not_asked_again() {
    let found = proposals(&condition::Extend, "def f(text, size):\n    if text:\n        return size\n", 2);
    assert!(found.contains(&"if text or size is None:".to_owned()), "{found:?}");
    let again = ["text and not text", "text or not text", "not text or text", "not text and text"];
    assert!(!found.iter().any(|text| again.iter().any(|again| text.contains(again))), "{found:?}");
}

#[test]
fn an_expression_does_not_stand_in_itself() {
    let source = "def f(file, most):\n    text = file.read(most)\n    return text\n";
    let found = proposals(&value::Expression, source, 2);
    assert!(!found.iter().any(|text| text.matches("read").count() > 1), "{found:?}");
}

#[test]
fn a_sum_with_nothing_is_its_other_operand() {
    let source = "def f(text, end):\n    return text[:end - 1]\n";
    assert!(proposals(&operand::Operands, source, 2).contains(&"return text[:end]".to_owned()));
    let found = proposals(&operand::Offset, source, 2);
    assert!(found.contains(&"return text[:end - 2]".to_owned()), "{found:?}");
    assert!(!found.iter().any(|text| text.contains("- 0")), "{found:?}");
}

#[test]
fn arguments_with_the_names_of_their_parameters_are_swapped_last() {
    let source = "def cut(text, sign):\n    pass\ndef f(text, sign):\n    return cut(text, sign) or join(sign, text)\n";
    let found = proposals(&calls::Swap, source, 4);
    assert_eq!(found, ["return cut(text, sign) or join(text, sign)", "return cut(sign, text) or join(sign, text)"]);
}

#[test]
fn a_variable_without_a_value_gets_one_in_front_of_the_loop() {
    let source = "def f(xs):\n    for x in xs:\n        if x:\n            found.append(x)\n    return found\n";
    let clues = Clues { undefined: vec!["found".into()], ..Clues::default() };
    let found = whole_proposals_in_python_for(&initial::Initial, source, 4, &clues);
    assert_eq!(found[0], source.replace("    for", "    found = []\n    for"));
    assert!(found.contains(&source.replace("    for", "    found = None\n    for")), "{found:?}");
    assert!(whole_proposals_in_python(&initial::Initial, source, 4).is_empty());
}

#[test]
fn exceptions_follow_what_the_tests_say() {
    let source =
        "def f(x):\n    try:\n        return int(x)\n    except ValueError as error:\n        raise KeyError(x)\n";
    let clues =
        Clues { thrown: vec!["builtins.TypeError".into()], expected: vec!["LookupError".into()], ..Clues::default() };
    let of = |line| whole_proposals_in_python_for(&handler::Handler, source, line, &clues);
    assert_eq!(of(2), [source.replace("ValueError", "(ValueError, TypeError)")]);
    assert_eq!(of(5), [source.replace("KeyError", "LookupError")]);
}
