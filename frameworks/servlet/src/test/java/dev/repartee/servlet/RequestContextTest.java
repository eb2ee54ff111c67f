package dev.repartee.servlet;

import static dev.repartee.testkit.RawConnection.post;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.testkit.RawConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What handlers know of the request and its user. */
@ParameterizedClass
@EnumSource(Container.Kind.class)
class RequestContextTest extends ServletFixture {
  @Test
  void handlersSeeTheContextOfTheThread() throws Exception {
    try (RawConnection raw = serve()) {
      String batch = "[" + call("context", "[]") + "," + call("context", "[]") + "]";
      assertThat(raw.send(post(call("context", "[]"), "x-user: ann")).answer())
          .endsWith(result("\"ann\""));
      assertThat(raw.send(post(call("context", "[]"), "x-user: ann", EVENTS + ", */*"))
              .answer())
          .endsWith(result("\"ann\""));
      assertThat(raw.send(post(batch, "x-user: bob")).answer())
          .endsWith("[" + result("\"bob\"") + "," + result("\"bob\"") + "]");
      assertThat(raw.send(post(call("context", "[]"))).answer()).endsWith(result("null"));
    }
  }

  @Test
  void theUserAndTheRolesAreOnTheCall() throws Exception {
    try (RawConnection raw =
        serve(RpcServlet.builder().service(Service.of(methods)).roles("admin"))) {
      String user = call("user", "[]");
      assertThat(raw.send(post(user)).answer()).endsWith(result("\"nobody false\""));
      assertThat(raw.send(post(user, "x-user: ann")).answer()).endsWith(result("\"ann false\""));
      assertThat(raw.send(post(user, "x-user: admin")).answer()).endsWith(result("\"admin true\""));
    }
    Options admin = Options.builder().header("x-user", "admin").build();
    try (Peer peer = Repartee.connect(uri("ws"), admin)) {
      assertThat(peer.call("user", String.class)).isEqualTo("admin true");
    }
  }

  @Test
  void theUserAndTheRolesAreOnACallThatIsAnsweredWithEvents() throws Exception {
    try (RawConnection raw = serve()) {
      raw.send(post(call("user", "[]"), "x-user: admin", EVENTS)).head();
      assertThat(raw.event()).isEqualTo("data: " + result("\"admin true\"") + "\n\n");
      assertThat(raw.event()).isEmpty();
      raw.send(post(call("laterUser", "[]"), "x-user: admin", EVENTS));
      assertThat(happens(methods.waiting)).isTrue();
      methods.later.complete("now");
      raw.head();
      assertThat(raw.event()).isEqualTo("data: " + result("\"admin true\"") + "\n\n");
    }
  }

  @Test
  void theFactsOfTheRequestAreOnTheCall() throws Exception {
    try (RawConnection raw = serve()) {
      raw.send(post(call("facts", "[]"), "x-tenant: acme", "X-Color: blue")
          .replace("POST / ", "POST /?a=1 "));
      assertThat(raw.answer()).containsIgnoringCase("acme a=1 blue true http");
    }
    Options options =
        Options.builder().header("x-tenant", "acme").header("x-color", "blue").build();
    try (Peer peer = Repartee.connect(uri("ws") + "?b=2", options)) {
      assertThat(peer.call("facts", String.class)).isEqualTo("acme b=2 blue true ws");
    }
  }
}
