//! Wrong arguments: swapped, too many, too few, or one shaped unlike its neighbours.
//!
//! Source: TBar's *mutate method invocation expression* (FP10.2 to FP10.4) and ManySStuBs4J's *same function swap args*,
//! *more args*, *less args*. Example: `copy(target, source)` becomes `copy(source, target)`.

use crate::code::Method;
use crate::templates::edit::Edit;
use crate::templates::shape::Shape;
use crate::templates::site::{Site, shortened};
use crate::templates::syntax::{arguments, bare};
use crate::templates::types::ValueType;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// Swaps two arguments.
pub struct SwapArguments;

/// Adds or drops arguments, and gives one the shape of another.
pub(crate) struct ReshapeArguments;

/// What is left of a swap when one of the arguments has the name of the parameter that it fills.
const ONE_NAMED: f64 = 0.5;
/// What is left of it when both have.
const BOTH_NAMED: f64 = 0.15;

impl Template for SwapArguments {
    fn name(&self) -> &'static str {
        "swap_arguments"
    }

    fn prior(&self) -> Prior {
        0.8
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &call in &site.expressions {
            let args = arguments(call);
            for (at, a) in args.iter().enumerate() {
                for b in &args[at + 1..] {
                    let fits = match (site.kind(*a), site.kind(*b)) {
                        (Some(a), Some(b)) => a.accepts(&b) && b.accepts(&a) || a.unboxed() == b.unboxed(),
                        _ => true,
                    };
                    if fits && site.text(*a) != site.text(*b) {
                        let note = format!("swapped `{}` and `{}`", shortened(site.text(*a)), shortened(site.text(*b)));
                        out.push(Edit::swap(site.unit, *a, *b, weight(site, call, *a, *b), note));
                    }
                }
            }
        }
    }
}

/// Swapping helps little where the order does not matter.
fn weight(site: &Site<'_>, call: Node<'_>, a: Node<'_>, b: Node<'_>) -> f64 {
    let name = call.part("name").map_or("", |name| site.text(name));
    let commutes = matches!(name, "max" | "min" | "add" | "equals") && call.shape() == "method_invocation";
    let literal = |node: Node<'_>| node.shape().ends_with("_literal");
    let base = if commutes { 0.15 } else { 0.9 } * by_names(site, name, &arguments(call), [a, b]);
    if literal(a) || literal(b) { base * 0.6 } else { base }
}

/// What is left of a swap by the names of the parameters that the arguments fill.
pub(in crate::templates) fn by_names(site: &Site<'_>, callee: &str, args: &[Node<'_>], swapped: [Node<'_>; 2]) -> f64 {
    let places = swapped.map(|node| args.iter().position(|arg| *arg == node));
    let [Some(first), Some(second)] = places else { return 1.0 };
    let is_named = |node: Node<'_>, name: Option<&&str>| {
        let text = site.text(node);
        name.is_some_and(|name| text.rsplit('.').next().is_some_and(|last| last.eq_ignore_ascii_case(name)))
    };
    let in_place = |method: &Method| {
        let names = parameters(site, method);
        [(swapped[0], first), (swapped[1], second)]
            .into_iter()
            .filter(|(node, at)| is_named(*node, names.get(*at)))
            .count()
    };
    match site.index.methods_named(callee).map(in_place).max() {
        Some(2) => BOTH_NAMED,
        Some(1) => ONE_NAMED,
        _ => 1.0,
    }
}

/// Names of the parameters that a call fills.
fn parameters<'m>(site: &Site<'_>, method: &'m Method) -> Vec<&'m str> {
    if site.unit.rules.types.is_none() {
        let names = method.params.iter().map(|name| name.trim_start_matches('*'));
        return names.filter(|name| !matches!(*name, "self" | "cls")).collect();
    }
    method.variables.iter().take(method.params.len()).map(|(name, _)| name.as_str()).collect()
}

impl Template for ReshapeArguments {
    fn name(&self) -> &'static str {
        "reshape_arguments"
    }

    fn prior(&self) -> Prior {
        0.55
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &call in &site.expressions {
            let args = arguments(call);
            like_neighbours(site, &args, out);
            overloads(site, call, &args, out);
        }
    }
}

