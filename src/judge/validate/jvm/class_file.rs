//! What is read of class files: what other classes see of a class, what it refers to, and where it comes from.
//!
//! When the shape of a class changes, its users must be compiled again. The shape holds the class's own flags, super types and generic signature, and every member that is not private, with
//! the values of constants, because compilers copy those into the users. Layout: JVM specification, chapter 4.

use std::collections::{BTreeMap, BTreeSet};

const PRIVATE: u16 = 0x0002;
const SYNTHETIC: u16 = 0x1000;

/// The shape of a class file as comparable text; `None` when the bytes are no class file.
pub(super) fn shape(bytes: &[u8]) -> Option<String> {
    let mut reader = Reader { bytes, at: 0 };
    if reader.u32()? != 0xCAFE_BABE {
        return None;
    }
    reader.skip(4)?;
    let pool = pool(&mut reader)?;
    let mut lines = Vec::new();
    let (flags, name, parent) = (reader.u16()?, reader.u16()?, reader.u16()?);
    let mut head = format!("class {flags:x} {} {}", pool.class(name), pool.class(parent));
    for _ in 0..reader.u16()? {
        head.push_str(&format!(" {}", pool.class(reader.u16()?)));
    }
    for kind in ["field", "method"] {
        for _ in 0..reader.u16()? {
            lines.extend(member(&mut reader, &pool, kind)?);
        }
    }
    for _ in 0..reader.u16()? {
        let (name, body) = attribute(&mut reader, &pool)?;
        if name == "Signature" {
            head.push_str(&pool.referred(body)?);
        }
    }
    lines.sort();
    Some(format!("{head}\n{}", lines.join("\n")))
}

/// What a class file says of itself and of others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::validate) struct ClassFacts {
    /// Its name, with slashes.
    pub(in crate::validate) name: String,
    /// The name of its source file, without folders.
    pub(in crate::validate) source: Option<String>,
    /// Classes that it names anywhere, with slashes; itself aside.
    pub(in crate::validate) refers_to: BTreeSet<String>,
    /// Constants that compilers copy into users: names of fields with the values.
    pub(in crate::validate) constants: BTreeMap<String, String>,
}

impl ClassFacts {
    /// The source file that it was made of, as `a/b/File.java`; `None` where it does not say so.
    pub(in crate::validate) fn source_path(&self) -> Option<String> {
        let source = self.source.as_ref()?;
        Some(match self.name.rsplit_once('/') {
            Some((package, _)) => format!("{package}/{source}"),
            None => source.clone(),
        })
    }
}

/// The facts of a class file; `None` when the bytes are no class file.
pub(in crate::validate) fn facts(bytes: &[u8]) -> Option<ClassFacts> {
    let mut reader = Reader { bytes, at: 0 };
    if reader.u32()? != 0xCAFE_BABE {
        return None;
    }
    reader.skip(4)?;
    let pool = pool(&mut reader)?;
    reader.skip(2)?;
    let name = pool.class(reader.u16()?);
    reader.skip(2)?;
    for _ in 0..reader.u16()? {
        reader.skip(2)?;
    }
    let mut facts = ClassFacts { name, ..ClassFacts::default() };
    for _ in 0..reader.u16()? {
        let (_, name, _) = (reader.u16()?, reader.u16()?, reader.u16()?);
        for _ in 0..reader.u16()? {
            let (kind, body) = attribute(&mut reader, &pool)?;
            if kind == "ConstantValue" {
                facts.constants.insert(pool.text(name)?, pool.referred(body)?);
            }
        }
    }
    for _ in 0..reader.u16()? {
        reader.skip(6)?;
        for _ in 0..reader.u16()? {
            attribute(&mut reader, &pool)?;
        }
    }
    for _ in 0..reader.u16()? {
        let (kind, body) = attribute(&mut reader, &pool)?;
        if kind == "SourceFile" {
            facts.source = pool.text(u16::from_be_bytes(<[u8; 2]>::try_from(body).ok()?));
        }
    }
    facts.refers_to = pool.classes();
    facts.refers_to.remove(&facts.name);
    Some(facts)
}

/// What a class file names in its constants: no spelling of the source hides it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::validate) struct Names {
    /// Classes, with slashes; itself among them.
    pub(in crate::validate) classes: BTreeSet<String>,
    /// Methods and fields that it uses: class, name, descriptor.
    pub(in crate::validate) members: BTreeSet<(String, String, String)>,
    /// Texts that the code holds.
    pub(in crate::validate) texts: BTreeSet<String>,
}

impl Names {
    /// Adds those of another class.
    pub(in crate::validate) fn extend(&mut self, more: Self) {
        self.classes.extend(more.classes);
        self.members.extend(more.members);
        self.texts.extend(more.texts);
    }
}

/// The names in a class file; `None` when the bytes are no class file.
pub(in crate::validate) fn names(bytes: &[u8]) -> Option<Names> {
    let mut reader = Reader { bytes, at: 0 };
    if reader.u32()? != 0xCAFE_BABE {
        return None;
    }
    reader.skip(4)?;
    let pool = pool(&mut reader)?;
    let members = pool.members.iter().filter_map(|index| pool.member(*index)).collect();
    let texts = pool.strings.iter().filter_map(|index| pool.named(*index, 0)).collect();
    Some(Names { classes: pool.classes(), members, texts })
}

