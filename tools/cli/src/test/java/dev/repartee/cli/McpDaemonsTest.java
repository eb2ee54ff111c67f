package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.json.Json;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scripted daemons of lazydap and mxr behind {@code repartee mcp serve}. */
class McpDaemonsTest {
  private static final String SESSION = "2f0c0e6e-0d4b-4a55-9a52-6a0a5a0b5a11";

  @TempDir
  Path temp;

  private final BlockingQueue<Json> logs = new LinkedBlockingQueue<>();

  /**
   * A daemon that answers each request with frames of the script. {@code ID} in a frame is replaced
   * by the id of the request. On any other request it closes the connection.
   */
  private static final class Daemon implements AutoCloseable {
    private final ServerSocketChannel listening;
    private final Map<Json, List<String>> script = new LinkedHashMap<>();
    private final Path socket;

    Daemon(Path socket) throws IOException {
      this.socket = socket;
      listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      listening.bind(UnixDomainSocketAddress.of(socket));
    }

    Daemon on(String payload, String... frames) {
      script.put(json(payload), List.of(frames));
      return this;
    }

    Daemon start() {
      Thread thread = new Thread(this::serve, "daemon");
      thread.setDaemon(true);
      thread.start();
      return this;
    }

    String uri(String envelope) {
      return "unix:" + socket + "#envelope=" + envelope;
    }

    private void serve() {
      while (listening.isOpen()) {
        try (SocketChannel channel = listening.accept();
            DataInputStream in = new DataInputStream(Channels.newInputStream(channel));
            DataOutputStream out = new DataOutputStream(Channels.newOutputStream(channel))) {
          while (answer(in, out)) {}
        } catch (IOException e) {
          // The client has disconnected, perhaps before it has read an answer, or the test has
          // ended.
        }
      }
    }

    private boolean answer(DataInputStream in, DataOutputStream out) throws IOException {
      byte[] frame = new byte[in.readInt()];
      in.readFully(frame);
      Json request = Json.parse(frame);
      List<String> answers = answers(Objects.requireNonNull(request.get("payload")));
      for (String answer : answers == null ? List.<String>of() : answers) {
        byte[] text = answer
            .replace('\'', '"')
            .replace("ID", request.get("id").toString())
            .getBytes(UTF_8);
        out.writeInt(text.length);
        out.write(text);
      }
      out.flush();
      return answers != null;
    }

    private @Nullable List<String> answers(Json payload) {
      for (Map.Entry<Json, List<String>> entry : script.entrySet()) {
        if (entry.getKey().isSameValue(payload)) {
          return entry.getValue();
        }
      }
      return null;
    }

    @Override
    public void close() throws IOException {
      listening.close();
    }
  }

  private static Json json(String text) {
    return Json.parse(text.replace('\'', '"'));
  }

  /** Starts {@code repartee mcp serve} as a process, and performs the handshake of MCP. */
  private Peer client(String... words) throws Exception {
    Service service = Service.builder()
        .method("notifications/message", call -> logs.add(Objects.requireNonNull(call.params())))
        .build();
    String[] line = new String[words.length + 2];
    line[0] = "mcp";
    line[1] = "serve";
    System.arraycopy(words, 0, line, 2, words.length);
    Peer client = Repartee.connect(Child.execUri(line), service, Options.DEFAULT);
    client
        .request("initialize")
        .params(json("{'protocolVersion':'2025-11-25','capabilities':{},"
            + "'clientInfo':{'name':'test','version':'1'}}"))
        .call(Json.class);
    client.notify("notifications/initialized");
    return client;
  }

  private static Json tool(Peer client, String name, String arguments) {
    return client
        .request("tools/call")
        .arg("name", name)
        .arg("arguments", json(arguments))
        .call(Json.class);
  }

  private static Json structured(Json result) {
    return Objects.requireNonNull(result.get("structuredContent"), result::toString);
  }

  private static String text(Json result) {
    return Objects.requireNonNull(result.get("content"))
        .elements()
        .get(0)
        .get("text")
        .as(String.class);
  }

  private static Json schema(Peer client, String tool) {
    for (Json listed :
        client.request("tools/list").call(Json.class).get("tools").elements()) {
      if (Json.of(tool).equals(listed.get("name"))) {
        return listed.get("inputSchema");
      }
    }
    throw new AssertionError("no tool " + tool);
  }