/// `f(a.trim(), b)` becomes `f(a.trim(), b.trim())`, and the other way round.
fn like_neighbours(site: &Site<'_>, args: &[Node<'_>], out: &mut Vec<Edit>) {
    for &shaped in args {
        let Some((inner, prefix, suffix)) = shape(site, shaped) else { continue };
        for &plain in args.iter().filter(|arg| matches!(arg.shape(), "identifier" | "field_access")) {
            if site.kind(plain).is_some_and(|kind| site.kind(inner).as_ref() == Some(&kind)) {
                let text = format!("{prefix}{}{suffix}", site.text(plain));
                out.push(site.replacement(plain, text, 0.9));
            }
        }
    }
}

/// A call on a name (`a.trim()`), or arithmetic with a literal (`a - 1`), as the name and what stands around it.
fn shape<'a>(site: &Site<'a>, node: Node<'a>) -> Option<(Node<'a>, &'a str, &'a str)> {
    let inner = match node.shape() {
        "method_invocation" => node.part("object")?,
        "binary_expression" => node.part("left")?,
        _ => return None,
    };
    let inner = bare(inner);
    let text = &site.unit.text;
    let simple = matches!(inner.shape(), "identifier" | "field_access");
    simple.then(|| (inner, &text[node.start_byte()..inner.start_byte()], &text[inner.end_byte()..node.end_byte()]))
}

/// Another overload of the same method: with one argument less, or one more from a variable in sight.
fn overloads(site: &Site<'_>, call: Node<'_>, args: &[Node<'_>], out: &mut Vec<Edit>) {
    let Some(name) = call.part(if call.shape() == "method_invocation" { "name" } else { "type" }) else {
        return;
    };
    let Some(list) = call.part("arguments") else { return };
    let known: Vec<&Method> = site.index.methods_named(site.text(name)).collect();
    let with_arity = |n: usize| known.iter().filter(move |method| method.params.len() == n);
    if !args.is_empty() && with_arity(args.len() - 1).next().is_some() {
        for (at, dropped) in args.iter().enumerate() {
            let rest: Vec<&str> = args.iter().filter(|arg| *arg != dropped).map(|arg| site.text(*arg)).collect();
            let weight = if at + 1 == args.len() { 0.8 } else { 0.5 };
            let note = format!("dropped the argument `{}`", shortened(site.text(*dropped)));
            out.push(Edit::replace(list, format!("({})", rest.join(", ")), weight, note));
        }
    }
    for method in with_arity(args.len() + 1).take(3) {
        for at in 0..=args.len() {
            let wanted = ValueType::new(&method.params[at]);
            for variable in site.fitting(&wanted).take(4) {
                let mut all: Vec<&str> = args.iter().map(|arg| site.text(*arg)).collect();
                all.insert(at, &variable.name);
                let note = format!("passed `{}` too", variable.name);
                out.push(Edit::replace(list, format!("({})", all.join(", ")), 0.5, note));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    const COPY: &str = "class Copy {
    void copy(String from, String to) {}
    void copy(String from, String to, boolean force) {}
    void run(String source, String target, int n, boolean hard) {
        copy(target, source);
        copy(source.trim(), target);
        use(n, source);
    }
}";

    #[test]
    fn arguments_of_one_type_are_swapped() {
        assert_eq!(proposals(&SwapArguments, COPY, 5), ["copy(source, target);"]);
        assert!(proposals(&SwapArguments, COPY, 7).is_empty(), "a number is no text");
    }

    #[test]
    fn arguments_with_the_names_of_their_parameters_are_swapped_last() {
        let source = "class Split {
    void cut(String text, String sign) {}
    void join(String one, String other) {}
    void run(String text, String sign) {
        use(cut(text, sign), join(sign, text));
    }
}";
        let lines = proposals(&SwapArguments, source, 5);
        let [join, cut] = ["use(cut(text, sign), join(text, sign));", "use(cut(sign, text), join(sign, text));"]
            .map(|wanted| lines.iter().position(|line| line == wanted));
        assert!(join.is_some() && join < cut, "{lines:?}");
    }

    #[test]
    fn neighbours_and_overloads() {
        let lines = proposals(&ReshapeArguments, COPY, 6);
        assert_eq!(lines[0], "copy(source.trim(), target.trim());");
        assert!(lines.contains(&"copy(source.trim(), target, hard);".to_owned()), "{lines:?}");
    }
}
