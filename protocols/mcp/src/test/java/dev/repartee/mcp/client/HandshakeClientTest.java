package dev.repartee.mcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Lane;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.Root;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests features of the handshake revisions, against scripted servers. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("deprecation") // deprecated by the specification, but still supported
class HandshakeClientTest {
  private final BlockingQueue<Json> heard = new LinkedBlockingQueue<>();
  private Server server;
  private McpClient client;

  private static Json json(String text) {
    return Json.parse(text.replace('\'', '"'));
  }

  /** Starts a server of 2025-11-25 with these capabilities. */
  private String listen(String capabilities, Service.Builder service) throws Exception {
    server = Repartee.listen(
        "tcp://127.0.0.1:0",
        service
            .method("initialize", call -> {
              heard.add(call.params());
              return json("{'protocolVersion':'2025-11-25','capabilities':" + capabilities
                  + ",'serverInfo':{'name':'scripted','version':'1'}}");
            })
            .method("notifications/initialized", call -> null)
            .build());
    return server.endpoint().toString();
  }

  private static McpClient.Builder settings() {
    return McpClient.builder("t", "1").revisions(Revision.V2025_11_25);
  }

  @AfterEach
  void close() {
    if (client != null) {
      client.close();
    }
    if (server != null) {
      server.close();
    }
  }

  // ---------------------------------------------------------------- roots

  @Test
  void aServerHearsThatTheRootsHaveChangedAndAsksForThem() throws Exception {
    AtomicReference<String> root = new AtomicReference<>("file:///a");
    String uri = listen("{}", Service.builder().method("notifications/roots/list_changed", call -> {
      call.peer().request("roots/list").send(Json.class).thenAccept(roots -> heard.add(roots));
      return null;
    }));
    client = settings().roots(() -> List.of(new Root(root.get(), null))).connect(uri);
    assertThat(heard.take().get("capabilities").get("roots"))
        .isEqualTo(json("{'listChanged':true}"));

    root.set("file:///b");
    client.rootsChanged();

    assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo(json("{'roots':[{'uri':'file:///b'}]}"));
  }

  @Test
  void aClientWithoutRootsCannotReportAChange() throws Exception {
    client = settings().connect(listen("{}", Service.builder()));

    assertThatThrownBy(() -> client.rootsChanged())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Builder.roots");
  }

  @Test
  void theStatelessRevisionHasNoMessageForChangedRoots() throws Exception {
    List<String> others = new CopyOnWriteArrayList<>();
    server = Repartee.listen(
        "tcp://127.0.0.1:0",
        Service.builder()
            .method(
                "server/discover",
                call -> json("{'resultType':'complete','supportedVersions':['2026-07-28'],"
                    + "'capabilities':{},'ttlMs':0,'cacheScope':'private'}"))
            .others(Lane.ORDERED, call -> {
              others.add(call.method());
              return null;
            })
            .build());
    client = McpClient.builder("t", "1")
        .revisions(Revision.V2026_07_28)
        .roots(List::of)
        .connect(server.endpoint().toString());

    client.rootsChanged();
    client.ping();

    assertThat(client.revision()).isEqualTo(Revision.V2026_07_28);
    assertThat(others).isEmpty();
  }

  // ---------------------------------------------------------------- experimental tasks

  private final AtomicReference<String> status = new AtomicReference<>("working");

  private Json task() {
    return json("{'taskId':'t1','status':'" + status + "','createdAt':'2026-01-01T00:00:00Z',"
        + "'lastUpdatedAt':'2026-01-01T00:00:00Z','ttl':null,'pollInterval':50}");
  }

