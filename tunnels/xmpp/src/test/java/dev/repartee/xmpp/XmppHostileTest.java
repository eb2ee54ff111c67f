package dev.repartee.xmpp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Stanzas that no honest client sends, which a server passes on, or makes up itself. */
class XmppHostileTest extends Fixture {
  private static final String ANN = "<item jid='ann@localhost' subscription='both'/>";

  /** Starts a service with these items in its roster. */
  private ScriptedServer service(String roster) throws Exception {
    ScriptedServer server = closing(new ScriptedServer());
    CompletableFuture<?> service = serveLater(server);
    server.loginService(roster);
    service.get(60, TimeUnit.SECONDS);
    return server;
  }

  private CompletableFuture<?> serveLater(ScriptedServer server) {
    return CompletableFuture.supplyAsync(() -> {
      try {
        return serve(server.service(), methods);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    });
  }

  @Test
  void aStanzaWithAMalformedSenderIsNotOneOfTheOwnServer() throws Exception {
    ScriptedServer server = service(ANN);
    server.send(
        "<iq type='set' id='push' from='eve@evil/' to='math@localhost/json-rpc'>"
            + "<query xmlns='jabber:iq:roster'><item jid='eve@evil' subscription='both'/></query></iq>");
    assertThat(server.call("eve@evil/x", "1", "name")).contains("forbidden");
    assertThat(server.call("ann@localhost/x", "2", "name")).contains("\"result\":\"a\"");
  }
}
