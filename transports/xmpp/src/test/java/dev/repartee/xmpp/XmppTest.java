package dev.repartee.xmpp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.Peer;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.broker.server.ProsodyServer;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** XMPP features beyond the contract: accounts, presence, and stanzas of other clients. */
@Tag("ci")
class XmppTest extends Fixture {
  private static final String ADD = """
      <json xmlns='urn:xmpp:json:0'>{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}</json>""";

  private static ProsodyServer prosody;

  @BeforeAll
  static void start() throws Exception {
    prosody = server("");
  }

  @AfterAll
  static void stop() throws Exception {
    if (prosody != null) {
      prosody.close();
    }
  }

  /** Returns an address of the account math that no other test uses. */
  private static String unused() {
    return "r" + System.nanoTime();
  }

  private static String of(String account, String resource) {
    return prosody.uri(resource).replace("math@", account + "@");
  }

  // ---------------------------------------------------------------- accounts

  @Test
  void aWrongPasswordIsRefusedWithoutShowingIt() throws Exception {
    Path file = Files.writeString(prosody.folder().resolve("wrong"), "not-this-one");
    String uri =
        prosody.client("ann", "x").replaceFirst("password-file=.*", "password-file=" + file);
    assertThatThrownBy(() -> client(uri))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the server refuses the account ann@localhost with this password")
        .hasMessageContaining("password-file")
        .hasMessageNotContaining("not-this-one");
  }

