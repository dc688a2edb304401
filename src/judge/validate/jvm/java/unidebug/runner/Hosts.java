package unidebug.runner;

import java.io.IOException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.Collections;
import java.util.List;

/**
 * Notes which host beyond this machine was asked for last: connections ask for their proxies before they look names up, and
 * code may swallow that nothing can be reached. What they are answered stays as it was.
 */
final class Hosts extends ProxySelector {
    private static volatile String asked;
    private final ProxySelector before;

    private Hosts(ProxySelector before) {
        this.before = before;
    }

    static void watch() {
        ProxySelector.setDefault(new Hosts(ProxySelector.getDefault()));
    }

    /** The host that was asked for since the last call, or null. */
    static String taken() {
        String host = asked;
        asked = null;
        return host;
    }

    private static boolean isHere(String host) {
        return host.equals("localhost") || host.endsWith(".localhost") || host.startsWith("127.") || host.equals("0.0.0.0")
                || host.equals("[::1]");
    }

    @Override
    public List<Proxy> select(URI uri) {
        String host = uri == null ? null : uri.getHost();
        if (host != null && !isHere(host)) {
            asked = host;
        }
        return before == null ? Collections.singletonList(Proxy.NO_PROXY) : before.select(uri);
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException why) {
        if (before != null) {
            before.connectFailed(uri, address, why);
        }
    }
}