  @Test
  void aModelBreaksAtALineAndReadsAVariableThroughLazydap() throws Exception {
    Path socket = temp.resolve("l.sock");
    String session = "'session_id':'" + SESSION + "'";
    String wait = "{'Wait':{'timeout_ms':null}}";
    try (Daemon daemon = new Daemon(socket)
        .on(
            "{'Request':'Ping'}",
            "{'version':10,'id':ID,'payload':{'Response':{'Pong':{'version':10,"
                + "'instance':'hello-13cc8efcde46','uptime_ms':12}}}}")
        .on(
            "{'Request':{'Subscribe':{'channels':['session_started','session_ended','stopped',"
                + "'continued','output']}}}",
            "{'version':10,'id':ID,'payload':{'Response':{'Status':{'session':null}}}}")
        .on(
            "{'Request':{'BreakpointAdd':{'breakpoint':{'source':'/p/a.py','line':3,"
                + "'enabled':true},'dry_run':false}}}",
            "{'version':10,'id':ID,'payload':{'Response':{'Breakpoints':{'action':'added',"
                + "'dry_run':false,'breakpoints':[{'id':1}],'not_found':[],"
                + "'applied_to_session':false}}}}")
        .on(
            "{'Request':{'Continue':{" + session + ",'wait':" + wait + ",'all_threads':false}}}",
            "{'version':10,'id':0,'payload':{'Event':{'Continued':{" + session
                + ",'thread_id':27982711,'all_threads_continued':true}}}}",
            "{'version':10,'id':0,'payload':{'Event':{'Stopped':{" + session
                + ",'thread_id':27982711,'reason':'breakpoint','hit_breakpoint_ids':[1]}}}}",
            "{'version':10,'id':ID,'payload':{'Response':{'Stepped':{'state':'paused',"
                + "'reason':'breakpoint','frame':{'line':3}}}}}")
        .on(
            "{'Request':{'Scopes':{" + session + "}}}",
            "{'version':10,'id':ID,'payload':{'Response':{'Scopes':["
                + "{'name':'Locals','variables_reference':5}]}}}")
        .on(
            "{'Request':{'Variables':{" + session + ",'variables_reference':5,'filter':'all'}}}",
            "{'version':10,'id':ID,'payload':{'Response':{'Variables':{'variables':["
                + "{'name':'total','value':'42'}],'truncated':false}}}}")
        .on(
            "{'Request':{'Eval':{" + session + ",'expression':'x','context':'repl'}}}",
            "{'version':10,'id':ID,'payload':{'Error':{'code':'SessionNotPaused',"
                + "'message':'the session is running','details':{'state':'running'}}}}")
        .start()) {
      try (Peer client = client(daemon.uri("lazydap"))) {
        Json schema = schema(client, "Step");
        assertThat(schema.get("properties").get("kind").get("enum"))
            .isEqualTo(json("['over','in','out']"));
        assertThat(schema.get("required")).isEqualTo(json("['session_id','kind','wait']"));
        assertThat(client.request("tools/list").call(Json.class).get("tools").elements())
            .hasSize(24);

        assertThat(structured(tool(
                client,
                "BreakpointAdd",
                "{'breakpoint':{'source':'/p/a.py','line':3,'enabled':true},'dry_run':false}")))
            .isEqualTo(json("{'Breakpoints':{'action':'added','dry_run':false,"
                + "'breakpoints':[{'id':1}],'not_found':[],'applied_to_session':false}}"));
        assertThat(structured(tool(
                client, "Continue", "{" + session + ",'wait':" + wait + ",'all_threads':false}")))
            .isEqualTo(json(
                "{'Stepped':{'state':'paused','reason':'breakpoint'," + "'frame':{'line':3}}}"));
        assertThat(logs.poll(60, TimeUnit.SECONDS))
            .isEqualTo(json("{'level':'info','logger':'events','data':{'event':'Continued',"
                + "'params':{" + session + ",'thread_id':27982711,"
                + "'all_threads_continued':true}}}"));
        assertThat(logs.poll(60, TimeUnit.SECONDS).get("data").get("event"))
            .isEqualTo(Json.of("Stopped"));
        assertThat(text(tool(client, "Scopes", "{" + session + "}"))).contains("Locals");
        assertThat(text(tool(
                client, "Variables", "{" + session + ",'variables_reference':5,'filter':'all'}")))
            .contains("\"name\":\"total\",\"value\":\"42\"");
        assertThat(
                text(tool(client, "Eval", "{" + session + ",'expression':'x','context':'repl'}")))
            .isEqualTo("'Eval' failed: the session is running: {\"code\":\"SessionNotPaused\","
                + "\"details\":{\"state\":\"running\"}}");
        Json refused = tool(client, "Step", "{" + session + ",'kind':'up','wait':'NoWait'}");
        assertThat(refused.get("isError")).isEqualTo(Json.TRUE);
        assertThat(text(refused)).contains("kind");
        assertThat(text(tool(client, "Shutdown", "{}"))) // the script has no answer
            .contains("The service may have run the call all the same");
        assertThat(text(tool(client, "Scopes", "{" + session + "}"))).contains("Locals");
      }
    }
  }

