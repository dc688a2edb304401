//! What the classes of a patch newly ask of the world around them: the time, chance, threads, the process they run in.
//!
//! What the package or its tests speak of already is left alone.

use super::ambient_calls::{AMBIENT, Ambient};
use super::class_file::Names;
use crate::patch::suspicious::Place;
use std::collections::BTreeSet;

impl Ambient {
    /// Whether the texts of a class allow that it asks.
    fn is_possible(&self, names: &Names) -> bool {
        self.texts.is_empty() || self.texts.iter().any(|text| names.texts.contains(*text))
    }

    fn asks(&self, (class, name, descriptor): &(String, String, String)) -> bool {
        self.members.iter().any(|(owner, known, start)| {
            let is_owner = if owner.ends_with('/') { class.starts_with(owner) } else { class == owner };
            is_owner && (known.is_empty() || known == name) && descriptor.starts_with(start)
        })
    }

    fn is_spoken_of(&self, names: &Names) -> bool {
        let is_named = |class: &String| self.spoken.iter().any(|start| class.starts_with(start));
        let asks = self.is_possible(names) && names.members.iter().any(|member| self.asks(member));
        asks || names.classes.iter().any(is_named)
    }
}

/// Why a person should look at classes with these names; `known` are those of what stood in their package before, and of
/// its tests; `decides` tells whether a condition of the patch depends on one of some calls or types.
pub(super) fn reasons(known: &Names, new: &Names, decides: impl Fn(&BTreeSet<String>, Place) -> bool) -> Vec<String> {
    let simple = |class: &str| class.rsplit(['/', '$']).next().unwrap_or(class).to_owned();
    let unknown = AMBIENT.iter().filter(|ambient| ambient.is_possible(new) && !ambient.is_spoken_of(known));
    let reasons = unknown.filter_map(|ambient| {
        let asking: Vec<_> = new.members.iter().filter(|member| ambient.asks(member)).collect();
        let spell = |class: &str, name: &str| match (class, name) {
            (_, "<init>") => simple(class),
            // Much else has a name.
            ("java/lang/Class", "getName") => "getClass().getName".to_owned(),
            _ => name.to_owned(),
        };
        let spelled = asking.iter().map(|(class, name, _)| spell(class, name)).collect();
        let (class, name, _) = asking.first()?;
        let shown =
            if name == "<init>" { format!("new {}", simple(class)) } else { format!("{}.{name}", simple(class)) };
        ambient.counts.warning(&shown, ambient.what, &spelled, &decides)
    });
    reasons.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(classes: &[&str], members: &[(&str, &str, &str)]) -> Names {
        let own = |text: &&str| (*text).to_owned();
        Names {
            classes: classes.iter().map(own).collect(),
            members: members.iter().map(|(a, b, c)| (own(a), own(b), own(c))).collect(),
            ..Names::default()
        }
    }

    #[test]
    fn what_is_new_about_the_world_around_is_told() {
        for (member, word) in [
            (("java/lang/System", "nanoTime", "()J"), "`System.nanoTime` decides by the time"),
            (("java/time/LocalDate", "now", "()Ljava/time/LocalDate;"), "`LocalDate.now` decides by the time"),
            (("java/util/Random", "<init>", "()V"), "`new Random` decides by chance"),
            (("java/lang/Thread", "<init>", "(Ljava/lang/Runnable;)V"), "`new Thread` starts a thread"),
            (("java/lang/System", "console", "()Ljava/io/Console;"), "decides by the process"),
            (("java/io/File", "createNewFile", "()Z"), "leaves files behind"),
            (("java/io/File", "exists", "()Z"), "decides by files around it"),
            (("java/util/Scanner", "<init>", "(Ljava/io/File;)V"), "decides by files around it"),
            (("java/util/Collections", "shuffle", "(Ljava/util/List;)V"), "decides by chance"),
            (("java/util/concurrent/ForkJoinPool", "commonPool", "()V"), "starts a thread"),
            (("java/util/concurrent/locks/ReentrantLock", "isHeldByCurrentThread", "()Z"), "decides by the thread"),
            (("java/net/HttpCookie", "hasExpired", "()Z"), "`HttpCookie.hasExpired` decides by the time"),
            (("java/util/Locale", "getDefault", "()Ljava/util/Locale;"), "decides by the settings"),
            (("java/lang/Class", "isSynthetic", "()Z"), "decides by what a class is called"),
            (("java/lang/ref/WeakReference", "get", "()Ljava/lang/Object;"), "decides by when memory is freed"),
        ] {
            let new = names(&[], &[member]);
            let found = reasons(&Names::default(), &new, |_, _| true);
            assert!(found.len() == 1 && found[0].contains(word), "{member:?}: {found:?}");
            assert!(reasons(&new, &new, |_, _| true).is_empty(), "its package asks already: {member:?}");
        }
    }

    #[test]
    fn a_property_is_told_where_it_is_one_of_the_machine() {
        let with_text = |text: &str| {
            let property = ("java/lang/System", "getProperty", "(Ljava/lang/String;)Ljava/lang/String;");
            let mut names = names(&[], &[property]);
            names.texts.insert(text.to_owned());
            names
        };
        let warned = |known: &str, new: &str| reasons(&with_text(known), &with_text(new), |_, _| true);
        assert!(warned("os.name", "user.home")[0].contains("`System.getProperty` decides by whose machine"));
        assert!(warned("user.home", "user.home").is_empty(), "its package asks already");
        assert!(warned("os.name", "line.separator").is_empty());
    }

    #[test]
    fn what_tests_or_the_package_speak_of_is_left_alone() {
        let clock = names(&[], &[("java/lang/System", "nanoTime", "()J")]);
        assert!(reasons(&names(&["java/time/Duration"], &[]), &clock, |_, _| true).is_empty());
        assert!(reasons(&Names::default(), &clock, |_, _| false).is_empty(), "it decides nothing");
        for member in [
            ("java/util/Random", "<init>", "(J)V"),
            ("java/util/Date", "<init>", "(J)V"),
            ("java/lang/System", "getenv", "(Ljava/lang/String;)Ljava/lang/String;"),
            ("java/lang/Class", "isInstance", "(Ljava/lang/Object;)Z"),
            ("java/util/Scanner", "<init>", "(Ljava/lang/String;)V"),
            ("shop/Clock", "now", "()J"),
        ] {
            assert!(reasons(&Names::default(), &names(&[], &[member]), |_, _| true).is_empty(), "{member:?}");
        }
    }
}
