package dev.repartee.servlet;

import static dev.repartee.testkit.RawConnection.post;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Service;
import dev.repartee.internal.FakeClock;
import dev.repartee.limits.ClockLimits;
import dev.repartee.testkit.RawConnection;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The responses to POST requests. */
@ParameterizedClass
@EnumSource(Container.Kind.class)
class PostTest extends ServletFixture {
  @Test
  void aCallIsAnsweredAndANotificationIsNot() throws Exception {
    try (RawConnection raw = serve()) {
      assertThat(raw.send(post(SUBTRACT)).answer())
          .startsWith("HTTP/1.1 200")
          .containsIgnoringCase("content-type: application/json\r\n")
          .endsWith("\r\n\r\n" + result("19"));
      String notification = """
          {"jsonrpc":"2.0","method":"subtract","params":[1,2]}""";
      assertThat(raw.send(post(notification)).answer()).startsWith("HTTP/1.1 204");
      assertThat(raw.send(post("[" + SUBTRACT + "]")).answer()).endsWith("[" + result("19") + "]");
      assertThat(raw.send(post("{")).answer()).startsWith("HTTP/1.1 200").contains("-32700");
      assertThat(raw.send(post(call("none", "[]"))).answer()).contains("-32601");
    }
  }

  @Test
  void anAnswerMayComeLater() throws Exception {
    try (RawConnection raw = serve()) {
      raw.send(post(call("later", "[]")));
      assertThat(happens(methods.waiting)).isTrue();
      methods.later.complete("done");
      assertThat(raw.answer()).endsWith(result("\"done\""));
    }
  }

  @Test
  void theStatusesAreThoseOfNetty() throws Exception {
    try (RawConnection raw = serve(RpcServlet.builder()
        .service(Service.of(methods))
        .options(Options.builder().limits(limits -> limits.frameBytes(10_000)).build())
        .notificationStatus(202))) {
      assertThat(
              raw.send(post(SUBTRACT).replace("application/json", "text/plain")).answer())
          .startsWith("HTTP/1.1 415");
    }
    try (RawConnection raw = raw()) {
      assertThat(raw.send(RawConnection.handshake().replace("HTTP/1.1", "HTTP/1.0"))
              .answer())
          .startsWith("HTTP/1.1 400");
    }
    try (RawConnection raw = raw()) {
      assertThat(raw.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").answer())
          .startsWith("HTTP/1.1 405")
          .containsIgnoringCase("allow: POST");
    }
    try (RawConnection raw = raw()) {
      assertThat(raw.send(post(" ".repeat(10_000))).answer()).startsWith("HTTP/1.1 413");
    }
    try (RawConnection raw = raw()) {
      raw.send(RawConnection.chunkedPost()).send("2710\r\n" + " ".repeat(10_000) + "\r\n0\r\n\r\n");
      assertThat(raw.answer()).startsWith("HTTP/1.1 413");
    }
    try (RawConnection raw = raw()) {
      assertThat(raw.send(post(SUBTRACT, "Content-Encoding: br")).answer())
          .startsWith("HTTP/1.1 415");
    }
    try (RawConnection raw = raw()) {
      assertThat(raw.send(post(SUBTRACT, "Content-Encoding: gzip")).answer())
          .startsWith("HTTP/1.1 400");
    }
    try (RawConnection raw = raw()) {
      assertThat(raw.send(post("{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[1,2]}"))
              .answer())
          .startsWith("HTTP/1.1 202");
    }
  }

  @Test
  void aCompressedBodyHasTheSameLimit() throws Exception {
    Options small =
        Options.builder().limits(limits -> limits.frameBytes(10_000)).build();
    try (RawConnection raw = serve(small)) {
      raw.send(packed(SUBTRACT));
      assertThat(raw.answer()).endsWith(result("19"));
      raw.send(packed(" ".repeat(10_000)));
      assertThat(raw.answer()).startsWith("HTTP/1.1 413");
    }
  }

  @Test
  void aCompressedBodyMayConsistOfManyMembers() throws Exception {
    try (RawConnection raw = serve(Options.DEFAULT)) {
      String[] members = new String[50_000];
      Arrays.fill(members, "");
      members[members.length - 1] = SUBTRACT;
      assertThat(raw.send(packed(members)).answer()).endsWith(result("19"));
    }
  }

  private static byte[] packed(String... members) throws Exception {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    for (String member : members) {
      try (OutputStream gzip = new GZIPOutputStream(packed)) {
        gzip.write(member.getBytes(UTF_8));
      }
    }
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Encoding: gzip\r\nContent-Length: " + packed.size() + "\r\n\r\n")
        .getBytes(UTF_8));
    request.writeBytes(packed.toByteArray());
    return request.toByteArray();
  }

