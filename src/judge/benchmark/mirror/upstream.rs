//! Repositories that the mirror reads from.

use super::{MOST_BYTES, PATIENCE};
use crate::benchmark::xml::Element;
use camino::Utf8Path;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// A repository, with what it wants to know of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::benchmark) struct Upstream {
    /// Address without a slash at its end.
    url: String,
    /// Name and password.
    login: Option<(String, String)>,
    /// The user's own way out, as an address with its login.
    proxy: Option<String>,
    /// Whether the project named it: a name of its choice could be a machine of the user's own network.
    must_be_public: bool,
}

/// The repositories of the user's settings, and those of the pom that every other inherits from: Central, unless a mirror of
/// the user's stands for it.
pub(in crate::benchmark) fn of_user(settings: Option<&str>, super_pom: Option<&str>) -> Vec<Upstream> {
    let document = settings.map(Element::parse).unwrap_or_default();
    let nothing = Element::default();
    let settings = document.child("settings").unwrap_or(&nothing);
    let proxy = settings.child("proxies").and_then(|proxies| proxies.all("proxy").find_map(proxy));
    let upstream = |url: &str, id: Option<&str>| Upstream {
        url: url.trim_end_matches('/').to_owned(),
        login: id.and_then(|id| login(settings, id)),
        proxy: proxy.clone(),
        must_be_public: false,
    };
    let mirrors = settings.child("mirrors").into_iter().flat_map(|all| all.all("mirror"));
    let mirrors: Vec<&Element> = mirrors.filter(|mirror| mirror.child_text("blocked") != Some("true")).collect();
    let mut all: Vec<Upstream> = mirrors
        .iter()
        .filter_map(|mirror| Some(upstream(mirror.child_text("url")?, mirror.child_text("id"))))
        .collect();
    let stands_for_central = |mirror: &&Element| {
        mirror.child_text("mirrorOf").is_some_and(|of| {
            of.split(',').map(str::trim).any(|of| ["*", "external:*", "central"].contains(&of))
                && !of.contains("!central")
        })
    };
    if !mirrors.iter().any(stands_for_central) {
        let inherited = super_pom.map(Element::parse).unwrap_or_default();
        for (id, url) in inherited.child("project").map(repositories).unwrap_or_default() {
            let central = upstream(&url, id.as_deref());
            if !all.contains(&central) {
                all.insert(0, central);
            }
        }
    }
    let profiles = settings.child("profiles").into_iter().flat_map(|all| all.all("profile"));
    for (id, url) in profiles.flat_map(repositories) {
        all.push(upstream(&url, id.as_deref()));
    }
    all
}

/// Public repositories that the poms of a project name.
pub(in crate::benchmark) fn of_project(pom: &str) -> Vec<Upstream> {
    let document = Element::parse(pom);
    let Some(project) = document.child("project") else { return Vec::new() };
    let profiles = project.child("profiles").into_iter().flat_map(|all| all.all("profile"));
    let named = std::iter::once(project).chain(profiles).flat_map(repositories);
    named.filter_map(|(_, url)| public(&url)).collect()
}

/// A repository at an address that a project names; `None` where it cannot be a public one.
pub(in crate::benchmark) fn public(url: &str) -> Option<Upstream> {
    let url = url.trim_end_matches('/').to_owned();
    let is_public = reqwest::Url::parse(&url).is_ok_and(|url| has_public_name(&url));
    is_public.then_some(Upstream { url, login: None, proxy: None, must_be_public: true })
}

/// Identifiers and addresses of the repositories of a pom or a profile.
fn repositories(part: &Element) -> Vec<(Option<String>, String)> {
    let lists = [("repositories", "repository"), ("pluginRepositories", "pluginRepository")];
    let all = lists.iter().flat_map(|(list, one)| part.child(list).into_iter().flat_map(|list| list.all(one)));
    all.filter_map(|one| Some((one.child_text("id").map(str::to_owned), one.child_text("url")?.to_owned()))).collect()
}

fn login(settings: &Element, id: &str) -> Option<(String, String)> {
    let servers = settings.child("servers")?;
    let server = servers.all("server").find(|server| server.child_text("id") == Some(id))?;
    let password = server.child_text("password")?;
    // One that is encrypted needs the user's master password, which stays where it is.
    (!password.starts_with('{')).then(|| Some((server.child_text("username")?.to_owned(), password.to_owned())))?
}

fn proxy(proxy: &Element) -> Option<String> {
    if proxy.child_text("active") == Some("false") {
        return None;
    }
    let place = format!("{}:{}", proxy.child_text("host")?, proxy.child_text("port").unwrap_or("8080"));
    let login = proxy.child_text("username").zip(proxy.child_text("password"));
    Some(login.map_or_else(|| format!("http://{place}"), |(name, word)| format!("http://{name}:{word}@{place}")))
}

/// Whether an address is one of TLS with a name, which is then looked up by [`PublicOnly`].
fn has_public_name(url: &reqwest::Url) -> bool {
    let is_name = url.domain().is_some_and(|name| name.contains('.') && !name.contains(['$', '{', '}']));
    url.scheme() == "https" && is_name
}

/// Finds public addresses only.
struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found.filter(|address| is_public(address.ip())).collect();
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

