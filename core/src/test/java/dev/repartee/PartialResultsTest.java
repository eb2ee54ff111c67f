package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import dev.repartee.stream.RemoteStream;
import dev.repartee.stream.Streamed;
import dev.repartee.stream.Streaming;
import dev.repartee.transport.ChannelInfo;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Partial results as in the Language Server Protocol. */
@Timeout(60)
class PartialResultsTest {
  /** Params as a whole. */
  public record Search(String text, int count) {}

  /** A language server. */
  public static final class Language {
    @Rpc(value = "workspace/symbol", paramsObject = true)
    @Streamed(partialResults = true)
    public Stream<String> symbols(Search search) {
      return IntStream.range(0, search.count()).mapToObj(i -> search.text() + i);
    }

    @Rpc("broken")
    @Streamed(partialResults = true)
    public Stream<Integer> broken() {
      return Stream.of(1, 2).map(i -> {
        if (i == 2) {
          throw new RpcException(7, "broken");
        }
        return i;
      });
    }
  }

  /** The server as a client sees it. */
  public interface RemoteLanguage {
    @Rpc(value = "workspace/symbol", paramsObject = true)
    @Streamed(partialResults = true)
    RemoteStream<String> symbols(Search search);
  }

  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private Server serve(Options options) throws IOException {
    Server server = Repartee.listen("tcp://127.0.0.1:0", Service.of(new Language()), options);
    open.add(() -> server.close(Duration.ZERO));
    return server;
  }

  private Peer connect(String uri) throws IOException {
    Peer peer = Repartee.connect(uri);
    open.add(0, () -> peer.close(Duration.ZERO));
    return peer;
  }

  private static String request(String params) {
    return """
        {"jsonrpc":"2.0","id":1,"method":"workspace/symbol","params":%s}""".formatted(params);
  }

  @Test
  void aTokenGetsTheItemsAsProgress() throws Exception {
    try (RawPeer raw = new RawPeer(serve(Options.DEFAULT))) {
      raw.send(request("""
          {"text":"s","count":3,"partialResultToken":"t","workDoneToken":1}"""));
      List<Json> items = new ArrayList<>();
      Json message = raw.read();
      while (message.get("method") != null) {
        assertThat(message.get("method")).hasToString("\"$/progress\"");
        assertThat(RawPeer.at(message, "/params/token")).hasToString("\"t\"");
        items.addAll(RawPeer.at(message, "/params/value").elements());
        message = raw.read();
      }
      assertThat(items).hasToString("[\"s0\", \"s1\", \"s2\"]");
      assertThat(message.get("result")).isEqualTo(Json.EMPTY_ARRAY);
    }
  }

  @Test
  void withoutATokenTheItemsAreTheAnswer() throws Exception {
    try (RawPeer raw = new RawPeer(serve(Options.DEFAULT))) {
      raw.send(request("{\"text\":\"s\",\"count\":3}"));
      assertThat(raw.read().get("result")).hasToString("[\"s0\",\"s1\",\"s2\"]");
      raw.send(request("{\"text\":\"s\",\"count\":0}"));
      assertThat(raw.read().get("result")).hasToString("[]");
    }
  }

  @Test
  void theAnswerThatCollectsIsBounded() throws Exception {
    Options small =
        Options.builder().limits(limits -> limits.frameBytes(10_000)).build();
    try (RawPeer raw = new RawPeer(serve(small))) {
      raw.send(request("{\"text\":\"s\",\"count\":1000000000}"));
      assertThat(RawPeer.at(raw.read(), "/error")).asString().contains("-32003", "frameBytes");
    }
  }

  @Test
  void aProxyGetsTheItems() throws Exception {
    Peer peer = connect(serve(Options.DEFAULT).endpoint().toString());
    List<String> items = new ArrayList<>();
    peer.proxy(RemoteLanguage.class)
        .symbols(new Search("s", 10_000))
        .forEach(items::add)
        .get(60, SECONDS);
    assertThat(items).hasSize(10_000).element(9_999).isEqualTo("s9999");
  }

