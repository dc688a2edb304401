//! The user's settings as a build may see them: where libraries come from, and no secret.

use crate::benchmark::jars;
use crate::benchmark::mirror::ID;
use crate::benchmark::xml::Element;
use crate::domain::Fingerprint;
use crate::domain::words::without_login;
use camino::{Utf8Path, Utf8PathBuf};
use std::{fs, io};

/// Parts of a profile and of a mirror that a build may see; what lies below them is seen whole.
const PROFILE: &[&str] = &["id", "activation", "repositories", "pluginRepositories"];
const MIRROR: &[&str] = &["id", "name", "mirrorOf", "url", "layout", "mirrorOfLayouts", "blocked"];
/// Words in names of properties that are nobody's business.
const SECRET: &[&str] = &["pass", "secret", "token", "key", "login", "auth", "credential", "user", "pwd"];

/// The text of the user's settings.
pub(super) fn settings() -> Option<String> {
    let home = std::env::var("HOME").ok()?;
    fs::read_to_string(Utf8PathBuf::from(home).join(".m2/settings.xml")).ok()
}

/// What a build may see of settings; with a mirror of ours it stands for all repositories.
pub(super) fn copy(settings: Option<&str>, mirror: Option<&str>) -> String {
    let document = settings.map(Element::parse).unwrap_or_default();
    let nothing = Element::default();
    let settings = document.child("settings").unwrap_or(&nothing);
    let mut text = String::from("<settings>");
    match mirror {
        Some(url) => text.push_str(&format!(
            "<mirrors><mirror><id>{ID}</id><mirrorOf>*</mirrorOf><url>{url}</url></mirror></mirrors>"
        )),
        None => list(settings, "mirrors", "mirror", &mut text, |mirror, text| parts(mirror, MIRROR, text)),
    }
    list(settings, "profiles", "profile", &mut text, |profile, text| {
        parts(profile, PROFILE, text);
        let properties = profile.child("properties").into_iter().flat_map(|all| &all.children);
        let open = |name: &str| !SECRET.iter().any(|word| name.to_lowercase().contains(word));
        text.push_str("<properties>");
        properties.filter(|property| open(&property.name)).for_each(|property| write(property, text));
        text.push_str("</properties>");
    });
    for name in ["activeProfiles", "pluginGroups"] {
        settings.child(name).into_iter().for_each(|part| write(part, &mut text));
    }
    text + "</settings>\n"
}

/// The copy as a file that stays; its name is its content's.
pub(super) fn file(text: &str) -> io::Result<Utf8PathBuf> {
    let folder = jars::cache_dir().join("maven-settings");
    fs::create_dir_all(&folder)?;
    let name = Fingerprint::default().add(text).name();
    let path = folder.canonicalize_utf8()?.join(name + ".xml");
    if fs::read_to_string(&path).ok().as_deref() != Some(text) {
        let new = tempfile::NamedTempFile::new_in(&folder)?;
        fs::write(new.path(), text)?;
        new.persist(&path).map_err(|error| error.error)?;
    }
    Ok(path)
}

/// The file of settings that a build may see in a folder of its own.
pub(super) fn file_in(folder: &Utf8Path, text: &str) -> io::Result<Utf8PathBuf> {
    let path = folder.join("settings.xml");
    fs::write(&path, text)?;
    Ok(path)
}

fn list(settings: &Element, name: &str, one: &str, text: &mut String, each: impl Fn(&Element, &mut String)) {
    let Some(all) = settings.child(name) else { return };
    text.push_str(&format!("<{name}>"));
    for element in all.all(one) {
        text.push_str(&format!("<{one}>"));
        each(element, text);
        text.push_str(&format!("</{one}>"));
    }
    text.push_str(&format!("</{name}>"));
}

fn parts(element: &Element, names: &[&str], text: &mut String) {
    element.children.iter().filter(|child| names.contains(&child.name.as_str())).for_each(|child| write(child, text));
}

/// An element with all below it, without attributes.
fn write(element: &Element, text: &mut String) {
    text.push_str(&format!("<{}>", element.name));
    let content = element.text().unwrap_or_default();
    let content = if element.name == "url" { without_login(content) } else { content.to_owned() };
    text.push_str(&quick_xml::escape::escape(content.as_str()));
    element.children.iter().for_each(|child| write(child, text));
    text.push_str(&format!("</{}>", element.name));
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: &str = "<settings><localRepository>/home/me/m2</localRepository>\
        <servers><server><id>corp</id><username>me</username><password>planted-1</password></server></servers>\
        <proxies><proxy><host>p</host><password>planted-2</password></proxy></proxies>\
        <mirrors><mirror><id>corp</id><mirrorOf>*</mirrorOf><url>https://me:planted-3@nexus.corp/all</url></mirror>\
        </mirrors><profiles><profile><id>p</id><properties><gpg.passphrase>planted-4</gpg.passphrase>\
        <sonar.token>planted-5</sonar.token><java.level>8 &amp; 9</java.level></properties>\
        <repositories><repository><id>r</id><url>https://r.corp</url></repository></repositories></profile></profiles>\
        <activeProfiles><activeProfile>p</activeProfile></activeProfiles></settings>";

    #[test]
    fn a_build_sees_where_libraries_come_from_and_no_secret() {
        let settings = copy(Some(SETTINGS), None);
        assert!(!settings.contains("planted"), "{settings}");
        for wanted in
            ["<url>https://nexus.corp/all</url>", "<url>https://r.corp</url>", "<activeProfile>p</activeProfile>"]
        {
            assert!(settings.contains(wanted), "{wanted}: {settings}");
        }
        assert!(settings.contains("<java.level>8 &amp; 9</java.level>"), "{settings}");
        let mirrored = copy(Some(SETTINGS), Some("http://127.0.0.1:1/w"));
        assert!(mirrored.contains("<url>http://127.0.0.1:1/w</url>") && !mirrored.contains("nexus"), "{mirrored}");
        assert!(copy(None, None).starts_with("<settings>"));
    }
}
