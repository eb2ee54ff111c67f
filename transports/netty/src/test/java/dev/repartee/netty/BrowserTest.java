package dev.repartee.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Tests which calls a page in a real browser can make to a server on the same machine. */
@Tag("ci")
@EnabledIf(value = "isInstalled", disabledReason = "neither Chromium nor Chrome is on the PATH")
class BrowserTest {
  /** Calls each address by WebSocket, by fetch, and by a fetch without CORS. */
  private static final String SCRIPT = """
      const call = '{"jsonrpc":"2.0","method":"greet","params":["browser"],"id":1}';
      const type = {"Content-Type": "application/json"};
      const seen = [];
      for (const address of ADDRESSES) {
        seen.push(await new Promise(done => {
          const socket = new WebSocket("ws://" + address);
          socket.onopen = () => socket.send(call);
          socket.onmessage = message => done(message.data);
          socket.onerror = () => done("refused");
        }));
        seen.push(await fetch("http://" + address, {method: "POST", headers: type, body: call})
            .then(response => response.text(), () => "refused"));
        await fetch("http://" + address, {method: "POST", mode: "no-cors", body: call})
            .catch(() => {});
      }
      await fetch("/seen", {method: "POST", body: JSON.stringify(seen)});
      """;

  private static final String ANSWER = """
      {"jsonrpc":"2.0","result":"Hello, browser","id":1}""";
  private static final String REFUSED = "refused";

  @TempDir
  Path folder;

  private final Greeter greeter = new Greeter();
  private Browser browser;

  /** Remembers the names that it greeted. */
  public static final class Greeter {
    private final Queue<String> greeted = new ConcurrentLinkedQueue<>();

    @Rpc
    public String greet(String name) {
      greeted.add(name);
      return "Hello, " + name;
    }
  }

  static boolean isInstalled() {
    return Browser.executable().isPresent();
  }

  @BeforeEach
  void install() throws Exception {
    browser = new Browser();
  }

  @AfterEach
  void close() {
    browser.close();
  }

  private Server serve(String options) throws Exception {
    return Repartee.listen("http://127.0.0.1:0/" + options, Service.of(greeter));
  }

  /**
   * Returns the answers that a page of a host sees when it calls the server under each of these
   * names.
   */
  private List<String> seen(Server server, String host, String... names) throws Exception {
    String uri = server.endpoint().bare().toString();
    String port = uri.substring(uri.lastIndexOf(':'));
    List<String> addresses = List.of(names).stream().map(name -> name + port).toList();
    String script = SCRIPT.replace("ADDRESSES", Json.of(addresses).toString());
    return List.of(Json.parse(browser.open(host, script, folder)).as(String[].class));
  }

  @Test
  void aPageOfThisMachineCallsOverAWebSocketAndReadsNoAnswerWhereItIsNotListed() throws Exception {
    try (Server server = serve("")) {
      assertThat(seen(server, "localhost", "localhost")).containsExactly(ANSWER, REFUSED);
      assertThat(greeter.greeted).containsExactly("browser");
    }
  }

  @Test
  void aPageOfAListedOriginCallsEitherWay() throws Exception {
    try (Server server = serve("#origins=" + browser.origin("friend.example"))) {
      assertThat(seen(server, "friend.example", "127.0.0.1")).containsExactly(ANSWER, ANSWER);
      assertThat(greeter.greeted).containsExactly("browser", "browser");
    }
  }

  /**
   * The name of the page resolves to this machine (DNS rebinding). The page therefore seems to call
   * its own site.
   */
  @Test
  void aPageOfAnotherOriginCallsNothingUnderOurNameNorUnderItsOwn() throws Exception {
    try (Server server = serve("")) {
      assertThat(seen(server, "evil.example", "127.0.0.1", "localhost", "evil.example"))
          .containsOnly(REFUSED)
          .hasSize(6);
      assertThat(greeter.greeted).isEmpty();
    }
  }
}
