package dev.repartee.servlet;

import static dev.repartee.testkit.RawConnection.handshake;
import static dev.repartee.testkit.RawConnection.post;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.internal.FakeClock;
import dev.repartee.limits.ClockLimits;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.RawConnection;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls over WebSocket. */
@ParameterizedClass
@EnumSource(Container.Kind.class)
class WebSocketTest extends ServletFixture {
  @Test
  void aWebSocketCallsInBothDirections() throws Exception {
    Service answers = Service.builder().method("answer", call -> 42).build();
    try (RawConnection raw = serve();
        Peer peer = Repartee.connect(uri("ws"), answers, Options.DEFAULT)) {
      assertThat(peer.call("ask", int.class)).isEqualTo(42);
      String large = "x".repeat(1 << 20);
      assertThat(peer.call("echo", String.class, large)).isEqualTo(large);
      assertThat(raw.upgrade()
              .send(RawConnection.frame(0x82, SUBTRACT.getBytes(UTF_8)))
              .message())
          .isEqualTo("<binary> " + result("19"));
      assertThat(server().peers()).hasSize(2);
    }
  }

  @Test
  void aWebSocketThatEndsAbruptlyCancelsItsCalls() throws Exception {
    try (RawConnection raw = serve()) {
      raw.upgrade().send(RawConnection.frame(0x81, call("await", "[]").getBytes(UTF_8)));
      assertThat(happens(methods.waiting)).isTrue();
    }
    assertThat(happens(methods.cancelled)).isTrue();
  }

  @Test
  void aCallOverAWebSocketIsCancelled() throws Exception {
    try (RawConnection raw = serve();
        Peer peer = Repartee.connect(uri("ws"))) {
      assertThatACallIsCancelled(peer);
      assertThat(raw.send(post(SUBTRACT)).answer()).endsWith(result("19"));
    }
  }

  @Test
  void aReaderOfAWebSocketThatStopsIsCutOff() throws Exception {
    Options quick = Options.builder()
        .limits(limits -> limits.outboundBytes(100_000).drainTimeout(Duration.ofMillis(500)))
        .build();
    try (RawConnection raw = serve(quick)) {
      raw.upgrade().send(RawConnection.frame(0x81, call("flood", "[]").getBytes(UTF_8)));
      assertThat(happens(methods.cancelled)).isTrue();
      assertThat(methods.reported.get()).isLessThan(64_000);
    }
  }

  @Test
  void aClientThatAnswersNoPingIsCutOff() throws Exception {
    FakeClock clock = new FakeClock();
    Limits limits =
        ClockLimits.builder(clock).pingInterval(Duration.ofSeconds(4)).build();
    Duration next = Duration.ofSeconds(5); // the interval, and the time between two checks
    try (RawConnection raw = serve(Options.builder().limits(limits).build())) {
      raw.upgrade().send(RawConnection.frame(0x81, call("await", "[]").getBytes(UTF_8)));
      assertThat(happens(methods.waiting)).isTrue();
      clock.advance(next);
      assertThat(raw.bytes(2)).isEqualTo("\u0089\0"); // a ping
      clock.advance(next);
      assertThat(happens(methods.cancelled)).isTrue();
    }
  }

  @Test
  void aMessageThatIsTooLargeEndsTheWebSocket() throws Exception {
    Options small =
        Options.builder().limits(limits -> limits.frameBytes(10_000)).build();
    try (RawConnection raw = serve(small)) {
      raw.upgrade().send(RawConnection.frame(0x81, " ".repeat(10_000).getBytes(UTF_8)));
      assertThat(raw.message()).startsWith("<close> 1009");
    }
    try (RawConnection raw = raw()) {
      raw.upgrade().send(RawConnection.frame(0x82, new byte[] {'"', (byte) 0xC3, '"'}));
      assertThat(raw.message()).startsWith("<close> 1007");
    }
  }

  @Test
  void handshakesAtTheSameTimeDoNotPassTheLimit() throws Exception {
    Options one = Options.builder().limits(limits -> limits.connections(1)).build();
    start(new RpcServlet(Service.of(methods), one), (request, response, next) -> {
      next.doFilter(request, response);
      bothAreChecked((HttpServletRequest) request);
    });
    byte[] call = RawConnection.frame(0x81, SUBTRACT.getBytes(UTF_8));
    try (RawConnection raw = raw();
        RawConnection other = raw()) {
      raw.send(handshake());
      other.send(handshake());
      assertThat(raw.head()).startsWith("HTTP/1.1 101");
      assertThat(other.head()).startsWith("HTTP/1.1 101");
      assertThat(List.of(raw.send(call).message(), other.send(call).message()))
          .satisfiesExactlyInAnyOrder(
              message -> assertThat(message).isEqualTo(result("19")),
              message -> assertThat(message).startsWith("<close> 1013"));
    }
    String answer;
    do { // until the server has noticed both ends
      try (RawConnection raw = raw()) {
        answer = raw.send(post(SUBTRACT)).answer();
      }
    } while (answer.startsWith("HTTP/1.1 503"));
    assertThat(answer).endsWith(result("19"));
  }

  /** Waits until two handshakes have passed the servlet; the container opens neither before. */
  private void bothAreChecked(HttpServletRequest request) throws ServletException {
    try {
      if (request.getMethod().equals("GET")) {
        methods.bothWait.countDown();
        assertThat(happens(methods.bothWait)).isTrue();
      }
    } catch (InterruptedException e) {
      throw new ServletException(e);
    }
  }

  @Test
  void charactersOutsideOfTheBasicPlaneArrive() throws Exception {
    try (RawConnection raw = serve();
        Peer peer = Repartee.connect(uri("ws"))) {
      String faces = "x" + "\uD83D\uDE00".repeat(50_000);
      assertThat(peer.call("echo", String.class, faces)).isEqualTo(faces);
      assertThat(raw.send(post(SUBTRACT)).answer()).endsWith(result("19"));
    }
  }

  @Test
  void aSubprotocolIsAgreedOn() throws Exception {
    try (RawConnection raw =
        serve(RpcServlet.builder().service(Service.of(methods)).subprotocol("jsonrpc"))) {
      raw.send(handshake("Sec-WebSocket-Protocol: jsonrpc"));
      assertThat(raw.head())
          .startsWith("HTTP/1.1 101")
          .containsIgnoringCase("sec-websocket-protocol: jsonrpc");
    }
    try (RawConnection raw = raw()) {
      raw.send(handshake("Sec-WebSocket-Protocol: other"));
      assertThat(raw.answer()).startsWith("HTTP/1.1 400");
    }
  }
}