  @Test
  void moreRequestsThanTheLimitAreRefused() throws Exception {
    Options one = Options.builder().limits(limits -> limits.connections(1)).build();
    try (RawConnection raw = serve(one);
        RawConnection other = raw()) {
      raw.send(post(call("await", "[]")));
      assertThat(happens(methods.waiting)).isTrue();
      assertThat(other.send(post(SUBTRACT)).answer())
          .startsWith("HTTP/1.1 503")
          .containsIgnoringCase("retry-after: 1");
      methods.released.countDown();
      assertThat(raw.answer()).endsWith(result("\"released\""));
    }
  }

  @Test
  void aBodyThatComesTooSlowlyIsRefused() throws Exception {
    FakeClock clock = new FakeClock();
    Options options =
        Options.builder().limits(ClockLimits.builder(clock).build()).build();
    try (RawConnection raw = serve(options)) {
      String request = post(SUBTRACT + " ".repeat(10_000_000)); // more than is sent meanwhile
      raw.send(request.substring(0, 200));
      for (int at = 200; raw.socket().getInputStream().available() == 0; at++) {
        clock.advance(Duration.ofSeconds(31));
        raw.send(request.substring(at, at + 1));
      }
      assertThat(raw.answer()).startsWith("HTTP/1.1 408");
    }
  }

  @Test
  void foreignHostsAndOriginsAreRefused() throws Exception {
    try (RawConnection raw = serve(RpcServlet.builder()
        .service(Service.of(methods))
        .hosts("rpc.example")
        .origins("https://app.example"))) {
      String request = post(SUBTRACT, "Origin: https://app.example");
      assertThat(raw.send(request).answer())
          .startsWith("HTTP/1.1 200")
          .containsIgnoringCase("access-control-allow-origin: https://app.example");
    }
    for (String header : new String[] {"Origin: https://evil.example", "Origin: null"}) {
      try (RawConnection raw = raw()) {
        assertThat(raw.send(post(SUBTRACT, header)).answer()).startsWith("HTTP/1.1 403");
      }
    }
    try (RawConnection raw = raw()) {
      raw.send("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
      assertThat(raw.answer()).startsWith("HTTP/1.1 403");
    }
    try (RawConnection raw = raw()) {
      raw.send("OPTIONS / HTTP/1.1\r\nHost: rpc.example\r\nOrigin: https://app.example\r\n"
          + "Access-Control-Request-Method: POST\r\n\r\n");
      assertThat(raw.head())
          .startsWith("HTTP/1.1 204")
          .containsIgnoringCase("access-control-allow-methods: POST");
    }
    try (RawConnection raw = raw()) {
      raw.send(RawConnection.handshake("Origin: https://evil.example"));
      assertThat(raw.answer()).startsWith("HTTP/1.1 403");
    }
  }

  @Test
  void aCallThatEndsWhileTheThreadOfTheContainerReturnsIsAnswered() throws Exception {
    start(new RpcServlet(Service.of(methods), Options.DEFAULT));
    for (int round = 0; round < 10; round++) {
      try (RawConnection raw = raw()) { // Tomcat ends it after 100 requests
        for (int i = 0; i < 50; i++) {
          String spins = String.valueOf(4 * (50 * round + i));
          assertThat(raw.send(post(call("soon", "[" + spins + "]"))).answer())
              .endsWith(result(spins));
        }
      }
    }
  }

  @Test
  void theResponseToAMalformedBodyHasNoStackTrace() throws Exception {
    try (RawConnection raw = serve(RpcServlet.builder().service(Service.of(methods)))) {
      raw.send("""
          POST / HTTP/1.1\r
          Host: localhost\r
          Content-Type: application/json\r
          Transfer-Encoding: chunked\r
          \r
          ZZZ\r
          """);
      assertThat(raw.answer()).startsWith("HTTP/1.1 400").doesNotContain("Exception");
    }
  }
}
