//! What every Java programmer knows of the standard library: result types, and methods that are easily confused.

use super::types::ValueType;

/// The result type of a call on a library type, when it is well known. `receiver` is the receiver's text, for static
/// calls such as `Math.max`.
pub(super) fn returns(
    owner: Option<&ValueType>,
    receiver: &str,
    name: &str,
    args: &[Option<ValueType>],
) -> Option<ValueType> {
    static_call(receiver, name, args)
        .or_else(|| owner.and_then(|owner| element_call(owner, name)))
        .or_else(|| by_name(name).map(ValueType::new))
}

fn static_call(receiver: &str, name: &str, args: &[Option<ValueType>]) -> Option<ValueType> {
    let first = args.first().cloned().flatten();
    let kind = match (receiver, name) {
        (
            "Math" | "StrictMath",
            "max" | "min" | "abs" | "addExact" | "multiplyExact" | "subtractExact" | "floorMod",
        ) => {
            let second = args.get(1).cloned().flatten();
            return match (first, second) {
                (Some(a), Some(b)) => Some(a.promoted(&b)),
                (Some(a), None) if args.len() == 1 => Some(a.promoted(&a)),
                _ => None,
            };
        }
        ("Math" | "StrictMath", "round") => "long",
        ("Math" | "StrictMath", _) => "double",
        ("Arrays" | "java.util.Arrays", "asList") | ("List", "of") => {
            return Some(ValueType::new(&first.map_or("List".into(), |kind| format!("List<{}>", boxed(&kind)))));
        }
        ("Arrays", "copyOf" | "copyOfRange") => return first,
        ("Integer", "parseInt" | "signum" | "bitCount" | "compare") => "int",
        ("Integer", "valueOf") => "Integer",
        ("Long", "parseLong") => "long",
        ("Double", "parseDouble") => "double",
        ("Character", "getNumericValue" | "codePointAt" | "codePointCount" | "charCount" | "toCodePoint") => "int",
        ("Character", "toChars") => "char[]",
        ("Character", "toLowerCase" | "toUpperCase") => "char",
        ("Character", "isDigit" | "isLetter" | "isLetterOrDigit" | "isWhitespace" | "isUpperCase" | "isLowerCase") => {
            "boolean"
        }
        ("Objects", "equals" | "isNull" | "nonNull") => "boolean",
        ("String", _) => "String",
        _ => return None,
    };
    Some(ValueType::new(kind))
}

/// Calls whose result is what the owner holds.
fn element_call(owner: &ValueType, name: &str) -> Option<ValueType> {
    let arguments = owner.arguments();
    if owner.is_map() {
        let (key, value) = (arguments.first(), arguments.get(1));
        return match name {
            "get" | "getOrDefault" | "put" | "remove" => value.cloned(),
            "keySet" => key.map(|key| ValueType::new(&format!("Set<{key}>"))),
            "values" => value.map(|value| ValueType::new(&format!("Collection<{value}>"))),
            "entrySet" => Some(ValueType::new(&format!("Set<Map.Entry<{},{}>>", key?, value?))),
            _ => None,
        };
    }
    if owner.erasure() == "Entry" {
        return match name {
            "getKey" => arguments.first().cloned(),
            "getValue" => arguments.get(1).cloned(),
            _ => None,
        };
    }
    if matches!(owner.erasure(), "Iterator" | "ListIterator" | "Optional" | "Supplier" | "Callable") {
        return matches!(name, "next" | "previous" | "get" | "orElse" | "call")
            .then(|| arguments.first().cloned())
            .flatten();
    }
    if matches!(owner.erasure(), "Function" | "BiFunction" | "UnaryOperator" | "BinaryOperator") {
        return (name == "apply").then(|| arguments.last().cloned()).flatten();
    }
    let element = owner.element()?;
    match name {
        "get" | "getFirst" | "getLast" | "removeFirst" | "removeLast" | "pollFirst" | "pollLast" | "peekFirst"
        | "peekLast" | "pop" | "peek" | "poll" | "element" | "first" | "last" => Some(element),
        "remove" if owner.is_list() => Some(element),
        "subList" => Some(ValueType::new(&format!("List<{element}>"))),
        "iterator" => Some(ValueType::new(&format!("Iterator<{element}>"))),
        _ => None,
    }
}