  @Test
  void aCallThatIsGivenUpDoesNotHoldBackTheNextOnes() throws Exception {
    String session = "'session_id':'" + SESSION + "'";
    try (Daemon daemon = new Daemon(temp.resolve("g.sock"))
        .on(
            "{'Request':'Ping'}",
            "{'version':10,'id':ID,'payload':{'Response':{'Pong':{'version':10}}}}")
        .on(
            "{'Request':{'Subscribe':{'channels':['session_started','session_ended','stopped',"
                + "'continued','output']}}}",
            "{'version':10,'id':ID,'payload':{'Response':{'Status':{}}}}")
        .on(
            "{'Request':{'Pause':{" + session + ",'wait':{'Wait':{'timeout_ms':0}}}}}",
            "{'version':10,'id':0,'payload':{'Event':{'WatchUpdated':{'watch_id':3}}}}")
        .on(
            "{'Request':{'Threads':{" + session + "}}}",
            "{'version':10,'id':ID,'payload':{'Response':{'Threads':[]}}}")
        .start()) {
      try (Peer client = client(daemon.uri("lazydap"))) {
        CallFuture<Json> waiting = client
            .request("tools/call") // the second call of the client, after initialize
            .arg("name", "Pause")
            .arg("arguments", json("{" + session + ",'wait':{'Wait':{'timeout_ms':0}}}"))
            .send(Json.class);
        assertThat(logs.poll(60, TimeUnit.SECONDS)).isNotNull();
        client.request("notifications/cancelled").arg("requestId", 2).sendNotification();
        assertThat(text(tool(client, "Threads", "{" + session + "}"))).contains("Threads");
        waiting.cancel(true);
      }
    }
  }

  @Test
  void aModelListsAndSearchesMessagesThroughMxr() throws Exception {
    Path socket = temp.resolve("m.sock");
    Path secret =
        Files.writeString(temp.resolve("secret"), "Authenticate {\"token\":\"hush\"}\n\nPing\n");
    String ok = "{'id':ID,'source':'daemon','payload':{'type':'Response','status':'Ok','data':";
    try (Daemon daemon = new Daemon(socket)
        .on(
            "{'type':'Request','cmd':'Authenticate','token':'hush'}",
            ok + "{'kind':'Authenticated'}}}",
            "{'id':0,'source':'cli','payload':{'type':'Event','event':'EventsLagged',"
                + "'skipped':144}}")
        .on("{'type':'Request','cmd':'Ping'}", ok + "{'kind':'Pong'}}}")
        .on(
            "{'type':'Request','cmd':'ListEnvelopes','limit':2,'offset':0}",
            "{'id':0,'source':'cli','payload':{'type':'Event','event':'SyncCompleted',"
                + "'account_id':'a','messages_synced':3}}",
            ok + "{'kind':'Envelopes','envelopes':[{'id':'m1','subject':'Tea'}]}}}")
        .on(
            "{'type':'Request','cmd':'Search','query':'tea','limit':5,'explain':false}",
            ok + "{'kind':'SearchResults','results':[{'message_id':'m1'}]}}}")
        .on(
            "{'type':'Request','cmd':'GetBody','message_id':'m2'}",
            "{'id':ID,'source':'daemon','payload':{'type':'Response','status':'Error',"
                + "'message':'no such message','kind':'not_found','code':'not_found',"
                + "'retryable':false}}")
        .start()) {
      try (Peer client = client(daemon.uri("mxr"), "--first", "@" + secret, "--name", "mail")) {
        assertThat(schema(client, "Search").get("required"))
            .isEqualTo(json("['query','limit','explain']"));
        assertThat(structured(tool(client, "ListEnvelopes", "{'limit':2,'offset':0}")))
            .isEqualTo(json("{'kind':'Envelopes','envelopes':[{'id':'m1','subject':'Tea'}]}"));
        assertThat(logs.poll(60, TimeUnit.SECONDS).get("data"))
            .isEqualTo(json(
                "{'event':'SyncCompleted','params':{'account_id':'a'," + "'messages_synced':3}}"));
        assertThat(text(tool(client, "Search", "{'query':'tea','limit':5,'explain':false}")))
            .contains("m1");
        assertThat(text(tool(client, "GetBody", "{'message_id':'m2'}")))
            .startsWith("'GetBody' failed: no such message: {\"kind\":\"not_found\"");
        assertThat(text(
                tool(client, "Search", "{'query':'x','limit':5,'explain':false,'cmd':'Shutdown'}")))
            .contains("Invalid arguments: /cmd"); // not the method of the message
      }
    }
  }