  /** Starts a server with experimental tasks, and one tool for each kind of support. */
  private void connectToTasks(Service.Builder service) throws Exception {
    String tools =
        "{'tools':[" + tool("long", "optional") + "," + tool("short", "forbidden") + "]}";
    String uri = listen(
        "{'tools':{},'tasks':{'cancel':{},'requests':{'tools':{'call':{}}}}}",
        service
            .method("tools/list", call -> json(tools))
            .method("tools/call", call -> {
              heard.add(call.params());
              return call.params().get("task") == null
                  ? json("{'content':[{'type':'text','text':'at once'}]}")
                  : Json.of(java.util.Map.of("task", task()));
            })
            .method("tasks/get", call -> {
              heard.add(call.params());
              return task();
            }));
    client = settings()
        .onElicitation(form -> new Elicitation.Answer("accept", json("{'n':'Ann'}")))
        .connect(uri);
    heard.clear();
  }

  private static String tool(String name, String support) {
    return "{'name':'" + name + "','inputSchema':{'type':'object'},'execution':{'taskSupport':'"
        + support + "'}}";
  }

  @Test
  void aCallBecomesAnExperimentalTaskWhoseResultIsFetched() throws Exception {
    connectToTasks(Service.builder()
        .method("tasks/result", call -> json("{'content':[{'type':'text','text':'done'}]}")));
    RemoteTask task = client.request("long").argument("a", 1).start().get(60, TimeUnit.SECONDS);

    assertThat(task.id()).isEqualTo("t1");
    assertThat(heard.take()).isEqualTo(json("{'name':'long','arguments':{'a':1},'task':{}}"));
    assertThat(task.state().status()).isEqualTo(RemoteTask.Status.WORKING);
    assertThat(heard.take()).isEqualTo(json("{'taskId':'t1'}"));

    CompletableFuture<?> result = task.result();
    status.set("completed");
    assertThat(result.get(60, TimeUnit.SECONDS)).isNotNull();
    assertThat(task.await(Duration.ofMinutes(1)).content()).containsExactly(Content.text("done"));
  }

  @Test
  void aToolThatForbidsTasksIsCalledWithoutOne() throws Exception {
    connectToTasks(Service.builder());
    RemoteTask task = client.request("short").start().get(60, TimeUnit.SECONDS);

    assertThat(heard.take().get("task")).isNull();
    assertThat(task.state().status()).isEqualTo(RemoteTask.Status.COMPLETED);
    assertThat(task.await(Duration.ofMinutes(1)).content())
        .containsExactly(Content.text("at once"));
  }

  @Test
  void anExperimentalTaskAsksWhileItsResultIsFetched() throws Exception {
    connectToTasks(Service.builder()
        .method(
            "tasks/result",
            call -> call.peer()
                .request("elicitation/create")
                .params(json("{'message':'Name?','requestedSchema':{'type':'object','properties':"
                    + "{'n':{'type':'string'}}},'_meta':{'io.modelcontextprotocol/related-task':"
                    + "{'taskId':'t1'}}}"))
                .send(Json.class)
                .thenApply(answer -> json("{'content':[{'type':'text','text':"
                    + answer.get("content").get("n") + "}]}"))));
    RemoteTask task = client.request("long").start().get(60, TimeUnit.SECONDS);
    status.set("input_required");

    assertThat(task.await(Duration.ofMinutes(1)).content()).containsExactly(Content.text("Ann"));
  }

  @Test
  void anExperimentalTaskCanBeCancelledAndCanFail() throws Exception {
    AtomicInteger cancellations = new AtomicInteger();
    connectToTasks(Service.builder().method("tasks/cancel", call -> {
      status.set("cancelled");
      cancellations.incrementAndGet();
      return task();
    }));
    RemoteTask task = client.request("long").start().get(60, TimeUnit.SECONDS);

    task.cancel();
    assertThat(cancellations).hasValue(1);
    assertThatThrownBy(() -> task.await(Duration.ofMinutes(1)))
        .isInstanceOf(CancellationException.class);
    status.set("failed");
    assertThatThrownBy(() -> client.task("t1").await(Duration.ofMinutes(1)))
        .isInstanceOf(RpcException.class)
        .hasMessageContaining("the task has failed");
  }
}
