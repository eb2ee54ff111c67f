package dev.repartee.xmpp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The forms of URIs, and their options. */
class XmppAddressTest {
  private static void connect(String uri) throws IOException {
    Repartee.connect(uri).close();
  }

  private static void listen(String uri) throws IOException {
    Repartee.listen(uri, Service.NONE).close();
  }

  @Test
  void aServiceHasADefaultResource() {
    XmppAddress address = XmppAddress.ofService(Endpoint.parse("xmpp:math@example.org"));
    assertThat(address.account().toString()).isEqualTo("math@example.org");
    assertThat(address.service().toString()).isEqualTo("math@example.org/json-rpc");
    assertThat(XmppAddress.ofService(Endpoint.parse("xmpp:math@example.org/a%20b+c"))
            .service()
            .toString())
        .isEqualTo("math@example.org/a b+c");
  }

  @Test
  void aClientHasAnAccountAndAService() {
    XmppAddress address =
        XmppAddress.ofClient(Endpoint.parse("xmpp://ann@a.example/math@b.example/x"));
    assertThat(address.account().toString()).isEqualTo("ann@a.example");
    assertThat(address.service().toString()).isEqualTo("math@b.example/x");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "xmpp:",
        "xmpp:math@example.org",
        "xmpp://ann@example.org",
        "xmpp://ann@example.org/",
        "xmpp://ann@example.org/example.org",
        "xmpp://example.org/math@example.org",
        "xmpp://@example.org/math@example.org",
        "xmpp://ann@example.org/math@example.org%",
        "xmpp://ann@example.org/ma<th@example.org",
        "xmpp://ann:secret@example.org/math@example.org",
        "xmpp://ann@example.org:5222/math@example.org"
      })
  void aMalformedAddressOfAClientIsRefusedWithTheForms(String uri) {
    assertThatThrownBy(() -> connect(uri))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a client is xmpp://NAME@DOMAIN/SERVICE")
        .hasMessageNotContaining("secret");
  }

  @ParameterizedTest
  @ValueSource(strings = {"xmpp:", "xmpp:example.org", "xmpp://ann@example.org/math@example.org"})
  void aMalformedAddressOfAServiceIsRefusedWithTheForms(String uri) {
    assertThatThrownBy(() -> listen(uri))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a service is xmpp:NAME@DOMAIN/RESOURCE");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"tls=maybe", "server=a:b", "server=:1", "server=a:70000", "stanza=1", "events=some"
      })
  void anOptionWithAWrongValueIsRefused(String option) {
    assertThatThrownBy(() -> connect("xmpp://ann@example.org/math@example.org#" + option))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(option);
  }

  @Test
  void aServerElsewhereNeedsTls() {
    assertThatThrownBy(
            () -> connect("xmpp://ann@localhost/math@localhost#tls=off&server=192.0.2.1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("192.0.2.1 is another machine");
  }

  @Test
  void anOptionOfTheOtherSideIsRefused() {
    assertThatThrownBy(() -> connect("xmpp://ann@localhost/math@localhost#allow=*"))
        .hasMessageContaining("allow, which is one of services");
    assertThatThrownBy(() -> listen("xmpp:math@localhost#events=all"))
        .hasMessageContaining("events, which is one of clients");
  }

  @Test
  void aPasswordIsRequired() {
    assertThatThrownBy(() -> listen("xmpp:math@localhost"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("password-file")
        .hasMessageContaining("REPARTEE_XMPP_PASSWORD");
    assertThatThrownBy(() -> listen("xmpp:math@localhost#password-file=/nowhere"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot read the file '/nowhere'");
  }

  @Test
  void aListOfCallersHasAddressesOnly() {
    assertThatThrownBy(() -> listen("xmpp:math@localhost#allow=ann@example.org/x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("allow=ann@example.org/x is neither an account nor a domain");
  }
}
