package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.repartee.cli.Child.Outcome;
import dev.repartee.testkit.RawConnection;
import java.io.ByteArrayInputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code repartee serve} as a separate process. */
class ServeTest {
  private static Outcome stdio(String input) throws Exception {
    return Child.run(
        new ByteArrayInputStream(input.getBytes(UTF_8)), "serve", "--listen", "stdio:");
  }

  private static void answered(String input, String output) throws Exception {
    Outcome outcome = stdio(input);
    assertThat(outcome.out()).isEqualTo(output);
    assertThat(outcome.exit()).isZero();
    assertThat(outcome.err().lines().toList())
        .startsWith("listening on stdio:")
        .allMatch(line -> line.equals("listening on stdio:")
            || line.startsWith("repartee: stdio: not a valid message, "));
  }

  @Test
  void standardInputIsServedUntilItEnds() throws Exception {
    answered(
        "{\"jsonrpc\":\"2.0\",\"method\":\"sum\",\"params\":[1,2,4],\"id\":\"1\"}\n",
        "{\"jsonrpc\":\"2.0\",\"result\":7,\"id\":\"1\"}\n");
  }

  @Test
  void deviationsThatTheUriToleratesAreServed() throws Exception {
    String call = """
        {"jsonrpc":"2.0","method":"rpc.ping","params":null,"id":1}""";
    String uri = "stdio:#lenient=null-params";
    assertThat(Child.run(new ByteArrayInputStream(call.getBytes(UTF_8)), "serve", "--listen", uri))
        .isEqualTo(new Outcome(0, """
            {"jsonrpc":"2.0","result":"pong","id":1}
            """, "listening on " + uri + "\n"));
    Outcome unknown = Child.run(
        new ByteArrayInputStream(new byte[0]), "serve", "--listen", "stdio:#lenient=everything");
    assertThat(unknown.exit()).isEqualTo(2);
    assertThat(unknown.err()).contains("known are null-params, missing-version");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'jsonrpc':'2.0','method':'subtract','params':[42,23],'id':1}"
            + "| {'jsonrpc':'2.0','result':19,'id':1}",
        "{'jsonrpc':'2.0','method':'subtract','params':{'subtrahend':23,'minuend':42},'id':3}"
            + "| {'jsonrpc':'2.0','result':19,'id':3}",
        "{'jsonrpc':'2.0','method':'foobar','id':'1'}"
            + "| {'jsonrpc':'2.0','error':{'code':-32601,'message':'Method not found',"
            + "'data':'rpc.discover lists the methods there are'},'id':'1'}",
        "[]| {'jsonrpc':'2.0','error':{'code':-32600,'message':'Invalid Request',"
            + "'data':'the batch is empty'},'id':null}",
        "[{'jsonrpc':'2.0','method':'sum','params':[1,2,4],'id':'1'},"
            + "{'jsonrpc':'2.0','method':'notify_hello','params':[7]},"
            + "{'jsonrpc':'2.0','method':'get_data','id':'9'}]"
            + "| [{'jsonrpc':'2.0','result':7,'id':'1'},"
            + "{'jsonrpc':'2.0','result':['hello',5],'id':'9'}]"
      },
      quoteCharacter = '`')
  void theExamplesOfTheSpecificationGetTheirAnswers(String request, String answer)
      throws Exception {
    answered(request.replace('\'', '"') + "\n", answer.replace('\'', '"') + "\n");
  }

  @Test
  void notificationsGetNoAnswer() throws Exception {
    answered("""
        {"jsonrpc":"2.0","method":"update","params":[1,2,3,4,5]}
        [{"jsonrpc":"2.0","method":"notify_sum","params":[1,2,4]},\
        {"jsonrpc":"2.0","method":"notify_hello","params":[7]}]
        """, "");
  }

  @Test
  void callsThatRunWhenTheInputEndsAreStillAnswered() throws Exception {
    answered(
        "{\"jsonrpc\":\"2.0\",\"method\":\"sleep\",\"params\":[200],\"id\":1}\n",
        "{\"jsonrpc\":\"2.0\",\"result\":200,\"id\":1}\n");
  }

  @Test
  void noInputAtAllIsServedToo() throws Exception {
    answered("", "");
  }

  @Test
  void eachEndpointIsReportedOnOneLineInOrder(@TempDir Path directory) throws Exception {
    String unix = "unix:" + directory.resolve("r.sock");
    try (Child server = Child.start("serve", "--listen", unix, "--listen", "tcp://127.0.0.1:0")) {
      assertThat(server.errLine()).isEqualTo("listening on " + unix);
      assertThat(server.errLine()).matches("listening on tcp://127\\.0\\.0\\.1:[1-9]\\d*");
    }
  }

  @Test
  void theSocketsServeOnWhenTheInputEnds() throws Exception {
    try (Child server =
        Child.start("serve", "--listen", "stdio:", "--listen", "tcp://127.0.0.1:0")) {
      assertThat(server.listening()).isEqualTo("stdio:");
      String tcp = server.listening();
      server.in().close();
      assertThat(Captured.run("", "call", tcp, "sum", "1", "2").out()).isEqualTo("3\n");
      assertThat(server.process().isAlive()).isTrue();
    }
  }

  @Test
  void aSignalEndsItWithZeroThoughClientsIdle(@TempDir Path directory) throws Exception {
    Path socket = directory.resolve("r.sock");
    try (Child server =
        Child.start("serve", "--listen", "tcp://127.0.0.1:0", "--listen", "unix:" + socket)) {
      String tcp = server.listening();
      server.listening();
      try (RawConnection silent = new RawConnection(tcp);
          RawConnection idle = new RawConnection(tcp)) {
        idle.send("""
            {"jsonrpc":"2.0","method":"sum","id":1}
            """);
        assertThat(idle.bytes(1)).isEqualTo("{");
        server.terminate();
        assertThat(server.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(silent.isOver()).isTrue();
      }
      assertThat(server.outcome().exit()).isZero();
      assertThat(socket).doesNotExist();
    }
  }

  @Test
  void aSignalLetsRunningCallsFinish() throws Exception {
    try (Child server = Child.start("serve", "--listen", "tcp://127.0.0.1:0")) {
      try (RawConnection caller = new RawConnection(server.listening())) {
        caller.send("""
            {"jsonrpc":"2.0","method":"sleep","params":[1000],"id":1}
            {"jsonrpc":"2.0","method":"sum","id":2}
            """);
        String first = caller.line(); // of the second call, unless the machine stalls
        server.terminate();
        assertThat(first + caller.line()).contains("\"id\":2", "\"result\":1000", "\"id\":1");
      }
      assertThat(server.outcome().exit()).isZero();
    }
  }

  /**
   * Netty would log each frame of a stream that was reset. A client could fill the disk with such
   * lines.
   */
  @Test
  void framesThatAreIgnoredAreNotLogged() throws Exception {
    String header =
        "\203\206\204\1\11localhost\17\20\20application/json\0\1A\1x"; // RFC 7541; malformed
    String frames = "\0\0\0\4\0\0\0\0\0" // SETTINGS
        + "\0\0" + (char) header.length() + "\1\4\0\0\0\1" + header
        + "\0\0\2\0\1\0\0\0\1{}";
    try (Child server = Child.start("serve", "--listen", "http://127.0.0.1:0/")) {
      try (RawConnection raw = new RawConnection(server.listening())) {
        raw.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frames).endOutput().rest();
      }
      server.terminate();
      assertThat(server.outcome().err().lines()).hasSize(1);
    }
  }

  @Test
  void aSignalLetsCallsOverWebSocketFinish() throws Exception {
    BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    WebSocket.Listener listener = new WebSocket.Listener() {
      @Override
      public @Nullable CompletionStage<?> onText(
          WebSocket socket, CharSequence text, boolean last) {
        answers.add(text.toString());
        socket.request(1);
        return null;
      }
    };
    try (Child server = Child.start("serve", "--listen", "http://127.0.0.1:0/")) {
      URI uri = URI.create(server.listening().replace("http:", "ws:"));
      WebSocket caller = HttpClient.newHttpClient()
          .newWebSocketBuilder()
          .buildAsync(uri, listener)
          .get(30, TimeUnit.SECONDS);
      caller
          .sendText("""
              {"jsonrpc":"2.0","method":"sleep","params":[1000],"id":1}""", true)
          .get(
              30,
              TimeUnit.SECONDS); // WebSocket refuses a send before the previous one has completed
      caller.sendText("""
          {"jsonrpc":"2.0","method":"sum","id":2}""", true);
      String first = answers.poll(30, TimeUnit.SECONDS); // as above
      server.terminate();
      assertThat(first + answers.poll(30, TimeUnit.SECONDS))
          .contains("\"id\":2", "\"result\":1000", "\"id\":1");
      assertThat(server.outcome().exit()).isZero();
    }
  }

  @Test
  void aClassNotWrittenForReparteeIsServed() throws Exception {
    try (Child server =
        Child.start("serve", "--class", "java.lang.Math", "--listen", "tcp://127.0.0.1:0")) {
      assertThat(server.errLine())
          .isEqualTo("repartee: not served: abs"
              + " (overloaded: abs(double), abs(float), abs(int), abs(long))");
      String tcp = server.listening();
      assertThat(Captured.run("", "call", tcp, "hypot", "3", "4"))
          .isEqualTo(new Outcome(0, "5\n", ""));
    }
  }

  @Test
  void anEndpointThatIsTakenExitsWithThreeAndNothingIsServed(@TempDir Path directory)
      throws Exception {
    Path socket = directory.resolve("r.sock");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String tcp = "tcp://127.0.0.1:" + taken.getLocalPort();
      Outcome outcome = Child.run("serve", "--listen", "unix:" + socket, "--listen", tcp);
      assertThat(outcome.exit()).isEqualTo(3);
      assertThat(outcome.err()).startsWith("repartee: ").contains(tcp).hasLineCount(1);
      assertThat(Files.exists(socket)).isFalse();
    }
  }

  @Test
  void theDefaultPortThatIsTakenExitsWithThreeAndSuggestsAnother() throws Exception {
    InetAddress loopback = InetAddress.getByName("127.0.0.1");
    try (ServerSocket taken = new ServerSocket(8645, 1, loopback)) {
      assertThat(Child.run("serve"))
          .isEqualTo(new Outcome(
              3,
              "",
              "repartee: cannot listen on http://127.0.0.1:" + taken.getLocalPort()
                  + "/: Address already in use; choose"
                  + " another port, or 0 for a free one: --listen http://127.0.0.1:0/\n"));
    } catch (BindException somebodyElse) {
      abort("somebody else listens at port 8645");
    }
  }

  @Test
  void httpAndWebSocketAreServedAtOnePortAndReportedOnOneLine() throws Exception {
    try (Child server = Child.start("serve", "--listen", "http://127.0.0.1:0/")) {
      String http = server.listening();
      assertThat(http).matches("http://127\\.0\\.0\\.1:[1-9]\\d*/");
      for (String uri : List.of(http, http.replace("http", "ws"))) {
        assertThat(Captured.run("", "call", uri, "sum", "1", "2"))
            .isEqualTo(new Outcome(0, "3\n", ""));
      }
      server.terminate();
      assertThat(server.outcome()).isEqualTo(new Outcome(0, "", "listening on " + http + "\n"));
    }
  }

  @Test
  void anInvalidEndpointExitsWithTwo() throws Exception {
    Outcome outcome = Child.run("serve", "--listen", "gopher://127.0.0.1:70");
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err()).startsWith("repartee: ").contains("gopher").hasLineCount(1);
  }

  @Test
  void thereIsOneStandardInput() throws Exception {
    Outcome outcome = Child.run("serve", "--listen", "stdio:", "--listen", "stdio:");
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err()).contains("--listen stdio: once").hasLineCount(1);
  }
}