  @Test
  void anErrorFollowsTheItems() throws Exception {
    Probe<Integer> probe = new Probe<>(Long.MAX_VALUE);
    connect(serve(Options.DEFAULT).endpoint().toString())
        .request("broken")
        .streaming(Streaming.partialResults())
        .stream(int.class)
        .subscribe(probe);
    assertThat(probe.failure()).hasMessageContaining("broken (7)");
    assertThat(probe.items).containsExactly(1);
  }

  @Test
  void theItemsOfTheAnswerCountToo() throws Exception {
    try (ServerSocket listening = new ServerSocket(0)) {
      Peer peer = connect("tcp://127.0.0.1:" + listening.getLocalPort());
      Probe<String> probe = new Probe<>(Long.MAX_VALUE);
      peer.proxy(RemoteLanguage.class).symbols(new Search("s", 1)).subscribe(probe);
      try (RawPeer raw = new RawPeer(listening.accept())) {
        Json request = raw.read();
        Json token = RawPeer.at(request, "/params/partialResultToken");
        assertThat(RawPeer.at(request, "/params/text")).hasToString("\"s\"");
        raw.send("""
            {"jsonrpc":"2.0","method":"$/progress","params":{"token":%s,"value":["a"]}}\
            """.formatted(token));
        raw.send("""
            {"jsonrpc":"2.0","id":%s,"result":["b","c"]}""".formatted(request.get("id")));
        assertThat(probe.end.get(60, SECONDS)).isTrue();
        assertThat(probe.items).containsExactly("a", "b", "c");
      }
    }
  }

  @Test
  void paramsByPositionAreRefused() throws Exception {
    Probe<String> probe = new Probe<>();
    connect(serve(Options.DEFAULT).endpoint().toString())
        .request("workspace/symbol")
        .args(1)
        .streaming(Streaming.partialResults())
        .stream(String.class)
        .subscribe(probe);
    assertThat(probe.failure()).hasMessageContaining("partial results need params by name");
  }

  @Test
  void aTransportWithoutPushCollects() throws Exception {
    FrameResponder responder = FrameResponder.of(
        Service.of(new Language()), Options.DEFAULT, new ChannelInfo("http", "", "message"));
    byte[] answer = responder.respond(
        request("{\"text\":\"s\",\"count\":2,\"partialResultToken\":1}").getBytes(UTF_8));
    assertThat(Json.parse(answer).get("result")).hasToString("[\"s0\",\"s1\"]");
  }

  @Test
  void aTokenThatIsNoTokenIsNoCrash() throws Exception {
    Peer peer = connect(serve(Options.DEFAULT).endpoint().toString());
    assertThatThrownBy(() -> peer.call("workspace/symbol", Json.class, 1, 2))
        .isInstanceOf(RpcException.class);
  }

  @Test
  void anAnswerThatIsTooLargeByItsLastByteIsRefused() throws Exception {
    Options small =
        Options.builder().limits(limits -> limits.frameBytes(10_000)).build();
    try (RawPeer raw = new RawPeer(serve(small))) {
      String items = "s".repeat(996); // ten of them take 10,000 bytes without the closing bracket
      raw.send(request("{\"text\":\"" + items + "\",\"count\":10}"));
      assertThat(RawPeer.at(raw.read(), "/error")).asString().contains("-32003", "frameBytes");
      awaitNoneRunning(raw);
    }
  }

  /** Asks until no call is running: a call ends shortly after its answer was sent. */
  private static void awaitNoneRunning(RawPeer raw) throws Exception {
    long end = System.nanoTime() + SECONDS.toNanos(60);
    String running = "";
    while (!running.equals("0") && System.nanoTime() < end) {
      raw.send("""
          {"jsonrpc":"2.0","id":1,"method":"rpc.status"}""");
      running = RawPeer.at(raw.read(), "/result/running").toString();
    }
    assertThat(running).isEqualTo("0");
  }

  @Test
  void aTokenThatIsNoStringOrNumberIsNone() throws Exception {
    try (RawPeer raw = new RawPeer(serve(Options.DEFAULT))) {
      raw.send(request("{\"text\":\"s\",\"count\":2,\"partialResultToken\":null}"));
      assertThat(raw.read().get("result")).hasToString("[\"s0\",\"s1\"]");
    }
  }
}
