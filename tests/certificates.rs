//! Endpoints whose certificate is not taken, in whole runs against a real TLS server: kind 35 of wrong input.

use crate::support::{Finished, Unidebug};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Serves a list of models behind TLS, and tells its port.
const SERVER: &str = r#"
import com.sun.net.httpserver.*;
import java.io.*;
import java.net.*;
import java.security.*;
import javax.net.ssl.*;

public class Server {
    public static void main(String[] args) throws Exception {
        char[] password = "changeit".toCharArray();
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(new FileInputStream(args[0]), password);
        KeyManagerFactory keys = KeyManagerFactory.getInstance("SunX509");
        keys.init(store, password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        HttpsServer server = HttpsServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        server.createContext("/", exchange -> {
            byte[] body = "{\"data\": [{\"id\": \"good-model\"}]}".getBytes();
            if (exchange.getRequestURI().getPath().equals("/v1/models")) {
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            } else {
                exchange.sendResponseHeaders(404, -1);
            }
            exchange.close();
        });
        // A handshake that the other side leaves must not keep the next one waiting.
        server.setExecutor(java.util.concurrent.Executors.newCachedThreadPool());
        server.start();
        System.out.println(server.getAddress().getPort());
    }
}
"#;

/// A server with a certificate of its own.
struct Server {
    process: Child,
    port: u16,
    /// The certificate, as SSL_CERT_FILE takes it.
    certificate: PathBuf,
    _folder: tempfile::TempDir,
}

impl Server {
    /// `life` is what `keytool` is told of the certificate's time.
    fn start(life: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (store, certificate) = (folder.path().join("store.p12"), folder.path().join("certificate.pem"));
        let source = folder.path().join("Server.java");
        std::fs::write(&source, SERVER).unwrap();
        let make =
            ["-genkeypair", "-alias", "a", "-keyalg", "EC", "-dname", "CN=localhost", "-ext", "SAN=ip:127.0.0.1"];
        keytool(&store, &[&make[..], life].concat());
        keytool(&store, &["-exportcert", "-rfc", "-alias", "a", "-file", certificate.to_str().unwrap()]);
        let mut process =
            Command::new("java").arg(&source).arg(&store).stdout(Stdio::piped()).spawn().expect("a JDK is there");
        let mut port = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { process, port: port.trim().parse().unwrap(), certificate, _folder: folder }
    }

    /// A run that asks for a model which the server does not have.
    fn run(&self, host: &str, trusted: bool) -> Finished {
        let url = format!("https://{host}:{}/v1", self.port);
        let args = ["run", "fixtures:ring-buffer", "--model", "god-model", "--base-url", &url, "--json"];
        let program = Unidebug::new(&args).env("OPENAI_API_KEY", "sk-0123456789abcdef0123");
        let certificate = self.certificate.to_str().unwrap();
        if trusted { program.env("SSL_CERT_FILE", certificate).run() } else { program.run() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn keytool(store: &Path, args: &[&str]) {
    let mut command = Command::new("keytool");
    command.args(args).arg("-keystore").arg(store).args(["-storepass", "changeit"]);
    let done = command.output().expect("a JDK is there");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}

fn message_and_hint(done: &Finished) -> (String, String) {
    done.expect_code(4);
    let error = &done.json()["error"];
    (error["message"].as_str().unwrap().to_owned(), error["hint"].as_str().unwrap().to_owned())
}

#[test]
fn a_certificate_that_is_not_trusted_is_told_with_the_way_to_trust_it() {
    let server = Server::start(&["-validity", "30"]);
    let (message, hint) = message_and_hint(&server.run("127.0.0.1", false));
    assert!(message.contains("cannot reach 127.0.0.1") && message.contains("certificate"), "{message}");
    assert!(hint.contains("SSL_CERT_FILE"), "{hint}");
    // Trusted, it is reached: what is wrong then is the model.
    let (message, hint) = message_and_hint(&server.run("127.0.0.1", true));
    assert!(message.contains("does not know the model `god-model`") && hint.contains("good-model"), "{message}");
    let (message, hint) = message_and_hint(&server.run("localhost", true));
    assert!(message.contains("certificate") && hint.contains("base URL"), "{message}: {hint}");
}

#[test]
fn a_certificate_out_of_its_time_is_told_with_the_clock() {
    for start in ["2020/01/01 00:00:00", "2090/01/01 00:00:00"] {
        let server = Server::start(&["-startdate", start, "-validity", "30"]);
        let (message, hint) = message_and_hint(&server.run("127.0.0.1", true));
        assert!(message.contains("certificate") && hint.contains("clock"), "{message}: {hint}");
    }
}