fn by_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "length"
        | "size"
        | "indexOf"
        | "lastIndexOf"
        | "compareTo"
        | "compareToIgnoreCase"
        | "hashCode"
        | "intValue"
        | "ordinal"
        | "compare"
        | "codePointAt" => "int",
        "longValue" => "long",
        "doubleValue" => "double",
        "charAt" => "char",
        "isEmpty" | "contains" | "equals" | "equalsIgnoreCase" | "containsKey" | "containsValue" | "containsAll"
        | "startsWith" | "endsWith" | "hasNext" | "hasPrevious" | "matches" | "isPresent" | "isBlank" | "test"
        | "add" | "addAll" | "removeAll" | "retainAll" | "isInstance" | "isNaN" | "isInfinite" => "boolean",
        "substring" | "trim" | "strip" | "toString" | "toLowerCase" | "toUpperCase" | "concat" | "replace"
        | "replaceAll" | "name" | "getName" | "getSimpleName" => "String",
        "toCharArray" => "char[]",
        "split" => "String[]",
        "getBytes" => "byte[]",
        _ => return None,
    })
}

/// The wrapper of a primitive: type arguments cannot be primitive.
pub(super) fn boxed(kind: &ValueType) -> String {
    match kind.as_str() {
        "boolean" => "Boolean",
        "byte" => "Byte",
        "short" => "Short",
        "char" => "Character",
        "int" => "Integer",
        "long" => "Long",
        "float" => "Float",
        "double" => "Double",
        same => same,
    }
    .to_owned()
}

/// Library methods that take the same arguments, return the same type and are easily confused.
const CONFUSABLE: &[&[&str]] = &[
    &["indexOf", "lastIndexOf"],
    &["startsWith", "endsWith", "contains"],
    &["equals", "equalsIgnoreCase"],
    &["toLowerCase", "toUpperCase"],
    &["min", "max"],
    &["floor", "ceil", "rint"],
    &["sin", "cos", "tan"],
    &["log", "log10"],
    &["add", "addFirst", "addLast", "push", "offer"],
    &["getFirst", "getLast", "peek"],
    &["removeFirst", "removeLast", "pop"],
    &["pollFirst", "pollLast", "poll"],
    &["peekFirst", "peekLast", "peek"],
    &["containsKey", "containsValue"],
    &["put", "putIfAbsent"],
    &["keySet", "values"],
    &["getKey", "getValue"],
    &["addAll", "removeAll", "retainAll"],
    &["anyMatch", "allMatch", "noneMatch"],
    &["isDigit", "isLetter", "isLetterOrDigit", "isWhitespace"],
    &["isUpperCase", "isLowerCase"],
    &["isBefore", "isAfter"],
    &["plus", "minus"],
    &["and", "or"],
    &["replace", "replaceAll"],
    &["floorKey", "ceilingKey", "lowerKey", "higherKey"],
    &["headMap", "tailMap"],
    &["ceiling", "floor", "higher", "lower"],
    &["getInt", "getLong"],
    &["parseInt", "parseUnsignedInt"],
];

/// Methods of the library that may have been meant instead of `name`.
pub(super) fn confusable(name: &str) -> impl Iterator<Item = &'static str> {
    let groups = CONFUSABLE.iter().filter(move |group| group.contains(&name));
    groups.flat_map(|group| group.iter().copied()).filter(move |other| *other != name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_follow_type_arguments() {
        let t = ValueType::new;
        let map = t("Map<String,List<Integer>>");
        assert_eq!(returns(Some(&map), "m", "get", &[None]), Some(t("List<Integer>")));
        assert_eq!(returns(Some(&t("Deque<Node>")), "d", "pop", &[]), Some(t("Node")));
        assert_eq!(returns(None, "Math", "max", &[Some(t("int")), Some(t("long"))]), Some(t("long")));
        assert_eq!(returns(None, "Arrays", "asList", &[Some(t("int"))]), Some(t("List<Integer>")));
        assert_eq!(returns(None, "text", "charAt", &[None]), Some(t("char")));
        assert_eq!(returns(None, "x", "frobnicate", &[]), None);
    }

    #[test]
    fn confusions_name_the_others() {
        assert_eq!(confusable("min").collect::<Vec<_>>(), ["max"]);
        assert_eq!(confusable("frobnicate").count(), 0);
    }
}
