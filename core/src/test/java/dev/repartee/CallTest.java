package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.repartee.json.Json;
import dev.repartee.message.Id;
import dev.repartee.message.RpcError;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CallTest {
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Call> kept = new CompletableFuture<>();
  private Server server;
  private Peer peer;

  private void serve(Handler handler) throws Exception {
    Service service = Service.builder().method("work", handler).build();
    server = Repartee.listen("mem:call-test", service);
    Service heard = Service.builder()
        .method("step", Lane.INLINE, call -> told.add("step " + call.params()))
        .build();
    peer = Repartee.connect("mem:call-test", heard, Options.DEFAULT);
  }

  @AfterEach
  void close() {
    if (server != null) {
      peer.close();
      server.close();
    }
  }

  @Test
  void theConsumerOfTheIdGetsTheIdThatTheOtherSideSees() throws Exception {
    serve(call -> call.id().json());
    CompletableFuture<Id> first = new CompletableFuture<>();
    CompletableFuture<Id> second = new CompletableFuture<>();
    Json seen = peer.request("work").onId(first::complete).call(Json.class);
    assertThat(first.getNow(null)).isEqualTo(Id.of(seen));
    Json next = peer.request("work").onId(second::complete).call(Json.class);
    assertThat(second.getNow(null)).isEqualTo(Id.of(next)).isNotEqualTo(first.join());
    peer.request("step").onId(id -> told.add("id " + id)).sendNotification();
    assertThat(told).isEmpty();
  }

  @Test
  void notificationsOfACallAreSentBeforeItsAnswerAndNeverAfterIt() throws Exception {
    serve(call -> {
      call.notify("step", Map.of("n", 1));
      call.notify("step", List.of(2));
      kept.complete(call);
      return "done";
    });
    assertThat(peer.call("work", String.class)).isEqualTo("done");
    assertThat(told).containsExactly("step {\"n\":1}", "step [2]");
    kept.join().notify("step", Map.of("n", 3));
    peer.call("work", String.class);
    assertThat(told).hasSize(4).doesNotContain("step {\"n\":3}");
  }

  @Test
  void messagesOfActionsAfterTheAnswerFollowIt() throws Exception {
    Semaphore registered = new Semaphore(0);
    BlockingQueue<String> order = new LinkedBlockingQueue<>();
    Service service = Service.builder()
        .method("work", call -> {
          call.afterAnswer(() -> call.peer().notify("step", 1));
          call.afterAnswer(() -> {
            throw new IllegalStateException("ignored");
          });
          call.afterAnswer(() -> call.peer().notify("step", 2));
          registered.acquire();
          return switch (call.params().at(0).as(String.class)) {
            case "value" -> "done";
            case "stage" -> CompletableFuture.supplyAsync(() -> "done");
            default -> throw new RpcException(5, "done");
          };
        })
        .build();
    server = Repartee.listen("mem:call-test", service);
    Service heard = Service.builder()
        .method("step", Lane.INLINE, call -> order.add("step " + call.params()))
        .build();
    peer = Repartee.connect("mem:call-test", heard, Options.DEFAULT);
    for (String form : List.of("value", "stage", "error")) {
      CompletableFuture<String> answer = peer.callAsync("work", String.class, form)
          .whenComplete((value, failure) -> order.add("answer"));
      registered.release();
      for (String expected : List.of("answer", "step [1]", "step [2]")) {
        assertThat(order.poll(60, TimeUnit.SECONDS)).as(form).isEqualTo(expected);
      }
      assertThat(answer).isDone();
    }
  }

  /** A stage that a cancellation has overtaken may add an action when its call has ended. */
  @Test
  void anActionAfterTheEndRunsImmediately() throws Exception {
    CompletableFuture<String> late = new CompletableFuture<>();
    serve(call -> {
      call.afterAnswer(() -> call.afterAnswer(() -> late.complete("ran")));
      return null;
    });
    peer.call("work", String.class);
    assertThat(late.get(60, TimeUnit.SECONDS)).isEqualTo("ran");
  }

  @Test
  void aNotificationHasNoAnswerToWaitFor() throws Exception {
    CompletableFuture<Throwable> refused = new CompletableFuture<>();
    serve(call -> {
      try {
        call.afterAnswer(() -> {});
      } catch (IllegalStateException e) {
        refused.complete(e);
      }
      return null;
    });
    peer.notify("work");
    assertThat(refused.get(60, TimeUnit.SECONDS)).hasMessageContaining("'work' is no request");
  }

  @Test
  void anArrayOfArgumentsThatIsNullIsRefusedWithTheRemedy() throws Exception {
    serve(Call::params);
    assertThat(peer.call("work", Json.class, (Object) null)).hasToString("[null]");
    assertThatNullPointerException()
        .isThrownBy(() -> peer.call("work", Json.class, (Object[]) null))
        .withMessageContaining("(Object) null");
  }

  @Test
  void paramsThatNoNotificationMayHaveAreRefused() throws Exception {
    serve(call -> {
      assertThatIllegalArgumentException().isThrownBy(() -> call.notify("step", "text"));
      return null;
    });
    assertThat(peer.call("work", Json.class)).isEqualTo(Json.NULL);
  }

  /** Methods with alternatives to select from. */
  static final class Chosen {
    public List<Integer> twice(int n, Call call) {
      call.notify("step", List.of(n));
      return List.of(n, n);
    }
  }

  @Test
  void aHandlerMayHandACallOnToAnyMethod() throws Exception {
    Service chosen = Service.of(new Chosen());
    serve(call -> {
      RpcMethod method = chosen.find("twice");
      Json arguments = call.params().get("arguments");
      return method.write(method.handle(call.with(arguments)));
    });
    Json answer = peer.request("work").arg("arguments", Map.of("n", 7)).call(Json.class);
    assertThat(answer).isEqualTo(Json.parse("[7,7]"));
    assertThat(told).containsExactly("step [7]");
    assertThatExceptionOfType(RpcException.class)
        .isThrownBy(() -> peer.request("work").arg("arguments", Map.of("m", 7)).call(Json.class))
        .satisfies(e -> assertThat(e.code()).isEqualTo(RpcError.INVALID_PARAMS));
  }

  record Described(@Param(description = "in metres") int length, Json any) {}

  /** Methods with descriptions. */
  static final class Talkative {
    @Rpc(description = "Measures")
    public int measure(@Param(value = "of", description = "What to measure") Described what) {
      return what.length();
    }
  }

  @Test
  void descriptionsAreInSchemasAndInTheDiscoveryDocument() throws Exception {
    assertThat(Json.schemaOf(Described.class)).isEqualTo(Json.parse("""
        {"type":"object","properties":{"length":{"type":"integer",\
        "minimum":-2147483648,"maximum":2147483647,"description":"in metres"},\
        "any":true},"required":["length","any"],"additionalProperties":false}"""));
    RpcMethod measure = Service.of(new Talkative()).find("measure");
    assertThat(measure.description()).isEqualTo("Measures");
    assertThat(String.valueOf(measure.parameters()))
        .contains("\"additionalProperties\":false,\"description\":\"What to measure\"");
    server = Repartee.listen("mem:described", Service.of(new Talkative()));
    peer = Repartee.connect("mem:described");
    assertThat(peer.call("rpc.discover", Json.class).toString())
        .contains("\"name\":\"measure\",\"description\":\"Measures\"")
        .contains("{\"name\":\"of\",\"description\":\"What to measure\",\"required\":true,")
        .contains("\"maximum\":2147483647,\"description\":\"in metres\"");
  }

  @Test
  void aServerCancelsACallWithAnErrorAndItsLaterResultIsDropped() throws Exception {
    CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
    CompletableFuture<Void> goesOn = new CompletableFuture<>();
    serve(call -> {
      kept.complete(call);
      call.cancellation().onCancel(() -> cancelled.complete(true));
      goesOn.join();
      return "too late";
    });
    CallFuture<String> answer = peer.callAsync("work", String.class);
    kept.join().cancel(new RpcError(-32801, "Content modified"));

    assertThatExceptionOfType(RemoteRpcException.class)
        .isThrownBy(answer::await)
        .matches(e -> e.code() == -32801);
    assertThat(cancelled.join()).isTrue();
    goesOn.complete(null);
    kept.join().cancel(new RpcError(1, "answered"));
    assertThat(peer.call("work", String.class)).isEqualTo("too late");
  }

  @Test
  void aServiceHandlesAllOtherMethodsWithinItsLayers() throws Exception {
    Service own = Service.builder().method("known", call -> "known").build();
    Service all = Service.builder()
        .all(own)
        .others(Lane.ORDERED, call -> {
          told.add(call.method() + " " + call.params());
          return call.id() == null ? null : call.method() + "!";
        })
        .build();
    Options layered = Options.builder()
        .layer((call, next) -> {
          Object result = next.handle(call);
          return call.id() == null ? result : result + " layered";
        })
        .build();
    server = Repartee.listen("mem:call-test", all.described("t", "1"), layered);
    peer = Repartee.connect("mem:call-test");

    assertThat(peer.call("known", String.class)).isEqualTo("known layered");
    peer.notify("note", 1);
    assertThat(peer.call("a/b", String.class, 2)).isEqualTo("a/b! layered");
    assertThat(peer.call("rpc.other", String.class)).isEqualTo("rpc.other! layered");
    assertThat(told).containsExactly("note [1]", "a/b [2]", "rpc.other []");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> all.and(all.unknownParams(dev.repartee.json.UnknownMembers.IGNORE)));
  }
}
