//! What other classes see of a compiled class: when it changes, its users must be compiled again.
//!
//! The shape holds the class's own flags, super types and generic signature, and every member that is not private, with
//! the values of constants, because compilers copy those into the users. Layout: JVM specification, chapter 4.

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
struct Pool<'a>(Vec<&'a [u8]>);

fn pool<'a>(reader: &mut Reader<'a>) -> Option<Pool<'a>> {
    let count = usize::from(reader.u16()?);
    let mut entries: Vec<&[u8]> = vec![&[]];
    while entries.len() < count {
        let size = match reader.u8()? {
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
    Some(Pool(entries))
}

impl Pool<'_> {
    fn text(&self, index: u16) -> Option<String> {
        self.0.get(usize::from(index)).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    fn class(&self, index: u16) -> String {
        let name = self
            .0
            .get(usize::from(index))
            .and_then(|bytes| Some(u16::from_be_bytes(<[u8; 2]>::try_from(*bytes).ok()?)));
        name.and_then(|name| self.text(name)).unwrap_or_default()
    }

    /// The constant an attribute names: a text through its index, or the bytes of a number.
    fn referred(&self, body: &[u8]) -> Option<String> {
        let index = u16::from_be_bytes(<[u8; 2]>::try_from(body).ok()?);
        let bytes = self.0.get(usize::from(index))?;
        match <[u8; 2]>::try_from(*bytes) {
            Ok(text) => Some(format!("{bytes:?} {}", self.text(u16::from_be_bytes(text)).unwrap_or_default())),
            Err(_) => Some(format!("{bytes:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::shape;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..300), honest in any::<bool>()) {
            if honest {
                bytes.splice(0..0, [0xCA, 0xFE, 0xBA, 0xBE]);
            }
            shape(&bytes);
        }
    }
}
