package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.framing.Framing;
import dev.repartee.internal.FakeClock;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.ChannelPair;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Input that is not a message, at a client with a service for the requests of its server. */
@Timeout(60)
class UnreadableInputTest {
  private static final String CALL = """
      {"jsonrpc":"2.0","method":"ask","id":7}""";
  private static final String ANSWER = """
      {"jsonrpc":"2.0","result":"yes","id":7}""";
  private static final Service QUESTIONS =
      Service.builder().method("ask", Lane.INLINE, call -> "yes").build();

  private final List<String> violations = new CopyOnWriteArrayList<>();
  private final ChannelPair pair = ChannelPair.open(Limits.DEFAULT);

  private Options.Builder options() {
    return Options.builder().listener(new Listener() {
      @Override
      public void violation(ChannelInfo channel, String violation) {
        violations.add(violation);
      }
    });
  }

  private Options client() {
    return options().answersUnreadable(false).build();
  }

  @Test
  void aMessageAboveALimitIsReportedWithTheLimit() throws Exception {
    BlockingQueue<String> dropped = new LinkedBlockingQueue<>();
    Listener listener = new Listener() {
      @Override
      public void dropped(ChannelInfo channel, LimitException limit, String violation) {
        dropped.add(limit.limit() + " " + limit.max());
      }

      @Override
      public void violation(ChannelInfo channel, String violation) {
        dropped.add(violation);
      }
    };
    Limits limits = Limits.builder().frameBytes(1_000).depth(10).build();
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
        Peer peer = Repartee.connect(
            "tcp://127.0.0.1:" + listening.getLocalPort(),
            QUESTIONS,
            Options.builder()
                .limits(limits)
                .listener(listener)
                .answersUnreadable(false)
                .build());
        Socket server = listening.accept()) {
      String deep = "[".repeat(20) + "\n";
      server
          .getOutputStream()
          .write(("\"" + "x".repeat(2_000) + "\"\n" + "the limit frameBytes\n" + deep + deep)
              .getBytes(UTF_8));
      assertThat(dropped.poll(60, TimeUnit.SECONDS)).isEqualTo("frameBytes 1000");
      assertThat(dropped.poll(60, TimeUnit.SECONDS)).startsWith("not JSON");
      assertThat(dropped.poll(60, TimeUnit.SECONDS)).isEqualTo("depth 10");
      assertThat(dropped.poll(60, TimeUnit.SECONDS)).isEqualTo("depth 10");
      assertThat(peer.isOpen()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lines", "content-length", "json-seq"})
  void aClientReadsOnAfterTextBetweenTheMessages(String framing) throws Exception {
    Framing used = Framing.named(framing);
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
        Peer peer = Repartee.connect(
            "tcp://127.0.0.1:" + listening.getLocalPort() + "#framing=" + framing,
            QUESTIONS,
            client());
        Socket server = listening.accept()) {
      String text = "Starting server\nlistening: no port\n";
      for (int i = 0; i < 3; i++) {
        server.getOutputStream().write((text + framed(used, CALL)).getBytes(UTF_8));
        String expected = framed(used, ANSWER);
        assertThat(new String(server.getInputStream().readNBytes(expected.length()), UTF_8))
            .isEqualTo(expected);
      }
      assertThat(violations).singleElement().asString().contains("Starting server");
      assertThat(peer.isOpen()).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HTTP/1.1 400 Bad Request\\r\\n\\r\\n | not JSON but an HTTP response, near 'HTTP/1.1 400 Bad"
            + " Request': the other side speaks HTTP; connect with http: or ws:",
        "Usage: server PORT\\n | not JSON, at offset 0: expected a value, near 'Usage: server PORT'",
      })
  void theFailureOfACallNamesTheInputThatCameInPlaceOfAnAnswer(String sent, String named)
      throws Exception {
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
        Peer peer = Repartee.connect("tcp://127.0.0.1:" + listening.getLocalPort(), client());
        Socket server = listening.accept()) {
      CallFuture<Integer> price = peer.callAsync("price", int.class);
      server.getOutputStream().write(sent.translateEscapes().getBytes(UTF_8));
      server.shutdownOutput();
      assertThatThrownBy(price::await)
          .hasMessage("the other side has ended the connection to 127.0.0.1:"
              + listening.getLocalPort() + " (unreadable input before that: " + named
              + "); 'price' was not answered");
      assertThatThrownBy(() -> peer.call("price", int.class)).hasMessageContaining(named);
    }
  }

