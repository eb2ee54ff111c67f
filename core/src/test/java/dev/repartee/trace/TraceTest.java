package dev.repartee.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Batch;
import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.FrameResponder;
import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TraceTest {
  private static final String REQUEST = "{'jsonrpc':'2.0','method':'echo','params':[7],'id':1}";
  private static final String ANSWER = "{'jsonrpc':'2.0','result':[7],'id':1}";

  @TempDir
  Path temp;

  /** The events of one side, each as a short text with single quotes. */
  private static final class Events {
    final ConcurrentLinkedQueue<Entry> entries = new ConcurrentLinkedQueue<>();
    final CountDownLatch closed = new CountDownLatch(1);

    Trace trace(Mask mask) {
      return Trace.builder().mask(mask).to(this::add);
    }

    private void add(Entry entry) {
      entries.add(entry);
      if (entry instanceof Entry.Closed) {
        closed.countDown();
      }
    }

    List<String> frames() {
      List<String> frames = new ArrayList<>();
      for (Entry entry : entries) {
        if (entry instanceof Entry.Frame frame) {
          frames.add(frame.direction().label() + " " + shown(frame));
        }
      }
      return frames;
    }

    List<String> untilClosed() throws InterruptedException {
      assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
      List<String> kinds = new ArrayList<>();
      for (Entry entry : entries) {
        kinds.add(entry.connection() + " " + entry.getClass().getSimpleName());
      }
      return kinds;
    }
  }

  private static String shown(Entry.Frame frame) {
    return String.valueOf(frame.message() == null ? frame.text() : frame.message())
        .replace('"', '\'');
  }

  private static Service echo() {
    return Service.builder()
        .method("echo", Lane.INLINE, Call::params)
        .method("later", Call::params)
        .build();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tcp://127.0.0.1:0",
        "tcp://127.0.0.1:0#framing=content-length",
        "tcp://127.0.0.1:0#framing=length-prefix",
        "tcp://127.0.0.1:0#framing=json-seq",
        "unix:DIR/trace.sock",
        "mem:traced"
      })
  void bothSidesRecordTheSameMessagesInTheirDirection(String uri) throws Exception {
    Events server = new Events();
    Events client = new Events();
    Options serving = Options.builder().trace(server.trace(Mask.NONE)).build();
    Options calling = Options.builder().trace(client.trace(Mask.NONE)).build();
    try (Server listening = Repartee.listen(uri.replace("DIR", temp.toString()), echo(), serving)) {
      try (Peer peer = Repartee.connect(listening.endpoint(), calling)) {
        assertThat(peer.call("echo", Json.class, 7)).hasToString("[7]");
      }
      assertThat(client.untilClosed())
          .containsExactly("1 Opened", "1 Frame", "1 Frame", "1 Closed");
      assertThat(server.untilClosed())
          .containsExactly("1 Opened", "1 Frame", "1 Frame", "1 Closed");
    }
    assertThat(client.frames()).containsExactly("out " + REQUEST, "in " + ANSWER);
    assertThat(server.frames()).containsExactly("in " + REQUEST, "out " + ANSWER);
    for (Entry entry : server.entries) {
      if (entry instanceof Entry.Frame frame) {
        assertThat(frame.size()).isEqualTo(shown(frame).length());
      } else if (entry instanceof Entry.Opened opened) {
        assertThat(opened.channel().transport()).isEqualTo(Endpoint.parse(uri).scheme());
      }
    }
  }

  @Test
  void theMessagesOfAChildProcessAreRecorded() throws Exception {
    Events events = new Events();
    Options options = Options.builder().trace(events.trace(Mask.NONE)).build();
    String script = "read line; echo '" + ANSWER.replace('\'', '"') + "'; read end";
    String uri = "exec:[\"sh\",\"-c\"," + Json.of(script) + "]";
    try (Peer peer = Repartee.connect(uri, options)) {
      peer.call("echo", Json.class, 7);
    }
    assertThat(events.untilClosed()).containsExactly("1 Opened", "1 Frame", "1 Frame", "1 Closed");
    assertThat(events.frames()).containsExactly("out " + REQUEST, "in " + ANSWER);
  }

  @Test
  void aBurstOfCallsAndItsAnswersAreRecordedOneByOne() throws Exception {
    Events server = new Events();
    Options serving = Options.builder().trace(server.trace(Mask.NONE)).build();
    int calls = 100;
    try (Server listening =
            Repartee.listen("tcp://127.0.0.1:0#framing=content-length", echo(), serving);
        Peer peer = Repartee.connect(listening.endpoint())) {
      List<java.util.concurrent.Future<Json>> all = new ArrayList<>();
      for (int i = 0; i < calls; i++) {
        all.add(peer.callAsync(i % 3 == 0 ? "later" : "echo", Json.class, i));
      }
      for (int i = 0; i < calls; i++) {
        assertThat(all.get(i).get(60, TimeUnit.SECONDS)).hasToString("[" + i + "]");
      }
      Batch batch = peer.batch();
      CallFuture<Json> last = batch.callAsync("echo", Json.class, "batch");
      batch.send();
      last.get(60, TimeUnit.SECONDS); // a server that closes reads nothing more
    }
    server.untilClosed();
    for (int i = 0; i < calls; i++) {
      assertThat(server.frames())
          .contains("out {'jsonrpc':'2.0','result':[" + i + "],'id':" + (i + 1) + "}");
    }
    assertThat(server.frames()).hasSize(2 * calls + 2);
  }

  @Test
  void aFrameWithoutAConnectionIsRecordedWithItsReply() throws Exception {
    Events events = new Events();
    Options options = Options.builder().trace(events.trace(Mask.NONE)).build();
    FrameResponder responder =
        FrameResponder.of(echo(), options, new ChannelInfo("servlet", "10.0.0.1", "message"));
    byte[] reply = responder.respond(REQUEST.replace('\'', '"').getBytes(UTF_8));
    assertThat(new String(reply, UTF_8)).isEqualTo(ANSWER.replace('\'', '"'));
    assertThat(responder.respond("""
        {"jsonrpc":"2.0","method":"echo"}""".getBytes(UTF_8))).isNull();
    assertThat(events.untilClosed())
        .containsExactly(
            "1 Opened", "1 Frame", "1 Frame", "1 Closed", "2 Opened", "2 Frame", "2 Closed");
  }

  @Test
  void inputThatIsNoJsonIsRecordedAsItIs() throws Exception {
    Events events = new Events();
    Options options = Options.builder().trace(events.trace(Mask.NONE)).build();
    FrameResponder responder =
        FrameResponder.of(echo(), options, new ChannelInfo("servlet", "", "message"));
    responder.respond("{\"a\":".getBytes(UTF_8));
    responder.respond(new byte[] {'x', (byte) 0xFF});
    List<Entry> in = events.entries.stream()
        .filter(e -> e instanceof Entry.Frame f && f.direction() == Direction.IN)
        .toList();
    assertThat(((Entry.Frame) in.get(0)).text()).isEqualTo("{\"a\":");
    assertThat(((Entry.Frame) in.get(1)).base64()).isEqualTo("eP8=");
  }

  @Test
  void aTraceCostsNothingWhereThereIsNone() {
    assertThat(Options.DEFAULT.trace()).isNull();
  }

  @Test
  void aFailureOfTheConsumerDisturbsNoCall() throws IOException {
    Trace trace = Trace.builder().to(entry -> {
      throw new IllegalStateException("full");
    });
    try (Server server = Repartee.listen(
            "mem:failing", echo(), Options.builder().trace(trace).build());
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThat(peer.call("echo", Json.class, 7)).hasToString("[7]");
    }
  }

  // ---------------------------------------------------------------- copies

  private static Entry.Frame copy(FrameCopier copier, String text) {
    byte[] b = ("  " + text.replace('\'', '"') + "junk").getBytes(UTF_8);
    return copier.copy(java.time.Duration.ZERO, 1, Direction.IN, b, 2, b.length - "junk".length());
  }

  private static String masked(Mask mask, String text) {
    return shown(copy(new FrameCopier(mask, List.of("pin"), 1000), text));
  }

  @Test
  void valuesOfSecretNamesAreHiddenByDefaultWhereverTheyStand() {
    assertThat(masked(
            Mask.NAMES,
            "{ 'method':'login', 'params':{'user':'a','passWord' : 'b','api_key':[1,{'x':2}],\n"
                + "'deep':[{'Access-Token':{'a':1}, 'pin':7}],'\\u0074oken':null}, 'id':'token'}"))
        .isEqualTo("{'method':'login','params':{'user':'a','passWord':'…','api_key':'…',"
            + "'deep':[{'Access-Token':'…','pin':'…'}],'\\u0074oken':'…'},'id':'token'}");
    assertThat(masked(Mask.NONE, "{'password':'b'}")).isEqualTo("{'password':'b'}");
  }

  @Test
  void aNameThatEndsWithThatOfASecretIsASecret() {
    assertThat(
            masked(Mask.NAMES, "{'dbPassword':1,'aws_secret_key':2,'X-Api-Key':3,'Set-Cookie':4}"))
        .isEqualTo("{'dbPassword':'…','aws_secret_key':'…','X-Api-Key':'…','Set-Cookie':'…'}");
    String shown = "{'nextPageToken':1,'progressToken':2,'passwords':3,'mapping':4,'spin':5}";
    assertThat(masked(Mask.NAMES, shown)).isEqualTo(shown);
  }

  @Test
  void theMaskOfValuesKeepsNamesAndTheEnvelope() {
    assertThat(masked(
            Mask.VALUES,
            "{'jsonrpc':'2.0','method':'add','params':{'id':5,'name':'x','on':true,'no':null,"
                + "'list':[1.5,-2e3,'a']},'id':12}"))
        .isEqualTo("{'jsonrpc':'2.0','method':'add','params':{'id':0,'name':'…','on':true,"
            + "'no':null,'list':[0,0,'…']},'id':12}");
    assertThat(masked(
            Mask.VALUES,
            "[{'error':{'code':-32601,'message':'m','data':{'code':9}},'id':'a'},{'id':3}]"))
        .isEqualTo("[{'error':{'code':-32601,'message':'…','data':{'code':0}},'id':'a'},{'id':3}]");
    assertThat(masked(Mask.VALUES, "[{'error':1},[{'code':'x'}]]"))
        .isEqualTo("[{'error':0},[{'code':'…'}]]");
    assertThat(masked(Mask.VALUES, "5")).isEqualTo("0");
  }

  @Test
  void textThatIsNoJsonIsHiddenWhereAMaskCannotTellItsMembers() {
    assertThat(masked(Mask.NAMES, "{'user':'x'")).isEqualTo("{'user':'x'");
    assertThat(masked(Mask.NAMES, "{'pass_word':'x'")).isEqualTo("null");
    assertThat(masked(Mask.NAMES, "{'pass\\u0077ord':'x'")).isEqualTo("null");
    assertThat(masked(Mask.VALUES, "{'user':'x'")).isEqualTo("null");
  }

  @Test
  void onlyTheBeginningOfALongTextThatIsNoJsonIsReadAndShown() {
    FrameCopier copier = new FrameCopier(Mask.NAMES, List.of(), 20);
    Entry.Frame cut = copy(copier, "{'user':'" + "é".repeat(9) + "','password':'x");
    assertThat(shown(cut)).isEqualTo("{'user':'" + "é".repeat(5));
    assertThat(cut.cut()).isTrue();
    assertThat(shown(copy(copier, "{'password':'" + "x".repeat(20)))).isEqualTo("null");
    byte[] bytes = new byte[30];
    bytes[0] = (byte) 0xFF;
    Entry.Frame binary = new FrameCopier(Mask.NONE, List.of(), 20)
        .copy(Duration.ZERO, 1, Direction.IN, bytes, 0, bytes.length);
    assertThat(binary.base64()).hasSize(28);
    assertThat(binary.cut()).isTrue();
  }

  @Test
  void aLongNameIsComparedByItsEnd() {
    FrameCopier copier = new FrameCopier(Mask.NAMES, List.of(), 100_000);
    for (String part : List.of("-", "é", "€", "😀", "\\u0061", "\\ud83d\\ude00", "\\\\", "\\n")) {
      for (int length = 80; length < 700; length++) {
        String name = part.repeat(length) + "Pass_word";
        assertThat(shown(copy(copier, "{'" + name + "':'x','" + name + "s':'y'}")))
            .isEqualTo("{'" + name + "':'…','" + name + "s':'y'}");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Mask.class,
      names = {"NAMES", "VALUES"})
  void theReasonForTheEndOfAConnectionIsMaskedAsTextIs(Mask mask) throws Exception {
    List<Entry> entries = new CopyOnWriteArrayList<>();
    Trace trace = Trace.builder().mask(mask).to(entries::add);
    Options options = Options.builder().trace(trace).build();
    String uri = "exec:[\"sh\",\"-c\",\"echo password=x5y >&2; exit 3\"]#stderr=log";
    try (Peer peer = Repartee.connect(uri, options)) {
      assertThat(peer.closed().toCompletableFuture()).failsWithin(Duration.ofSeconds(60));
    }
    assertThat(entries.toString()).contains("reason=IOException").doesNotContain("x5y");
  }

  @Test
  void aLongMessageIsCutAfterItWasMaskedAndKeepsItsSize() {
    FrameCopier copier = new FrameCopier(Mask.NAMES, List.of(), 32);
    String text = "{'password':'" + "x".repeat(100) + "','rest':'" + "é".repeat(20) + "'}";
    Entry.Frame cut = copy(copier, text);
    assertThat(cut.message()).isNull();
    assertThat(cut.cut()).isTrue();
    assertThat(cut.size()).isEqualTo(text.getBytes(UTF_8).length);
    assertThat(shown(cut)).isEqualTo("{'password':'…','rest':'ééé");
    for (int max = 16; max < 60; max++) {
      String part = shown(copy(new FrameCopier(Mask.NAMES, List.of(), max), text));
      assertThat(part.getBytes(UTF_8).length).isLessThanOrEqualTo(max);
      assertThat(part).doesNotContain("x");
    }
  }

  @Test
  void settingsOutOfRangeAreRefusedWithTheRange() {
    assertThatThrownBy(() -> Trace.builder().messageBytes(1))
        .hasMessage("messageBytes is 1; it can be from 16 to 16777216");
    assertThatThrownBy(() -> Mask.named("all"))
        .hasMessage("unknown mask 'all'; known are none, names, values");
    assertThat(Arrays.stream(Mask.values()).map(Mask::label).map(Mask::named))
        .containsExactly(Mask.values());
  }
}
