package dev.repartee.openrpc.mock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.message.RpcError;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.OpenRpcException;
import dev.repartee.stream.Streaming;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A service that answers from a document. */
class MockServiceTest {
  private static final OpenRpc DOCUMENT = document("""
      {'name':'add','params':[{'name':'a','required':true,'schema':{'type':'integer'}},
          {'name':'b','schema':{'type':'integer'}}],
        'result':{'name':'sum','schema':{'type':'integer'}},
        'examples':[
          {'name':'wrong','params':[{'name':'a','value':9}],'result':{'name':'r','value':'nine'}},
          {'name':'one','params':[{'name':'a','value':1},{'name':'b','value':2}],
           'result':{'name':'r','value':3}},
          {'name':'two','params':[{'name':'first','value':2.0},{'name':'second','value':2}],
           'result':{'name':'r','value':4}},
          {'name':'alone','params':[{'name':'a','value':5}],'result':{'name':'r','value':5}}]},
      {'name':'address','params':[],
        'result':{'name':'r','schema':{'$ref':'#/components/schemas/Address'}}},
      {'name':'unknown','params':[],
        'result':{'name':'r','schema':{'type':'string','pattern':'^(?!a)'}}},
      {'name':'seen','params':[{'name':'what','required':true,'schema':{'type':'string'}}]},
      {'name':'items','x-stream':{'form':'call'},
        'params':[{'name':'n','schema':{'type':'integer'}}],
        'result':{'name':'item','schema':{'const':7}}},
      {'name':'subscribe','params':[],'x-stream':{'form':'subscription','notification':'news',
        'unsubscribe':'unsubscribe'},'result':{'name':'item','schema':{'const':'new'}}},
      {'name':'unsubscribe','params':[{'name':'id','schema':{'type':'string'}}],
        'result':{'name':'r','schema':{'type':'boolean'}}},
      {'name':'rpc.status','params':[],'result':{'name':'r','schema':true}},
      {'name':'rpc.other','params':[],'result':{'name':'r','schema':true}}\
      """);

  private final List<String> warnings = new ArrayList<>();
  private Server server;
  private Peer peer;

  private static OpenRpc document(String methods) {
    return OpenRpc.of(Json.parse(("{'openrpc':'1.4.1','info':{'title':'Shop','version':'7'},"
            + "'methods':[" + methods + "],'components':{'schemas':{'Address':{'type':'string',"
            + "'pattern':'^0x[0-9a-f]{40}$'}}}}")
        .replace('\'', '"')));
  }

  @BeforeEach
  void connect() throws Exception {
    MockOptions options = MockOptions.DEFAULT
        .seed(3)
        .items(4)
        .warnings((method, warning) -> warnings.add(method + ": " + warning));
    server = Repartee.listen(
        "tcp://127.0.0.1:0",
        MockService.of(DOCUMENT, options),
        Options.builder().layer(MockService.discovery(DOCUMENT)).build());
    peer = Repartee.connect(server.endpoint().toString());
  }

  @AfterEach
  void close() {
    peer.close();
    server.close();
  }

  private Json call(String method, String params) {
    return peer.request(method).params(Json.parse(params.replace('\'', '"'))).call(Json.class);
  }

  private RpcException refusal(String method, String params) {
    return catchThrowableOfType(RpcException.class, () -> call(method, params));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[1,2]           | 3",
        "{'b':2,'a':1}   | 3",
        "[2,2]           | 4",
        "{'a':2,'b':2}   | 4",
        "[5]             | 5",
        "[5,null]        | 5",
        "{'a':5}         | 5",
        "[70,80]         | 3"
      })
  void anExampleWithTheSameParamsAnswersOtherwiseTheFirst(String params, String result) {
    assertThat(call("add", params)).isEqualTo(Json.parse(result));
  }

  @Test
  void aValueThatFitsAnswersWithoutExamples() {
    Json address = call("address", "[]");
    assertThat(address.text()).matches("0x[0-9a-f]{40}");
    assertThat(call("address", "{}")).isEqualTo(address);
  }

  @Test
  void paramsThatDoNotFitAreRefused() {
    RpcException refusal = refusal("add", "{'a':'x'}");
    assertThat(refusal.code()).isEqualTo(RpcError.INVALID_PARAMS);
    assertThat(refusal.data())
        .isEqualTo(Json.parse("[{\"pointer\":\"/a\","
            + "\"reason\":\"Value is [string] but should be [integer]\"}]"));
    assertThat(refusal("add", "[]").code()).isEqualTo(RpcError.INVALID_PARAMS);
    assertThat(refusal("items", "['x']").code()).isEqualTo(RpcError.INVALID_PARAMS);
  }

  @Test
  void aMethodWithoutAKnownValueAnswersWithAnError() {
    RpcException refusal = refusal("unknown", "[]");
    assertThat(refusal.code()).isEqualTo(RpcError.INTERNAL_ERROR);
    assertThat(refusal).hasMessageContaining("The mock has no value for the result");
    assertThat(refusal.data())
        .isEqualTo(Json.parse("{\"pointer\":\"/methods/2/result/schema/pattern\","
            + "\"reason\":\"the pattern is not known to the sampler\"}"));
  }

  @Test
  void warningsNameTheMethod() {
    assertThat(warnings)
        .containsExactly(
            "add: the result of the example 'wrong' does not fit its schema: "
                + "Value is [string] but should be [integer]",
            "unknown: /methods/2/result/schema/pattern: the pattern is not known to the sampler",
            "rpc.other: it is not served, since its name is reserved");
  }

  @Test
  void notificationsAreAccepted() {
    peer.request("seen").params(List.of("x")).sendNotification();
    peer.request("seen").params(List.of(5)).sendNotification(); // dropped
    assertThat(call("seen", "['x']")).isEqualTo(Json.NULL);
  }

  @Test
  void aStreamSendsTheItemSomeTimes() throws Exception {
    List<Json> items = new ArrayList<>();
    peer.request("items").params(List.of(1)).stream(Json.class)
        .forEach(items::add)
        .get();
    assertThat(items).hasSize(4).containsOnly(Json.of(7));
  }

  @Test
  void aSubscriptionSendsTheItemSomeTimes() throws Exception {
    BlockingQueue<Json> news = new LinkedBlockingQueue<>();
    peer.request("subscribe").streaming(Streaming.subscription("news", "unsubscribe")).stream(
            Json.class)
        .forEach(news::add);
    for (int i = 0; i < 4; i++) {
      assertThat(news.take()).isEqualTo(Json.of("new"));
    }
  }

  @Test
  void discoveryAnswersWithTheDocument() {
    Json answer = peer.request("rpc.discover").call(Json.class);
    assertThat(answer.isSameValue(DOCUMENT.json())).isTrue(); // the framing removes line breaks
  }

  @Test
  void aDocumentThatCannotBeAnsweredIsRefused() {
    OpenRpc impossible = document(
        "{'name':'m','params':[]," + "'result':{'name':'r','schema':{'const':1,'minimum':2}}}");
    assertThatThrownBy(() -> MockService.of(impossible, MockOptions.DEFAULT))
        .isInstanceOf(OpenRpcException.class)
        .hasMessage(
            "/methods/0/result/schema: " + "no value of the schema fits it: the only one does not");
  }
}