  @Test
  void anUnknownAccountIsRefused() {
    assertThatThrownBy(() -> client(prosody.client("nobody", "x")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the server refuses the account nobody@localhost");
  }

  /**
   * A name with a character that must be escaped, such as the at sign of a mail address (XEP-0106).
   */
  @Test
  void anAccountWithAnEscapedNameLogsIn() throws Exception {
    Path accounts = prosody.folder().resolve("data/localhost/accounts");
    Files.copy(accounts.resolve("ann.dat"), accounts.resolve("ann%5c40home.dat"));
    client(prosody.client("ann%5C40home", "x"));
  }

  @Test
  void aCallToNobodyFailsAtOnce() throws Exception {
    Peer client = client(prosody.client("ann", unused()));
    assertThatThrownBy(() -> client.call("add", int.class, 1, 2))
        .isInstanceOf(DisconnectedException.class)
        .hasMessageContaining("nobody listens as math@localhost/r")
        .hasMessageContaining("is the service running")
        .isInstanceOfSatisfying(
            DisconnectedException.class,
            e -> assertThat(e.unsent()).isEqualTo("no service listens"));
  }

  @Test
  void aStrangerIsRefusedAndTheServiceGoesOn() throws Exception {
    String name = unused();
    serve(prosody.uri(name), methods);
    Peer eve = client(prosody.client("eve", name));
    assertThatThrownBy(() -> eve.call("add", int.class, 1, 2))
        .isInstanceOf(DisconnectedException.class)
        .hasMessageContaining("does not accept calls from eve@localhost")
        .hasMessageContaining("roster");
    assertThat(report("eve@localhost")).contains("was refused", "option allow");
    eve.notify("note", "from a stranger");
    assertThat(client(prosody.client("ann", name)).call("add", int.class, 1, 2)).isEqualTo(3);
    assertThat(methods.seen).isEmpty();
  }

  @Test
  void theOptionAllowReplacesTheRoster() throws Exception {
    String name = unused();
    serve(prosody.uri(name) + "&allow=eve@localhost", methods);
    assertThat(client(prosody.client("eve", name)).call("add", int.class, 1, 2)).isEqualTo(3);
    Peer ann = client(prosody.client("ann", name));
    assertThatThrownBy(() -> ann.call("add", int.class, 1, 2))
        .hasMessageContaining("does not accept calls from ann@localhost");
  }

  @Test
  void anotherClientOfTheAccountMayCall() throws Exception {
    String name = unused();
    serve(prosody.uri(name) + "&allow=example.org", methods);
    assertThat(client(prosody.client("math", name)).call("add", int.class, 1, 2))
        .isEqualTo(3);
  }

  @Test
  void aHandlerKnowsTheAccountOfItsCaller() throws Exception {
    class WhoAmI {
      @Rpc
      public String who(Call call) {
        XmppCaller caller = call.attributes().get(XmppCaller.ATTRIBUTE);
        return caller == null
            ? "nobody"
            : caller.getName() + " " + !caller.resource().isEmpty();
      }
    }

    String name = unused();
    serve(prosody.uri(name), new WhoAmI());
    assertThat(client(prosody.client("ann", name)).call("who", String.class))
        .isEqualTo("ann@localhost true");
  }

  @Test
  void anAddressThatAnotherLoginTakesIsReported() throws Exception {
    String name = unused();
    serve(prosody.uri(name), methods);
    new Plain(prosody.uri(name));
    assertThat(report("was lost")).contains("conflict");
  }

  // ---------------------------------------------------------------- presence

  @Test
  void thePresenceTellsWhichMethodsAServiceOffers() throws Exception {
    String name = unused();
    Plain ann = new Plain(of("ann", unused()));
    ann.send("<presence/>");
    serve(prosody.uri(name), methods);
    Element caps = null;
    while (caps == null) {
      Element presence = ann.next("presence");
      caps = presence.attribute("from").endsWith(name) ? presence.child("c", Xml.CAPS) : null;
    }
    String node = caps.attribute("node") + "#" + caps.attribute("ver");
    ann.send("<iq type='get' id='q' to='math@localhost/" + name + "'><query xmlns='" + Xml.DISCO
        + "' node='" + node + "'/></iq>");
    Element query = ann.next("iq").child("query", Xml.DISCO);
    assertThat(query).isNotNull();
    assertThat(query.children().stream().map(each -> each.attribute("var")))
        .contains("urn:xmpp:json:0", "dev.repartee:method:add", "dev.repartee:method:echo");
  }

  @Test
  void aStrangerLearnsNothingOfTheMethods() throws Exception {
    String name = unused();
    serve(prosody.uri(name), methods);
    Plain eve = new Plain(of("eve", unused()));
    eve.send("<iq type='get' id='q' to='math@localhost/" + name + "'><query xmlns='" + Xml.DISCO
        + "'/></iq>");
    assertThat(eve.next("iq").attribute("type")).isEqualTo("error");
  }

  @Test
  void theCallsOfAServiceThatGoesAwayFail() throws Exception {
    String name = unused();
    Plain service = new Plain(prosody.uri(name));
    service.send("<presence/>");
    CallFuture<Integer> call =
        client(prosody.client("ann", name)).callAsync("add", int.class, 1, 2);
    service.next("iq");
    service.close();
    assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("went offline before its answer")
        .hasMessageContaining("the outcome is unknown");
  }

  @Test
  void theCallsOfAClientThatGoesAwayAreCancelled() throws Exception {
    String name = unused();
    serve(prosody.uri(name), methods);
    Plain ann = new Plain(of("ann", unused()));
    ann.send("<presence/>");
    ann.send("<iq type='set' id='1' to='math@localhost/" + name + "'>"
        + ADD.replace("add", "block").replace("[1,2]", "[]") + "</iq>");
    seen("block");
    ann.close();
    seen("cancelled");
  }

  @Test
  void aClosingServiceTakesNoFurtherCalls() throws Exception {
    String name = unused();
    Server server = serve(prosody.uri(name), methods);
    Peer client = client(prosody.client("ann", name));
    CallFuture<String> call = client.callAsync("block", String.class);
    seen("block");
    Thread closing = new Thread(() -> server.close(LONG));
    closing.start();
    assertThatThrownBy(() -> {
          while (true) {
            client.call("add", int.class, 1, 2); // until the service has begun to close
          }
        })
        .isInstanceOf(DisconnectedException.class)
        .hasMessageContaining("the service is closing");
    methods.open.countDown();
    assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo("a");
    closing.join();
  }

  @Test
  void messagesThatAServiceCutsAtItsEndAreReported() throws Exception {
    String name = unused();
    Server server = serve(prosody.uri(name), methods);
    Peer client = client(prosody.client("ann", name));
    CallFuture<String> call = client.request("block").idempotent().timeout(LONG).send(String.class);
    seen("block");
    client.notify("block");
    seen("block");
    server.close(Duration.ZERO);
    assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS)).hasMessageContaining("-32006");
    assertThat(report("was not handled")).contains("closed");
  }