  @Test
  void theTimeOutOfACallNamesTheInputThatCameInPlaceOfAnAnswer() throws Exception {
    FakeClock clock = new FakeClock();
    Options options = options().answersUnreadable(false).clock(clock).build();
    Peer peer = Peer.open(pair.client(), QUESTIONS, options);
    Recorder server = Recorder.on(pair.server());
    CallFuture<Integer> price = peer.callAsync("price", int.class);
    send(server.channel, "Usage: server PORT", CALL);
    assertThat(server.next()).contains("price");
    assertThat(server.next()).isEqualTo(ANSWER);
    clock.advance(options.limits().callTimeout());
    assertThatThrownBy(price::await)
        .isInstanceOf(CallTimeoutException.class)
        .hasMessageEndingWith("; the call was cancelled (unreadable input before that: not JSON, at"
            + " offset 0: expected a value, near 'Usage: server PORT')");
  }

  private static String framed(Framing framing, String message) {
    return switch (framing.label()) {
      case "content-length" -> "Content-Length: " + message.length() + "\r\n\r\n" + message;
      case "json-seq" -> "\u001e" + message + "\n";
      default -> message + "\n";
    };
  }

  private Recorder serverOf(Options options) {
    Peer.open(pair.client(), QUESTIONS, options);
    return Recorder.on(pair.server());
  }

  private static void send(Channel channel, String... frames) {
    for (String frame : frames) {
      Recorder.send(channel, frame);
    }
  }

  @Test
  void aClientReportsTheFirstInputThatIsNotAMessageAndAnswersNone() throws Exception {
    Recorder server = serverOf(client());
    send(
        server.channel,
        "[info] Starting server",
        "{\"level\":\"info\",\"id\":\"run-7\"}",
        "\"a string\"",
        "[]",
        "[7]",
        CALL);
    assertThat(server.next()).isEqualTo(ANSWER);
    assertThat(violations)
        .containsExactly("not JSON, at offset 1: expected a value, near 'info] Starting server'");
  }

  @Test
  void theReportOfJsonThatIsNotAMessageHasAnExcerpt() throws Exception {
    Recorder server = serverOf(client());
    send(server.channel, """
        {"level":"info","msg":"Starting server","port":80}""", CALL);
    assertThat(server.next()).isEqualTo(ANSWER);
    assertThat(violations)
        .singleElement()
        .asString()
        .startsWith("not a valid message, the member 'jsonrpc' is missing")
        .contains("near '{\"level\":\"info\",\"msg\":\"Starting server");
  }

  @Test
  void aClientAnswersInvalidRequestsWithAnId() throws Exception {
    Recorder server = serverOf(client());
    String invalid = """
        {"jsonrpc":"2.0","method":"ask","params":7,"id":""";
    send(server.channel, invalid + "8}");
    assertThat(server.next()).contains("-32600").contains("\"id\":8");
    send(server.channel, """
        {"jsonrpc":"2.0","method":{},"id":9}""");
    assertThat(server.next()).contains("-32600").contains("\"id\":9");
    send(server.channel, "[7," + invalid + "10}," + CALL + "]");
    assertThat(server.next()).startsWith("""
        [{"jsonrpc":"2.0","error":{"code":-32600\
        """).contains("\"id\":10}").endsWith("," + ANSWER + "]");
  }

  @Test
  void aPureClientAnswersInvalidRequestsAndUnknownMethods() throws Exception {
    Peer.open(pair.client(), Service.NONE, options().build());
    Recorder server = Recorder.on(pair.server());
    send(server.channel, "Starting server", CALL);
    assertThat(server.next()).contains("-32601").contains("\"id\":7");
    send(server.channel, """
        {"jsonrpc":"2.0","method":7,"id":8}""");
    assertThat(server.next()).contains("-32600").contains("\"id\":8");
  }

  @Test
  void aServerAnswersAndReportsEachInputThatIsNotAMessage() throws Exception {
    Recorder client = serverOf(options().build());
    send(client.channel, "Starting", "server", "7");
    assertThat(client.next()).contains("-32700").contains("\"id\":null");
    assertThat(client.next()).contains("-32700").contains("\"id\":null");
    assertThat(client.next()).contains("-32600").contains("\"id\":null");
    assertThat(violations).hasSize(3).noneMatch(violation -> violation.contains("Starting"));
  }

  @Test
  void aServerWithoutMethodsMayAnswerToo() throws IOException, InterruptedException {
    Peer.open(pair.client(), Service.NONE, options().answersUnreadable(true).build());
    Recorder client = Recorder.on(pair.server());
    send(client.channel, "Starting");
    assertThat(client.next()).contains("-32700");
  }
}
