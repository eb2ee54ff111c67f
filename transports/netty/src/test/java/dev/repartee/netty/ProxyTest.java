package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.netty.http.HttpAddress;
import dev.repartee.netty.http.Proxy;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ProxyTest {
  private static final String CREDENTIALS =
      "Basic " + Base64.getEncoder().encodeToString("ann:p@ss:1".getBytes(UTF_8));

  private static Server serve(String uri) throws IOException {
    return Repartee.listen(
        uri, Service.builder().method("name", call -> "served").build());
  }

  /** The URI of a server under a name that only the proxy can resolve. */
  private static String named(Server server, String scheme) {
    return scheme + "://rpc.example:" + server.port() + "/rpc?a=b";
  }

  @Test
  void anHttpRequestGoesToTheProxyWithTheWholeUri() throws Exception {
    try (Server server = serve("http://127.0.0.1:0/rpc#hosts=rpc.example");
        ForwardProxy proxy = new ForwardProxy(server, null);
        Peer peer = Repartee.connect(named(server, "http") + "#proxy=" + proxy.address())) {
      assertThat(peer.call("name", String.class)).isEqualTo("served");
      assertThat(proxy.heads.take())
          .startsWith("POST " + named(server, "http") + " HTTP/1.1\r\n")
          .contains("host: rpc.example:")
          .doesNotContain("authorization");
      assertThat(peer.call("name", String.class)).isEqualTo("served");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ws", "wss", "https"})
  void otherConnectionsGoThroughATunnelWithTheCredentials(String scheme, @TempDir Path folder)
      throws Exception {
    Certificates certificates = new Certificates(folder);
    boolean secure = !scheme.equals("ws");
    String options = secure ? "&" + certificates.named("rpc.example") : "";
    String trust = secure ? "&ca=" + certificates.ca() : "";
    String listening = (secure ? "https" : "http") + "://127.0.0.1:0/rpc#hosts=rpc.example";
    try (Server server = serve(listening + options);
        ForwardProxy proxy = new ForwardProxy(server, CREDENTIALS);
        Peer peer = Repartee.connect(
            named(server, scheme) + "#proxy=http://ann:p%40ss%3A1@" + proxy.address() + trust)) {
      assertThat(peer.call("name", String.class)).isEqualTo("served");
      assertThat(proxy.heads.take()).startsWith("CONNECT rpc.example:").contains("basic ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "https", "ws", "wss"})
  void aProxyThatRefusesIsNamedWithoutItsPassword(String scheme) throws Exception {
    try (Server server = serve("http://127.0.0.1:0/rpc");
        ForwardProxy proxy = new ForwardProxy(server, CREDENTIALS)) {
      String uri = named(server, scheme) + "#proxy=http://ann:secret@" + proxy.address();
      assertThatThrownBy(() -> {
            try (Peer peer = Repartee.connect(uri)) {
              peer.call("name", String.class);
            }
          })
          .hasMessageContaining("the proxy " + proxy.address() + " refused ")
          .hasMessageContaining("407")
          .hasMessageContaining("#proxy=http://USER:PASSWORD@" + proxy.address())
          .hasMessageNotContaining("gave no answer")
          .satisfies(ProxyTest::keepsTheSecret);
    }
  }

  @Test
  void aProxyThatClosesIsNamed() throws Exception {
    try (ScriptedServer proxy = new ScriptedServer(ScriptedServer.Connection::request);
        Peer peer = Repartee.connect("http://rpc.example/#proxy=http://ann:secret@"
            + URI.create(proxy.uri()).getAuthority())) {
      assertThatThrownBy(() -> peer.call("name", String.class))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageContaining("rpc.example:80 through the proxy "
              + URI.create(proxy.uri()).getAuthority() + " ended before the answer came")
          .satisfies(ProxyTest::keepsTheSecret);
    }
  }

  @Test
  void aRefusalOfAProxyThatTheClientDoesNotKnowTellsHowToNameIt() throws Exception {
    try (ScriptedServer between = new ScriptedServer(connection -> {
          connection.request();
          connection.send(ScriptedServer.answer("407 No", ""));
        });
        Peer peer = Repartee.connect(between.uri())) {
      assertThatThrownBy(() -> peer.call("name", String.class))
          .hasMessageContaining("407")
          .hasMessageContaining("#proxy=http://USER:PASSWORD@HOST:PORT");
    }
  }

  private static void keepsTheSecret(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      assertThat(cause.toString()).doesNotContain("secret").doesNotContain("YW5uOnNlY3JldA");
    }
  }

  @Test
  void aProxyThatIsNotThereIsNamed() throws Exception {
    try (Socket taken = new Socket()) { // bound: no other process can listen on its port
      taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      String proxy = "127.0.0.1:" + taken.getLocalPort();
      assertThatThrownBy(
              () -> Repartee.connect("ws://rpc.example/#proxy=http://ann:secret@" + proxy))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("through the proxy " + proxy)
          .satisfies(ProxyTest::keepsTheSecret);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"socks5://proxy:1", "http://proxy:99999", "http://ann:secret%4@proxy:1"})
  void aMalformedProxyIsRefusedWithoutItsPassword(String value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Repartee.connect("http://rpc.example/#proxy=" + value))
        .withMessageContaining("proxy")
        .satisfies(ProxyTest::keepsTheSecret);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Endpoint.parse("http://h/#proxy=http://ann:secret@proxy&oops=1"))
        .withMessageContaining("oops")
        .satisfies(ProxyTest::keepsTheSecret);
  }

  @Test
  void aServerHasNoProxy() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> serve("http://127.0.0.1:0/#proxy=proxy:3128"))
        .withMessageContaining("option of clients");
  }

  private static String chosen(String uri, Map<String, String> environment) {
    Endpoint endpoint = Endpoint.parse(uri);
    Proxy proxy = Proxy.of(endpoint, HttpAddress.of(endpoint), environment::get);
    return proxy == null ? "direct" : proxy.toString();
  }

  @ParameterizedTest
  @CsvSource({
    "http://a.example/, plain:1",
    "ws://a.example/, plain:1",
    "https://a.example/, secure:2",
    "wss://a.example/, secure:2",
    "http://a.example/#proxy=other, other:1080",
    "http://a.example/#proxy=http://[::1]:3, [::1]:3",
    "http://a.example/#proxy=none, direct",
    "http://127.0.0.1:80/, direct",
    "http://localhost/, direct",
    "http://app.localhost/, direct",
    "http://[::1]/, direct",
    "http://127.0.0.1/#proxy=other:3, other:3",
    "http://in.example/, direct",
    "http://deep.in.example/, direct",
    "http://begin.example/, plain:1",
    "http://b.example:8080/, direct",
    "http://b.example:8081/, plain:1",
    "http://10.1.2.3/, direct",
    "http://11.1.2.3/, plain:1",
  })
  void theEnvironmentChoosesTheProxyButNotForThisMachine(String uri, String expected) {
    Map<String, String> environment = Map.of(
        "http_proxy", "http://u:p@plain:1/",
        "HTTPS_PROXY", "secure:2",
        "HTTP_PROXY", "never:1",
        "no_proxy", ".in.example, b.example:8080,10.0.0.0/8");
    assertThat(chosen(uri, environment)).isEqualTo(expected);
    assertThat(chosen(uri.replaceAll("#.*", ""), Map.of())).isEqualTo("direct");
    assertThat(chosen(uri.replaceAll("#.*", ""), Map.of("all_proxy", "all:1", "NO_PROXY", "*")))
        .isEqualTo("direct");
  }

  /** A forward proxy that knows one server, by every name. */
  private static final class ForwardProxy implements AutoCloseable {
    final BlockingQueue<String> heads = new LinkedBlockingQueue<>();
    private final ServerSocket door = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
    private final int port;
    private final @Nullable String credentials;

    ForwardProxy(Server server, @Nullable String credentials) throws IOException {
      this.port = server.port();
      this.credentials = credentials;
      start(() -> {
        while (true) {
          Socket client = door.accept();
          start(() -> serve(client));
        }
      });
    }

    private interface Step {
      void run() throws IOException;
    }

    private static void start(Step step) {
      Thread thread = new Thread(() -> {
        try {
          step.run();
        } catch (IOException e) {
          // The connection or the proxy is closed.
        }
      });
      thread.setDaemon(true);
      thread.start();
    }

    String address() {
      return "127.0.0.1:" + door.getLocalPort();
    }

    private void serve(Socket client) throws IOException {
      try (client;
          Socket server = new Socket(InetAddress.getLoopbackAddress(), port)) {
        InputStream in = client.getInputStream();
        OutputStream out = client.getOutputStream();
        String head = head(in);
        heads.add(head.substring(0, head.indexOf('\r'))
            + head.substring(head.indexOf('\r')).toLowerCase(Locale.ROOT));
        if (credentials != null && !head.contains(credentials)) {
          out.write("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n".getBytes(ISO_8859_1));
        } else if (head.startsWith("CONNECT ")) {
          out.write("HTTP/1.1 200 OK\r\n\r\n".getBytes(ISO_8859_1));
          start(() -> in.transferTo(server.getOutputStream()));
          server.getInputStream().transferTo(out);
        } else {
          String own = head.replaceFirst(" http://[^/]*", " ")
              .replaceFirst("\r\n", "\r\nConnection: close\r\n");
          server.getOutputStream().write(own.getBytes(ISO_8859_1));
          start(() -> in.transferTo(server.getOutputStream()));
          server.getInputStream().transferTo(out);
        }
      }
    }

    private static String head(InputStream in) throws IOException {
      StringBuilder head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) {
        int b = in.read();
        if (b < 0) {
          throw new IOException("the end");
        }
        head.append((char) b);
      }
      return head.toString();
    }

    @Override
    public void close() throws IOException {
      door.close();
    }
  }
}