  // ---------------------------------------------------------------- stanzas

  @Test
  void textThatXmlHasToEscapeArrivesWhole() throws Exception {
    String name = unused();
    serve(prosody.uri(name), methods);
    String text = "<a b='c'>&amp;\"\\ \uFFFE\uFFFF \uD83D\uDE00 \r\n\t ]]> \u0000 \u007F";
    assertThat(client(prosody.client("ann", name)).call("echo", String.class, text))
        .isEqualTo(text);
  }

  @Test
  void aMessageThatIsTooLargeForAStanzaFailsAtItsCaller() throws Exception {
    String name = unused();
    serve(prosody.uri(name), methods);
    Peer client = client(prosody.client("ann", name));
    String large = "x".repeat(300_000);
    assertThatThrownBy(() -> client.call("echo", String.class, large))
        .isInstanceOf(DisconnectedException.class)
        .hasMessageContaining("the limit is 262144, which the option stanza raises");
    assertThat(client.call("add", int.class, 1, 2)).isEqualTo(3);
  }

  @Test
  void anAnswerThatIsTooLargeForAStanzaFailsAtItsCaller() throws Exception {
    class Large {
      @Rpc
      public String xml(int times) {
        return "<".repeat(times); // five characters each in a stanza
      }
    }

    String name = unused();
    serve(prosody.uri(name), new Large());
    Peer client = client(prosody.client("ann", name));
    assertThatThrownBy(() -> client.call("xml", String.class, 100_000))
        .hasMessageContaining("the limit is 262144");
    assertThatThrownBy(() -> client.call("xml", String.class, 300_000))
        .isInstanceOf(Exception.class);
    assertThat(client.call("xml", String.class, 2)).isEqualTo("<<");
  }

  @Test
  void otherClientsGetExactlyOneAnswerToEachRequest() throws Exception {
    String name = unused();
    serve(prosody.uri(name), methods);
    Plain ann = new Plain(of("ann", unused()));
    String to = " to='math@localhost/" + name + "'>";
    ann.send("<iq type='get' id='call'" + to + ADD + "</iq>");
    assertThat(json(ann, "call")).isEqualTo("""
        {"jsonrpc":"2.0","result":3,"id":1}""");
    ann.send("<iq type='set' id='notification'" + to
        + ADD.replace("\"id\":1,", "").replace("add", "note").replace("1,2", "\"x\"") + "</iq>");
    Element empty = ann.next("iq");
    assertThat(empty.attribute("id")).isEqualTo("notification");
    assertThat(empty.children()).isEmpty();
    seen("x");
    ann.send("<iq type='set' id='steps'" + to + ADD.replace("add", "steps").replace("1,2", "5")
        + "</iq>");
    assertThat(json(ann, "steps")).contains("\"result\":5"); // without progress
  }

  private static String json(Plain client, String id) throws InterruptedException {
    Element answer = client.next("iq");
    assertThat(answer.attribute("id")).isEqualTo(id);
    Element json = answer.child("json", Xml.JSON);
    assertThat(json).isNotNull();
    return json.text();
  }

