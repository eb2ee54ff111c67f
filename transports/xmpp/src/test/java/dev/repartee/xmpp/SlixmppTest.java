package dev.repartee.xmpp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.broker.contract.Certificates;
import dev.repartee.broker.server.ProsodyServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls between this library and slixmpp, an XMPP client for Python. */
@Tag("ci")
class SlixmppTest extends Fixture {
  private static final String START = """
      import asyncio, json, sys
      import slixmpp
      from slixmpp.xmlstream import ET

      JSON = '{urn:xmpp:json:0}json'

      def container(message):
          element = ET.Element(JSON)
          element.text = json.dumps(message)
          return element

      def client(jid):
          xmpp = slixmpp.ClientXMPP(jid, 'secret')
          xmpp.register_plugin('xep_0030')
          xmpp.register_plugin('xep_0115')
          xmpp.enable_direct_tls = False
          xmpp.ca_certs = sys.argv[2]
          return xmpp

      def run(xmpp):
          xmpp.connect('127.0.0.1', int(sys.argv[1]))
          xmpp.loop.run_until_complete(xmpp.disconnected)

      """;

  @TempDir
  private static Path folder;

  private static Certificates certificates;
  private static ProsodyServer prosody;

  @BeforeAll
  static void start() throws Exception {
    python("repartee.slixmpp");
    certificates = new Certificates(folder);
    prosody = server(tls(certificates.valid("server")));
  }

  @AfterAll
  static void stop() throws Exception {
    if (prosody != null) {
      prosody.close();
    }
  }

  private BufferedReader run(String script) throws IOException {
    return run(
        python("repartee.slixmpp"),
        Files.writeString(prosody.folder().resolve("script.py"), START + script),
        String.valueOf(prosody.port()),
        certificates.ca().toString());
  }

  @Test
  void aPythonClientFindsAndCallsTheService() throws Exception {
    serve(secure(prosody.uri("java"), certificates), methods);
    BufferedReader lines = run("""
        async def main(event):
            iq = xmpp.make_iq_set(ito='math@localhost/java')
            iq.append(container({'jsonrpc': '2.0', 'id': 1, 'method': 'add', 'params': [20, 22]}))
            answer = await iq.send(timeout=60)
            print(json.loads(answer.xml.find(JSON).text)['result'])
            info = await xmpp.plugin['xep_0030'].get_info(jid='math@localhost/java', timeout=60)
            print('dev.repartee:method:add' in info['disco_info']['features'])
            message = xmpp.make_message(mto='math@localhost/java', mtype='headline')
            message.append(container({'jsonrpc': '2.0', 'method': 'note', 'params': ['noted']}))
            message.send()
            xmpp.disconnect()

        xmpp = client('ann@localhost/python')
        xmpp.add_event_handler('session_start', main)
        run(xmpp)
        """);
    assertThat(lines.lines()).containsExactly("42", "True");
    seen("noted");
  }

  @Test
  void theClientCallsAPythonService() throws Exception {
    BufferedReader lines = run("""
        from slixmpp.xmlstream.handler import Callback
        from slixmpp.xmlstream.matcher import MatchXPath

        def serve(iq):
            call = json.loads(iq.xml.find(JSON).text)
            answer = iq.reply()
            result = {'jsonrpc': '2.0', 'id': call['id'], 'result': sum(call['params'])}
            answer.append(container(result))
            answer.send()

        def note(message):
            print(json.loads(message.xml.find(JSON).text)['params'][0], flush=True)

        async def main(event):
            xmpp.send_presence()
            print('ready', flush=True)

        class Container(slixmpp.xmlstream.ElementBase):
            name = plugin_attrib = 'json'
            namespace = 'urn:xmpp:json:0'

        xmpp = client('math@localhost/python')
        slixmpp.xmlstream.register_stanza_plugin(slixmpp.Iq, Container)
        xmpp.register_handler(Callback('calls', MatchXPath('{jabber:client}iq/' + JSON), serve))
        xmpp.register_handler(Callback('notes', MatchXPath('{jabber:client}message/' + JSON), note))
        xmpp.add_event_handler('session_start', main)
        run(xmpp)
        """);
    assertThat(lines.readLine()).isEqualTo("ready");
    Peer client = client(secure(prosody.client("ann", "python"), certificates));
    assertThat(client.call("add", int.class, 20, 22)).isEqualTo(42);
    client.notify("note", "noted");
    assertThat(lines.readLine()).isEqualTo("noted");
    assertThat(client.call("add", int.class, 1, 2)).isEqualTo(3);
  }
}
