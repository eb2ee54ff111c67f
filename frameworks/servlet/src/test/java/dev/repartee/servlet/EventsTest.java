package dev.repartee.servlet;

import static dev.repartee.testkit.RawConnection.post;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.HttpRoutes;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.http.HttpReply;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Responses that are streams of server-sent events. */
@ParameterizedClass
@EnumSource(Container.Kind.class)
class EventsTest extends ServletFixture {
  @Test
  void progressComesAsEvents() throws Exception {
    try (RawConnection raw = serve()) {
      for (int repeated = 0; repeated < 2; repeated++) {
        raw.send(post(call("countdown", "[3]"), EVENTS));
        assertThat(raw.head()).containsIgnoringCase("content-type: text/event-stream");
        for (int i = 3; i > 0; i--) {
          assertThat(raw.event()).contains("\"value\":" + i + "}");
        }
        assertThat(raw.event()).isEqualTo("data: " + result("\"liftoff\"") + "\n\n");
        assertThat(raw.event()).isEmpty();
      }
      raw.send(post(SUBTRACT, EVENTS + ", application/json"));
      assertThat(raw.answer()).endsWith(result("19"));
    }
  }

  @Test
  void aSlowReaderReceivesEveryEvent() throws Exception {
    Options small =
        Options.builder().limits(limits -> limits.outboundBytes(1_000)).build();
    try (RawConnection raw = serve(small)) {
      raw.send(post(call("countdown", "[5000]"), EVENTS));
      raw.head();
      for (int i = 5_000; i > 0; i--) {
        assertThat(raw.event()).contains("\"value\":" + i + "}");
      }
      assertThat(raw.event()).contains("liftoff");
    }
  }

  @Test
  void aReaderOfEventsThatStopsHoldsTheHandlerBackAndItsEndCancels() throws Exception {
    Options small =
        Options.builder().limits(limits -> limits.outboundBytes(100_000)).build();
    try (RawConnection raw = serve(small)) {
      raw.send(post(call("flood", "[]"), EVENTS));
      raw.head();
      int before = -1;
      while (before != methods.reported.get()) { // until the socket and the queue are full
        before = methods.reported.get();
        assertThat(methods.cancelled.await(300, TimeUnit.MILLISECONDS)).isFalse();
      }
      assertThat(before).isLessThan(64_000);
    }
    assertThat(happens(methods.cancelled)).isTrue();
  }

  @Test
  void aClientThatDisconnectsFromASilentStreamCancelsItsCall() throws Exception {
    try (RawConnection raw = serve()) {
      raw.send(post(call("await", "[]"), EVENTS));
      assertThat(happens(methods.waiting)).isTrue();
    }
    assertThat(happens(methods.cancelled)).isTrue();
  }

  @Test
  void ourClientCallsAndCancels() throws Exception {
    try (RawConnection raw = serve();
        Peer peer = Repartee.connect(uri("http"))) {
      assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
      assertThatACallIsCancelled(peer);
      assertThat(raw.send(post(SUBTRACT)).answer()).endsWith(result("19"));
    }
  }

  @Test
  void aServiceOfHttpThatFailsInASilenceIsAnsweredForWithAnError() throws Exception {
    HttpRoutes routes = HttpRoutes.builder()
        .at(
            "/events",
            (request, reply) -> reply.onSilence(() -> {
              throw new IllegalStateException("no stream");
            }))
        .build();
    start(new RpcServlet(routes, Options.DEFAULT));
    try (RawConnection raw = raw()) {
      raw.send("GET /events HTTP/1.1\r\nHost: localhost\r\n" + EVENTS + "\r\n\r\n");
      assertThat(raw.head()).startsWith("HTTP/1.1 500 ");
    }
  }

  @Test
  void aServiceOfHttpStreamsEvents() throws Exception {
    CompletableFuture<HttpReply> streams = new CompletableFuture<>();
    CountDownLatch gone = new CountDownLatch(1);
    HttpRoutes routes = HttpRoutes.builder()
        .at("/events", (request, reply) -> {
          reply.onGone(gone::countDown);
          reply.stream(Map.of("x-stream", "1"));
          streams.complete(reply);
        })
        .build();
    start(new RpcServlet(routes, Options.DEFAULT));
    try (RawConnection raw = raw()) {
      raw.send("GET /events HTTP/1.1\r\nHost: localhost\r\n" + EVENTS + "\r\n\r\n");
      assertThat(raw.head()).containsIgnoringCase("x-stream: 1");
      streams.get().send(HttpReply.Event.of("one".getBytes(UTF_8)));
      assertThat(raw.event()).isEqualTo("data: one\n\n");
    }
    assertThat(happens(gone)).isTrue();
  }

  @Test
  void withoutAsynchronousRequestsCallsAreServedAndEventsAreNot() throws Exception {
    RpcServlet plain = new RpcServlet(
        Service.of(methods),
        Options.builder().limits(limits -> limits.connections(3)).build());
    container = kind.start(
        Container.Settings.DEFAULT, context -> context.addServlet("rpc", plain).addMapping("/*"));
    for (int repeated = 0; repeated < 5; repeated++) { // a failed request leaves the count
      try (RawConnection raw = raw()) {
        assertThat(raw.send(post(SUBTRACT)).answer()).endsWith(result("19"));
      }
      try (RawConnection raw = raw()) {
        raw.send(post(SUBTRACT, EVENTS));
        assertThat(raw.head()).startsWith("HTTP/1.1 500");
      }
    }
  }
}