  @Test
  void badInputIsAnsweredAndTheServiceGoesOn() throws Exception {
    String name = unused();
    serve(prosody.uri(name), methods);
    Plain ann = new Plain(of("ann", unused()));
    String to = " to='math@localhost/" + name + "'>";
    ann.send("<iq type='set' id='text'" + to + "<json xmlns='urn:xmpp:json:0'>{</json></iq>");
    assertThat(json(ann, "text")).contains("-32700");
    report("not JSON");
    ann.send("<iq type='set' id='none'" + to + "<json xmlns='urn:xmpp:json:0'/></iq>");
    assertThat(json(ann, "none")).contains("-32700");
    ann.send("<iq type='set' id='other'" + to + "<query xmlns='jabber:iq:rpc'/></iq>");
    assertThat(ann.next("iq").attribute("type")).isEqualTo("error");
    String deep = "<a xmlns='x'>".repeat(500) + "</a>".repeat(500);
    ann.send("<iq type='set' id='deep'" + to + deep + "</iq>");
    assertThat(ann.next("iq").attribute("type")).isEqualTo("error");
    StringBuilder wide = new StringBuilder("<a xmlns='x'");
    for (int i = 0; i < 11_000; i++) {
      wide.append(" a").append(i).append("=''");
    }
    ann.send("<iq type='set' id='wide'" + to + wide + "/></iq>");
    assertThat(ann.next("iq").attribute("type")).isEqualTo("error");
    ann.send("<message" + to + "<cancel xmlns='dev.repartee:rpc'/></message>");
    ann.send("<message" + to + "<grant xmlns='dev.repartee:rpc' bytes='-1'/></message>");
    ann.send("<message type='headline'" + to + "<json xmlns='urn:xmpp:json:0'>[1</json></message>");
    ann.send("<message type='error'" + to + "</message>");
    ann.send("<iq type='result' id='unasked'" + to + "</iq>");
    ann.send("<iq type='error' id='unasked'" + to + "</iq>");
    ann.send("<iq type='result' id='ping-1'" + to + "</iq>");
    ann.send("<iq type='result' id='ping-x'" + to + "</iq>");
    ann.send("<iq type='set' id='roster'" + to + "<query xmlns='jabber:iq:roster'>"
        + "<item jid='eve@localhost' subscription='both'/></query></iq>");
    assertThat(ann.next("iq").attribute("type")).isEqualTo("error");
    ann.send("<iq type='get' id='call'" + to + ADD + "</iq>");
    assertThat(json(ann, "call")).contains("\"result\":3");
    Peer eve = client(prosody.client("eve", name));
    assertThatThrownBy(() -> eve.call("add", int.class, 1, 2))
        .hasMessageContaining("does not accept calls");
  }

  @Test
  void anAnswerOfAnotherAccountIsNoAnswer() throws Exception {
    String name = unused();
    Plain service = new Plain(prosody.uri(name));
    CallFuture<Integer> call =
        client(prosody.client("ann", name)).callAsync("add", int.class, 1, 2);
    Element request = service.next("iq");
    Element json = request.child("json", Xml.JSON);
    assertThat(json).isNotNull();
    String id = json.text().replaceFirst(".*\"id\":([0-9]+).*", "$1");
    Plain eve = new Plain(of("eve", unused()));
    eve.send(answer(request, id, 666));
    eve.send("<iq type='get' id='after' to='" + request.attribute("from") + "'><ping"
        + " xmlns='urn:xmpp:ping'/></iq>");
    eve.next("iq"); // the client has received the false answer before
    service.send(answer(request, id, 3));
    assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(3);
  }

  private static String answer(Element request, String id, int result) {
    return """
        <iq type='result' id='%s' to='%s'><json xmlns='urn:xmpp:json:0'>\
        {"jsonrpc":"2.0","id":%s,"result":%d}</json></iq>\
        """.formatted(request.attribute("id"), request.attribute("from"), id, result);
  }
}