/// One line for a member others can see.
fn member<'a>(reader: &mut Reader<'a>, pool: &Pool<'a>, kind: &str) -> Option<Option<String>> {
    let (flags, name, descriptor) = (reader.u16()?, reader.u16()?, reader.u16()?);
    let mut line = format!("{kind} {flags:x} {} {}", pool.text(name)?, pool.text(descriptor)?);
    for _ in 0..reader.u16()? {
        let (name, body) = attribute(reader, pool)?;
        match name.as_str() {
            "ConstantValue" | "Signature" => line.push_str(&format!(" {}", pool.referred(body)?)),
            "Exceptions" => {
                let mut list = Reader { bytes: body, at: 0 };
                for _ in 0..list.u16()? {
                    line.push_str(&format!(" throws {}", pool.class(list.u16()?)));
                }
            }
            _ => {}
        }
    }
    Some((flags & (PRIVATE | SYNTHETIC) == 0).then_some(line))
}

fn attribute<'a>(reader: &mut Reader<'a>, pool: &Pool<'a>) -> Option<(String, &'a [u8])> {
    let name = reader.u16()?;
    let length = usize::try_from(reader.u32()?).ok()?;
    Some((pool.text(name)?, reader.take(length)?))
}

/// The classes that a descriptor or a generic signature names: `Ljava/util/List<La/B;>;`.
fn in_descriptor(text: &str) -> impl Iterator<Item = String> + '_ {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '_' | '$' | '-');
    text.match_indices('L').filter_map(move |(at, _)| {
        let rest = &text[at + 1..];
        let end = rest.find(|c| !is_part(c))?;
        let closed = matches!(rest.as_bytes()[end], b';' | b'<');
        (closed && end > 0).then(|| rest[..end].to_owned())
    })
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        self.take(count).map(|_| ())
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn u16(&mut self) -> Option<u16> {
        self.take(2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    fn u32(&mut self) -> Option<u32> {
        self.take(4).map(|bytes| u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}

/// Constants by index; those of no interest are empty.
struct Pool<'a> {
    entries: Vec<&'a [u8]>,
    /// Indices of texts, and of classes.
    texts: Vec<usize>,
    classes: Vec<u16>,
    /// Indices of members of classes, and of texts that the code holds.
    members: Vec<u16>,
    strings: Vec<u16>,
}

fn pool<'a>(reader: &mut Reader<'a>) -> Option<Pool<'a>> {
    let count = usize::from(reader.u16()?);
    let mut entries: Vec<&[u8]> = vec![&[]];
    let (mut texts, mut classes, mut members, mut strings) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    while entries.len() < count {
        let kind = reader.u8()?;
        let index = u16::try_from(entries.len()).ok()?;
        match kind {
            1 => texts.push(entries.len()),
            7 => classes.push(index),
            8 => strings.push(index),
            9..=11 => members.push(index),
            _ => {}
        }
        let size = match kind {
            1 => usize::from(reader.u16()?),
            // A long or a double takes two indices.
            5 | 6 => {
                entries.push(reader.take(8)?);
                entries.push(&[]);
                continue;
            }
            7 | 8 | 16 | 19 | 20 => 2,
            15 => 3,
            3 | 4 | 9 | 10 | 11 | 12 | 17 | 18 => 4,
            _ => return None,
        };
        entries.push(reader.take(size)?);
    }
    Some(Pool { entries, texts, classes, members, strings })
}

impl Pool<'_> {
    /// Classes that are named as such, or in a descriptor or signature.
    fn classes(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for index in &self.classes {
            let name = self.class(*index);
            match name.strip_prefix('[') {
                Some(_) => found.extend(in_descriptor(&name)),
                None => drop(found.insert(name)),
            }
        }
        for index in &self.texts {
            let text = self.entries.get(*index).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
            if text.contains(';') {
                found.extend(in_descriptor(text));
            }
        }
        found
    }

    fn text(&self, index: u16) -> Option<String> {
        self.entries.get(usize::from(index)).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    fn class(&self, index: u16) -> String {
        self.named(index, 0).unwrap_or_default()
    }

    /// The index that stands in a constant behind so many bytes.
    fn inner(&self, index: u16, at: usize) -> Option<u16> {
        let bytes = self.entries.get(usize::from(index))?.get(at..at + 2)?;
        Some(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    /// The text that a constant refers to behind so many bytes.
    fn named(&self, index: u16, at: usize) -> Option<String> {
        self.text(self.inner(index, at)?)
    }

    /// Class, name and descriptor of a member.
    fn member(&self, index: u16) -> Option<(String, String, String)> {
        let (class, member) = (self.inner(index, 0)?, self.inner(index, 2)?);
        Some((self.class(class), self.named(member, 0)?, self.named(member, 2)?))
    }

    /// The constant an attribute names: a text through its index, or the bytes of a number.
    fn referred(&self, body: &[u8]) -> Option<String> {
        let index = u16::from_be_bytes(<[u8; 2]>::try_from(body).ok()?);
        let bytes = self.entries.get(usize::from(index))?;
        match <[u8; 2]>::try_from(*bytes) {
            Ok(text) => Some(format!("{bytes:?} {}", self.text(u16::from_be_bytes(text)).unwrap_or_default())),
            Err(_) => Some(format!("{bytes:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{facts, in_descriptor, names, shape};
    use proptest::prelude::*;

    #[test]
    fn descriptors_name_classes() {
        let found: Vec<String> = in_descriptor("(ILa/B;[Lc/D<+Le/F$G;>;)V").collect();
        assert_eq!(found, ["a/B", "c/D", "e/F$G"]);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..300), honest in any::<bool>()) {
            if honest {
                bytes.splice(0..0, [0xCA, 0xFE, 0xBA, 0xBE]);
            }
            shape(&bytes);
            facts(&bytes);
            names(&bytes);
        }
    }
}
