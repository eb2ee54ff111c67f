package dev.repartee.mcp.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallTimeoutException;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.PeerFactory;
import dev.repartee.ProtocolException;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.Revision;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests servers that break the protocol, over a connection. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("deprecation") // deprecated by the specification, but still supported
class FaultyServerTest {
  private static final AtomicInteger NAMES = new AtomicInteger();
  private static final String DISCOVERED = "{'resultType':'complete','supportedVersions':"
      + "['2026-07-28'],'capabilities':{'tools':{}},'ttlMs':0,'cacheScope':'private'}";

  private final List<String> violations = new CopyOnWriteArrayList<>();
  private Server server;
  private McpClient client;

  private static Json json(String text) {
    return Json.parse(text.replace('\'', '"'));
  }

  private String listen(Service.Builder service) throws Exception {
    String uri = "mem:faulty-" + NAMES.incrementAndGet();
    server = Repartee.listen(uri, service.build());
    return uri;
  }

  private McpClient.Builder settings() {
    return McpClient.builder("t", "1")
        .options(Options.builder()
            .listener(new Listener() {
              @Override
              public void violation(ChannelInfo channel, String violation) {
                violations.add(violation);
              }
            })
            .build());
  }

  /** Connects to a script. An earlier server may have used the same port. */
  private McpClient connect(ServerSocket socket) throws IOException {
    String uri = "tcp://127.0.0.1:" + socket.getLocalPort();
    Connector.forget(uri);
    return settings().connect(uri);
  }

  /** Connects to a stateless server whose calls have this result. */
  private McpClient answering(Function<Json, Object> call, String tools) throws Exception {
    String uri = listen(Service.builder()
        .method("server/discover", c -> json(DISCOVERED))
        .method("tools/list", c -> json("{'resultType':'complete','tools':[" + tools + "]}"))
        .method("tools/call", c -> call.apply(c.params()))
        .method("resources/read", c -> call.apply(c.params()))
        .method("prompts/list", c -> call.apply(c.params())));
    client = settings().connect(uri);
    return client;
  }

  private McpClient answering(String result) throws Exception {
    return answering(params -> json(result), "");
  }