  @Test
  void aDescriptionInAFileListsTheMethodsAndTheFirstCalls() throws Exception {
    Path socket = temp.resolve("d.sock");
    Path file = Files.writeString(temp.resolve("d.json"), """
        {"openrpc":"1.3.2","x-connect":[{"method":"Ping"}],"methods":[{"name":"Count",\
        "params":[{"name":"query","schema":{"type":"string"}}],"result":{"name":"count",\
        "schema":{}}}]}""");
    String ok = "{'id':ID,'source':'daemon','payload':{'type':'Response','status':'Ok','data':";
    try (Daemon daemon = new Daemon(socket)
        .on("{'type':'Request','cmd':'Ping'}", ok + "{'kind':'Pong'}}}")
        .on("{'type':'Request','cmd':'Count','query':'x'}", ok + "{'kind':'Count','count':3}}}")
        .start()) {
      try (Peer client = client(daemon.uri("mxr"), "--describe", file.toString())) {
        assertThat(client.request("tools/list").call(Json.class).get("tools").elements())
            .hasSize(1);
        assertThat(text(tool(client, "Count", "{'query':'x'}"))).contains("\"count\":3");
      }
    }
  }

  @Test
  void aDescriptionOrAFirstCallThatIsOfNoUseIsRefused() throws Exception {
    Path socket = temp.resolve("r.sock");
    String ok = "{'id':ID,'source':'daemon','payload':{'type':'Response','status':'Ok','data':";
    Path odd = Files.writeString(temp.resolve("odd.json"), "{\"x-connect\":[7]}");
    Path none = Files.writeString(temp.resolve("none.json"), "{\"methods\":7}");
    try (Daemon daemon = new Daemon(socket)
        .on("{'type':'Request','cmd':'Ping'}", ok + "{'kind':'Pong'}}}")
        .on(
            "{'type':'Request','cmd':'Authenticate','token':'hush'}",
            "{'id':ID,'source':'daemon','payload':{'type':'Response','status':'Error',"
                + "'message':'wrong token','kind':'auth'}}")
        .start()) {
      String uri = daemon.uri("mxr");
      assertRefused(
          2,
          "there is no file '" + temp + "/x' to read an OpenRPC document from",
          uri,
          "--describe",
          temp + "/x");
      assertRefused(
          2,
          "'" + odd + "': the member 'x-connect' of the description has to be",
          uri,
          "--describe",
          odd.toString());
      assertRefused(
          2,
          "'" + none + "': the description is not an OpenRPC document",
          uri,
          "--describe",
          none.toString());
      assertRefused(
          2,
          "--describe and --method both list the methods to serve; give one",
          uri,
          "--describe",
          odd.toString(),
          "--method",
          "Ping");
      assertRefused(
          3,
          "a first call failed: 'Authenticate' of ",
          uri,
          "--first",
          "Authenticate {\"token\":\"hush\"}");
      assertRefused(
          2,
          "the params of a --first call of 'Authenticate' have to be one JSON array",
          uri,
          "--first",
          "Authenticate hush");
      assertRefused(2, "there is no file '/x' to read for --first", uri, "--first", "@/x");
    }
  }

  private static void assertRefused(int exit, String reason, String... words) {
    Captured captured = new Captured("");
    String[] line = new String[words.length + 2];
    line[0] = "mcp";
    line[1] = "serve";
    System.arraycopy(words, 0, line, 2, words.length);
    assertThat(Main.run(captured.stdio(), line)).as(captured.err()).isEqualTo(exit);
    assertThat(captured.err()).contains(reason).doesNotContain("hush").hasLineCount(1);
  }
}