/// Whether an address lies in no private, local or special range (RFC 6890).
fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [first, second, ..] = v4.octets();
            let shared = first == 100 && (64..128).contains(&second);
            // Networks that see each name at one address of their own take it from the ranges for documentation.
            let special = v4.is_private() || v4.is_loopback() || v4.is_link_local();
            !(special || shared || v4.is_broadcast() || v4.is_multicast() || first == 0 || first >= 240)
        }
        IpAddr::V6(v6) => {
            let first = v6.segments()[0];
            let local = first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfe80;
            !(local || v6.is_loopback() || v6.is_unspecified() || v6.is_multicast())
        }
    }
}

/// Variables that name the way out of the user's network.
const PROXIES: [&str; 4] = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

/// A repository that can be asked.
pub(in crate::benchmark) struct Connected {
    upstream: Upstream,
    client: reqwest::Client,
}

impl Upstream {
    pub(in crate::benchmark) fn connected(self) -> io::Result<Connected> {
        let public = self.must_be_public;
        // The user's proxy finds the addresses of names by itself.
        let by_proxy = || PROXIES.iter().any(|name| std::env::var_os(name).is_some_and(|proxy| !proxy.is_empty()));
        // Stores of files stand behind many repositories; nothing leads from TLS back to plain connections.
        let follow = Policy::custom(move |attempt| {
            let is_safe = attempt.url().scheme() == "https" && (!public || has_public_name(attempt.url()));
            if is_safe && attempt.previous().len() < 5 { attempt.follow() } else { attempt.stop() }
        });
        unidebug_base::tls::use_ring();
        let mut client = reqwest::Client::builder().redirect(follow).connect_timeout(PATIENCE).read_timeout(PATIENCE);
        if public && !by_proxy() {
            client = client.dns_resolver(Arc::new(PublicOnly)).no_proxy();
        }
        if let Some(proxy) = &self.proxy {
            client = client.proxy(reqwest::Proxy::all(proxy).map_err(io::Error::other)?);
        }
        Ok(Connected { client: client.build().map_err(io::Error::other)?, upstream: self })
    }
}

impl Connected {
    /// A file of the repository; `None` when it has none of that name.
    pub(in crate::benchmark) async fn get(&self, path: &str) -> Result<Option<Vec<u8>>, String> {
        let url = format!("{}/{path}", self.upstream.url);
        let mut request = self.client.get(&url);
        if let Some((name, password)) = &self.upstream.login {
            request = request.basic_auth(name, Some(password));
        }
        let host = Utf8Path::new(&self.upstream.url).components().nth(1).map_or("the repository", |host| host.as_str());
        let unreachable = |_: reqwest::Error| format!("{host} cannot be reached");
        let mut answer = request.send().await.map_err(unreachable)?;
        match answer.status().as_u16() {
            200 => {}
            401 | 403 => return Err(format!("{host} wants a login")),
            500.. | 429 => return Err(format!("{host} answers {}", answer.status().as_u16())),
            _ => return Ok(None),
        }
        let mut bytes = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(unreachable)? {
            bytes.extend_from_slice(&part);
            if bytes.len() > MOST_BYTES {
                return Err(format!("{path} is too large"));
            }
        }
        Ok(Some(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(all: &[Upstream]) -> Vec<&str> {
        all.iter().map(|upstream| upstream.url.as_str()).collect()
    }

    #[test]
    fn the_users_settings_decide_where_files_come_from_and_who_is_told_a_password() {
        let super_pom = "<project><repositories><repository><id>central</id><url>https://central.example.org/m2</url>\
            </repository></repositories><pluginRepositories><pluginRepository><id>central</id>\
            <url>https://central.example.org/m2</url></pluginRepository></pluginRepositories></project>";
        assert_eq!(urls(&of_user(None, Some(super_pom))), ["https://central.example.org/m2"]);
        let settings = "<settings><servers><server><id>corp</id><username>me</username><password>p</password></server>\
            <server><id>odd</id><username>me</username><password>{x}</password></server></servers>\
            <mirrors><mirror><id>corp</id><mirrorOf>*</mirrorOf><url>http://nexus.corp/all/</url></mirror></mirrors>\
            <profiles><profile><repositories><repository><id>odd</id><url>https://odd.corp/m2</url></repository>\
            </repositories></profile></profiles></settings>";
        let all = of_user(Some(settings), Some(super_pom));
        assert_eq!(urls(&all), ["http://nexus.corp/all", "https://odd.corp/m2"]);
        assert_eq!(all[0].login, Some(("me".into(), "p".into())));
        assert_eq!(all[1].login, None, "an encrypted password is no password");
    }

    #[test]
    fn a_project_names_public_repositories_only() {
        let repository = |url: &str| format!("<repository><id>x</id><url>{url}</url></repository>");
        let named = ["https://m2.example.org/", "http://m2.example.org", "https://127.0.0.1/m2", "https://intranet/m2"];
        let all: String = named.iter().map(|url| repository(url)).collect();
        let pom =
            format!("<project><profiles><profile><repositories>{all}</repositories></profile></profiles></project>");
        assert_eq!(urls(&of_project(&pom)), ["https://m2.example.org"]);
        for (address, public) in [
            ("93.184.215.14", true),
            ("10.1.2.3", false),
            ("100.64.0.1", false),
            ("169.254.169.254", false),
            ("203.0.113.80", true),
            ("::ffff:192.168.0.1", false),
            ("fd00::1", false),
            ("2606:2800:21f::1", true),
        ] {
            assert_eq!(is_public(address.parse().unwrap()), public, "{address}");
        }
    }
}