  @AfterEach
  void close() {
    if (client != null) {
      client.close();
    }
    server.close();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        "{'resultType':'surprise','content':[]} | the resultType \"surprise\" is unknown",
        "{'resultType':7,'content':[]} | the resultType 7 is unknown",
        "{'resultType':'complete'} | missing: content",
        "{'resultType':'complete','content':{}} | content: expected an array, not an object",
        "{'resultType':'complete','content':[{'type':'smell'}]} | content[0]: the content type"
            + " 'smell' is unknown",
        "{'resultType':'complete','content':[{'text':'a'}]} | content[0]: missing: type",
        "{'resultType':'complete','content':[{'type':'text'}]} | content[0]: missing: text",
        "{'resultType':'complete','content':[{'type':'image','data':1}]} | content[0]: data:"
            + " expected a string",
        "{'resultType':'complete','content':[],'isError':'no'} | isError: expected a boolean",
        "[] | expected an object, not an array",
        "{'resultType':'input_required'} | without inputRequests and requestState",
        "{'resultType':'input_required','inputRequests':{'a':{}}} | inputRequests.a: missing:"
            + " method",
        "{'resultType':'input_required','inputRequests':{'a':{'method':'roots/list'}}} |"
            + " no handler for 'roots/list'"
      })
  void theBrokenRuleIsNamed(String result, String rule) throws Exception {
    answering(result);

    assertThatThrownBy(() -> client.call("t", null))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("'tools/call'")
        .hasMessageContaining(rule);
  }

  @Test
  void aServerThatPrintsTextBeforeItsMessagesGetsNoAnswerToIt() throws Exception {
    List<String> answers = new CopyOnWriteArrayList<>();
    Service service = Service.builder()
        .method("server/discover", c -> json(DISCOVERED))
        .method("tools/call", c -> json("{'resultType':'complete','content':[]}"))
        .build();
    Options watched = Options.builder()
        .listener(new Listener() {
          @Override
          public void violation(ChannelInfo channel, String violation) {
            answers.add(violation);
          }
        })
        .build();
    String uri = "mem:faulty-" + NAMES.incrementAndGet();
    PeerFactory factory = channel -> {
      Peer peer = Peer.open(channel, service, watched);
      channel.send("Starting server".getBytes(UTF_8));
      channel.send("{\"level\":\"info\",\"msg\":\"started\"}".getBytes(UTF_8));
      return peer;
    };
    server = Repartee.listen(uri, factory, Options.DEFAULT);
    client = settings().connect(uri);
    assertThat(client.call("t", null).content()).isEmpty();

    assertThat(answers).as("messages that the server did not expect").isEmpty();
    assertThat(violations).singleElement().asString().contains("near 'Starting server'");
  }

  @Test
  void anErrorCutsTheTextOfTheServer() throws Exception {
    answering("{'resultType':'" + "x".repeat(100_000) + "','content':[]}");

    assertThatThrownBy(() -> client.call("t", null))
        .isInstanceOf(ProtocolException.class)
        .message()
        .contains("the resultType \"xxx")
        .hasSizeLessThan(2_000);
  }

  @Test
  void aMissingResultTypeCountsAsCompleteAndIsReported() throws Exception {
    answering("{'content':[{'type':'text','text':'a'}]}");

    assertThat(client.call("t", null).content()).containsExactly(Content.text("a"));
    assertThat(violations).anyMatch(violation -> violation.contains("without resultType"));
  }

  @Test
  void aStrictClientRefusesAMissingResultType() throws Exception {
    answering("{'content':[]}");
    try (McpClient strict = settings().strict().connect(server.endpoint().toString())) {
      assertThatThrownBy(() -> strict.call("t", null))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("missing: resultType");
    }
  }

  private static final String COUNTER = "{'name':'t','inputSchema':{'type':'object'},"
      + "'outputSchema':{'type':'object','properties':{'n':{'type':'integer'}},'required':['n']}}";

  @Test
  void structuredContentThatDoesNotFitItsSchemaIsRefusedAlsoWithoutAListing() throws Exception {
    answering(
        params -> json("{'resultType':'complete','content':[],'structuredContent':{'n':'x'}}"),
        COUNTER);

    assertThatThrownBy(() -> client.call("t", null))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("the tool 't': structuredContent does not fit the output schema")
        .hasMessageContaining("/n");
  }

  @Test
  void aResultThatMissesAMemberIsCalledAResult() throws Exception {
    answering(
        params -> json("{'resultType':'complete','content':[],'structuredContent':{}}"), COUNTER);

    assertThatThrownBy(() -> client.call("t", null))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("the result: ")
        .hasMessageNotContaining("the arguments");
  }

  @Test
  void missingStructuredContentIsRefusedOnceTheToolIsKnown() throws Exception {
    answering(params -> json("{'resultType':'complete','content':[]}"), COUNTER);
    assertThat(client.tools()).hasSize(1);

    assertThatThrownBy(() -> client.call("t", null))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("no structuredContent");
  }

  @Test
  void anErrorResultNeedsNoStructuredContent() throws Exception {
    answering(params -> json("{'resultType':'complete','content':[],'isError':true}"), COUNTER);
    assertThat(client.tools()).hasSize(1);

    assertThat(client.call("t", null).isError()).isTrue();
  }

  @Test
  void aListWhoseCursorComesTwiceEnds() throws Exception {
    answering(
        params -> json("{'resultType':'complete','prompts':[{'name':'p'}],'nextCursor':'c'}"), "");

    assertThatThrownBy(() -> client.prompts().toList())
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("came a second time");
    assertThat(client.prompts().limit(1)).hasSize(1); // pages are fetched when they are needed
  }

  @Test
  void aListOfEmptyPagesWithEverNewCursorsEnds() throws Exception {
    AtomicInteger pages = new AtomicInteger();
    answering(
        params -> json("{'resultType':'complete','prompts':[],'nextCursor':'c"
            + pages.incrementAndGet() + "'}"),
        "");

    assertThatThrownBy(() -> client.prompts().toList())
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("the list has more than 10000 pages");
    assertThat(pages).hasValue(10_000);
  }

  @Test
  void aListOfPagesThatAreTooLargeTogetherEnds() throws Exception {
    String page =
        "{'resultType':'complete','prompts':[],'pad':'" + "x".repeat(8 << 20) + "','nextCursor':'c";
    AtomicInteger pages = new AtomicInteger();
    answering(params -> json(page + pages.incrementAndGet() + "'}"), "");

    assertThatThrownBy(() -> client.prompts().toList())
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("more than 67108864 bytes");
  }

  @Test
  void aCursorThatIsTooLongIsRefused() throws Exception {
    answering(
        params -> json(
            "{'resultType':'complete','prompts':[],'nextCursor':'" + "c".repeat(20_000) + "'}"),
        "");

    assertThatThrownBy(() -> client.prompts().toList())
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("the nextCursor has more than 16384 bytes")
        .hasMessageNotContaining("ccc");
  }

  @Test
  void aSchemaThatIsNeverListedDelaysAResultNoLongerThanItsTimeOut() throws Exception {
    String uri = listen(Service.builder()
        .method("server/discover", c -> json(DISCOVERED))
        .method("tools/list", c -> new CompletableFuture<>())
        .method(
            "tools/call",
            c -> json("{'resultType':'complete','content':[],'structuredContent':{'n':1}}")));
    // On this clock the call has all its time left when its result arrives, also on a busy machine.
    client = settings().clock(new FakeClock()).connect(uri);

    assertThat(client
            .request("t")
            .timeout(Duration.ofMillis(100))
            .send()
            .get(30, TimeUnit.SECONDS)
            .structured())
        .isEqualTo(json("{'n':1}"));
  }

  /** A tool with results that need 30 seconds to be checked. */
  private static final String SLOW = "{'name':'slow','inputSchema':{'type':'object'},"
      + "'outputSchema':{'type':'object','description':'" + "d".repeat(200_000)
      + "','properties':{'v':{'pattern':'^x*x*x*x*x*y$'}}}}";

  private static final String SLOW_RESULT = "{'resultType':'complete','content':[],"
      + "'structuredContent':{'v':'" + "x".repeat(5_000) + "','rest':'" + "r".repeat(1_000_000)
      + "'}}";

  @Test
  void aResultThatTakesLongToBeCheckedDelaysNoOtherCall() throws Exception {
    answering(
        params -> params.get("name").equals(Json.of("slow"))
            ? json(SLOW_RESULT)
            : json("{'resultType':'complete','content':[]}"),
        SLOW);
    assertThat(client.tools()).hasSize(1);

    client.request("slow").timeout(Duration.ofSeconds(4)).send();
    for (int i = 0; i < 20; i++) {
      assertThat(client.request("quick").send().get(60, TimeUnit.SECONDS).isError())
          .isFalse();
    }
  }

  @Test
  void theCheckOfAResultEndsWithTheTimeOutOfItsCall() throws Exception {
    answering(params -> json(SLOW_RESULT), SLOW);
    assertThat(client.tools()).hasSize(1);

    assertThatThrownBy(() ->
            client.request("slow").timeout(Duration.ofMillis(500)).send().get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(CallTimeoutException.class);
  }

  @Test
  void aServerThatEndsAfterEachAcknowledgementIsReachedAfterLongerAndLongerPauses()
      throws Exception {
    server = Repartee.listen("mem:closed-" + NAMES.incrementAndGet(), Service.NONE);
    BlockingQueue<Long> begun = new LinkedBlockingQueue<>();
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread script = new Thread(() -> {
        while (!socket.isClosed()) {
          try (Socket connection = socket.accept()) {
            begun.add(System.nanoTime());
            acknowledge(connection);
          } catch (IOException e) {
            // The client or the test has ended the connection.
          }
        }
      });
      script.start();
      client = connect(socket);
      client.listen(ChangeFilter.LISTS, change -> {});
      List<Long> times = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        times.add(begun.poll(60, TimeUnit.SECONDS));
      }

      // The pauses are at least 250, 500 and 1,000 ms.
      assertThat(times.get(3) - times.get(0)).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1_700));
      client.close();
    }
  }

  /** Answers the discovery, acknowledges a subscription and returns. */
  private static void acknowledge(Socket connection) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(connection.getInputStream(), UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Json message = Json.parse(line);
      boolean listens = message.get("method").equals(Json.of("subscriptions/listen"));
      String answer = listens
          ? "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":"
              + "{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" + message.get("id")
              + "},\"notifications\":{\"toolsListChanged\":true}}}\n"
          : "{\"jsonrpc\":\"2.0\",\"id\":" + message.get("id") + ",\"result\":" + json(DISCOVERED)
              + "}\n";
      connection.getOutputStream().write(answer.getBytes(UTF_8));
      if (listens) {
        return;
      }
    }
  }

  @Test
  void aToolThatIsNoToolIsNamed() throws Exception {
    answering(params -> Json.EMPTY_OBJECT, "{'name':'good','inputSchema':{}},{'name':'bad'}");

    assertThatThrownBy(() -> client.tools().toList())
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("tools[1]: missing: inputSchema");
  }

  @Test
  void inputIsSentWithTheStateOfTheServerAndOnlyThere() throws Exception {
    List<Json> heard = new ArrayList<>();
    answering(
        params -> {
          heard.add(params);
          return params.get("requestState") == null && heard.size() == 1
              ? json("{'resultType':'input_required','requestState':'s1','inputRequests':{'q':"
                  + "{'method':'elicitation/create','params':{'message':'m','requestedSchema':"
                  + "{'type':'object','properties':{'a':{'type':'integer','default':4}}}}}}}")
              : json("{'resultType':'complete','content':[]}");
        },
        "");
    try (McpClient asked = settings()
        .onElicitation(form -> new Elicitation.Answer("accept", null))
        .connect(server.endpoint().toString())) {
      asked.call("t", Map.of("x", 1));
      asked.call("t", Map.of("x", 2));
    }

    assertThat(heard).hasSize(3);
    assertThat(heard.get(1).get("requestState")).isEqualTo(Json.of("s1"));
    assertThat(heard.get(1).get("inputResponses"))
        .isEqualTo(json("{'q':{'action':'accept','content':{'a':4}}}"));
    assertThat(heard.get(1).get("arguments")).isEqualTo(json("{'x':1}"));
    assertThat(heard.get(2).get("requestState")).isNull();
    assertThat(heard.get(2).get("inputResponses")).isNull();
  }

  @Test
  void moreQuestionsThanARoundMayHaveAreNotPutToTheUser() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    AtomicInteger size = new AtomicInteger(64);
    String question = "{'method':'elicitation/create','params':{'message':'m','requestedSchema':"
        + "{'type':'object','properties':{}}}}";
    answering(
        params -> {
          if (params.get("inputResponses") != null) {
            return json("{'resultType':'complete','content':[]}");
          }
          String questions = IntStream.range(0, size.get())
              .mapToObj(i -> "'q" + i + "':" + question)
              .collect(Collectors.joining(","));
          return json("{'resultType':'input_required','inputRequests':{" + questions + "}}");
        },
        "");
    try (McpClient user = settings()
        .onElicitation(form -> {
          asked.incrementAndGet();
          return new Elicitation.Answer("decline", null);
        })
        .connect(server.endpoint().toString())) {
      user.call("t", null);
      assertThat(asked).hasValue(64);

      size.set(65);
      assertThatThrownBy(() -> user.call("t", null))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("65 questions in one round, more than the 64");
      assertThat(asked).hasValue(64);
    }
  }

  @Test
  void anAnswerToAnUnknownRequestEndsTheConnection() throws Exception {
    server = Repartee.listen("mem:closed-" + NAMES.incrementAndGet(), Service.NONE);
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread script = new Thread(() -> {
        try (RawConnection connection = new RawConnection(socket.accept())) {
          Json discover = Json.parse(connection.line());
          connection.send("""
              {"jsonrpc":"2.0","id":%s,"result":%s}
              """.formatted(discover.get("id"), json(DISCOVERED)));
          connection.line();
          connection.send("""
              {"jsonrpc":"2.0","id":777,"result":{}}
              """);
          connection.line();
        } catch (IOException e) {
          // The client has ended the connection.
        }
      });
      script.start();
      client = connect(socket);

      assertThatThrownBy(() -> client.call("t", null))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageContaining("a response to no pending call: id 777");
      script.join();
    }
  }

  @Test
  void aRequestInTheStatelessRevisionEndsTheConnection() throws Exception {
    String uri = listen(Service.builder()
        .method("server/discover", c -> json(DISCOVERED))
        .method("tools/call", c -> {
          c.peer().request("roots/list").params(Json.EMPTY_OBJECT).send(Json.class);
          return new CompletableFuture<>();
        }));
    client = settings().roots(List::of).connect(uri);

    assertThatThrownBy(() -> client.call("t", null))
        .isInstanceOf(DisconnectedException.class)
        .hasMessageContaining("it sent the request 'roots/list' in the stateless revision");
  }

  @Test
  void aRevisionThatThisClientDoesNotKnowIsRefused() throws Exception {
    String uri = listen(Service.builder()
        .method(
            "initialize",
            c -> json("{'protocolVersion':'1999-01-01','capabilities':{},"
                + "'serverInfo':{'name':'old','version':'1'}}")));

    assertThatThrownBy(() -> settings().connect(uri))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("1999-01-01");
  }

  @Test
  void aServerThatHasOnlyOtherRevisionsIsRefused() throws Exception {
    String uri = listen(Service.builder().method("server/discover", c -> {
      throw new RpcException(
          -32022, "Unsupported", Map.of("supported", List.of("2030-01-01"), "requested", "x"));
    }));

    assertThatThrownBy(() -> settings().connect(uri))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("2030-01-01")
        .hasMessageContaining("2026-07-28");
  }

  @Test
  void aRefusedRevisionIsReplacedByOneOfTheServer() throws Exception {
    AtomicInteger refusals = new AtomicInteger();
    String uri = listen(Service.builder().method("server/discover", c -> {
      if (refusals.getAndIncrement() == 0) {
        throw new RpcException(
            -32022, "Unsupported", Map.of("supported", List.of("2026-07-28"), "requested", "x"));
      }
      return json(DISCOVERED);
    }));
    client = settings().connect(uri);

    assertThat(client.revision()).isEqualTo(Revision.V2026_07_28);
  }

  @Test
  void aServerThatAnswersDiscoveryWithoutItsMembersGetsTheHandshake() throws Exception {
    String uri = listen(Service.builder()
        .method("server/discover", c -> Json.EMPTY_OBJECT)
        .method("notifications/initialized", c -> null)
        .method(
            "initialize",
            c -> json("{'protocolVersion':'2025-06-18','capabilities':{},"
                + "'serverInfo':{'name':'old','version':'1'}}")));
    client = settings().connect(uri);

    assertThat(client.revision()).isEqualTo(Revision.V2025_06_18);
  }

  @Test
  void hintsOfTheServerLetResultsBeKept() throws Exception {
    AtomicInteger reads = new AtomicInteger();
    answering(
        params -> {
          reads.incrementAndGet();
          return json("{'resultType':'complete','ttlMs':600000,'cacheScope':'private','contents':"
              + "[{'uri':'a:b','text':'x'}]}");
        },
        "");

    assertThat(client.read("a:b")).isEqualTo(client.read("a:b"));
    assertThat(reads).hasValue(1);
  }

  @Test
  void aResultIsNotKeptIfAChangeIsReportedBeforeItArrives() throws Exception {
    AtomicInteger reads = new AtomicInteger();
    String uri = listen(Service.builder()
        .method("server/discover", c -> json(DISCOVERED))
        .method("resources/read", c -> {
          if (reads.incrementAndGet() == 1) {
            c.peer()
                .request("notifications/resources/updated")
                .params(json("{'uri':'a:b'}"))
                .sendNotification();
          }
          return json("{'resultType':'complete','ttlMs':600000,'cacheScope':'private','contents':"
              + "[{'uri':'a:b','text':'x'}]}");
        }));
    client = settings().connect(uri);

    for (int i = 0; i < 3; i++) {
      assertThat(client.read("a:b")).hasSize(1);
    }
    assertThat(reads).hasValue(2);
  }
}
