package dev.repartee.openrpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Call;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.RpcMethod;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.message.RpcError;
import dev.repartee.transport.ChannelInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks of calls against a document, on servers and clients. */
class OpenRpcLayerTest {
  private static final OpenRpc DOCUMENT = OpenRpc.of(json("""
      {'openrpc':'1.3.2','info':{'title':'t','version':'1'},'methods':[
        {'name':'place','params':[
           {'name':'item','required':true,'schema':{'$ref':'#/components/schemas/Item'}},
           {'name':'count','schema':{'type':'integer','minimum':1,'maximum':9}},
           {'name':'note','schema':{'type':'string','pattern':'^[a-z]*$'}}],
         'result':{'name':'r','schema':{'type':'integer'}}},
        {'name':'named','paramStructure':'by-name','params':[{'name':'a','schema':{}}],
         'result':{'name':'r','schema':true}},
        {'name':'all','params':[{'name':'first','schema':{'type':'string'}},
           {'name':'rest','x-variadic':true,'schema':{'type':'array','items':{'type':'integer'}}}],
         'result':{'name':'r','schema':true}},
        {'name':'broken','params':[{'name':'a','schema':{'pattern':'('}}],
         'result':{'name':'r','schema':true}},
        {'name':'unknown','params':[],'x-params-unknown':true,
         'result':{'name':'r','schema':true}},
        {'name':'wrong','params':[],'result':{'name':'r','schema':{'type':'array',
           'items':{'type':'integer'}}}},
        {'name':'items','x-stream':{'form':'call'},'params':[],
         'result':{'name':'r','schema':{'type':'integer'}}}],
       'components':{'schemas':{'Item':{'type':'object','required':['name'],'properties':{
         'name':{'type':'string'},'size':{'enum':['small','large'],'type':'string'},
         'parts':{'type':'array','items':{'$ref':'#/components/schemas/Item'}}},
         'additionalProperties':false}}}}\
      """));

  private final BlockingQueue<String> notices = new LinkedBlockingQueue<>();
  private final List<String> failures = new ArrayList<>();
  private final BlockingQueue<String> called = new LinkedBlockingQueue<>();

  private final Listener listener = new Listener() {
    @Override
    public void notice(ChannelInfo channel, String event) {
      notices.add(event);
    }

    @Override
    public void failed(Call call, Throwable cause) {
      failures.add(cause.getMessage());
    }
  };

  private static Json json(String text) {
    return Json.parse(text.replace('\'', '"'));
  }

  private Service service() {
    Service.Builder service = Service.builder();
    for (String name : List.of("place", "named", "all", "broken", "unknown", "other")) {
      service.add(RpcMethod.builder(name).handler(call -> {
        called.add(name);
        return 7;
      }));
    }
    return service
        .add(RpcMethod.builder("wrong")
            .handler(call -> CompletableFuture.completedFuture(List.of(1, "two"))))
        .build();
  }

  private OpenRpcLayer layer(OpenRpcLayer.Results results) {
    return OpenRpcLayer.builder(DOCUMENT).results(results).listener(listener).build();
  }

  /** Calls a server with the layer. */
  private Json call(OpenRpcLayer.Results results, String method, String params) throws Exception {
    Options options = Options.builder().layer(layer(results)).listener(listener).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service(), options);
        Peer peer = Repartee.connect(server.endpoint().toString())) {
      return peer.request(method).params(json(params)).call(Json.class);
    }
  }

  @Test
  void aValueThatNeedsMoreThanTheMaximumTimeDoesNotFit() throws Exception {
    OpenRpcLayer layer = OpenRpcLayer.builder(DOCUMENT).time(Duration.ZERO).build();
    Options options = Options.builder().layer(layer).listener(listener).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service(), options);
        Peer peer = Repartee.connect(server.endpoint().toString())) {
      assertThatThrownBy(() ->
              peer.request("place").params(json("[{'name':'tea'},1,'abc']")).call(Json.class))
          .hasMessageContaining("Invalid params");
    }
    assertThat(called).isEmpty();
  }

  private Json call(String method, String params) throws Exception {
    return call(OpenRpcLayer.Results.REPORTED, method, params);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "place|[{'name':'tea'}]",
        "place|[{'name':'tea','size':'small','parts':[{'name':'leaf','parts':[]}]},9,'abc']",
        "place|[{'name':'tea'},null,'abc']",
        "place|[{'name':'tea'},1.0]",
        "place|{'item':{'name':'tea'},'note':'n'}",
        "named|{'a':1}",
        "named|{}",
        "all|['a',1,2,3]",
        "all|[]",
        "all|{'first':'a','rest':[1]}",
        "broken|['x']",
        "unknown|[1,2,3]",
        "other|[1,2,3]",
      })
  void paramsThatFitAreServed(String method, String params) throws Exception {
    assertThat(call(method, params)).isEqualTo(Json.of(7));
    assertThat(called).containsExactly(method);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "place|[]||the parameter 'item' is missing",
        "place|{'count':1}||the parameter 'item' is missing",
        "place|[5]|/0|Value is [integer] but should be [object]",
        "place|[{}]|/0|Object does not have the required properties [name]",
        "place|[{'name':'tea','parts':[{'name':5}]}]|/0/parts/0/name|Value is [integer]",
        "place|{'item':{'name':'tea','size':'huge'}}|/item/size|Expected one of",
        "place|[{'name':'tea'},10]|/1|the value is greater than 9",
        "place|[{'name':'tea'},1.5]|/1|Value is [number] but should be [integer]",
        "place|[{'name':'tea'},1,'A']|/2|the value does not match the regular expression ^[a-z]*$",
        "place|[{'name':'tea'},1,'a',4]|/3|the method has 3 parameters",
        "place|{'item':{'name':'tea'},'a/b':4}|/a~1b|the method has no such parameter",
        "named|[1]||the params are accepted by-name",
        "all|['a',1,'2']|/2|Value is [string] but should be [integer]",
      })
  void paramsThatDoNotFitAreRefusedWithPointerAndReason(
      String method, String params, String pointer, String reason) {
    assertThatThrownBy(() -> call(method, params)).isInstanceOfSatisfying(RpcException.class, e -> {
      assertThat(e.code()).isEqualTo(RpcError.INVALID_PARAMS);
      Json fault = e.error().data().elements().get(0);
      assertThat(fault.string("pointer")).isEqualTo(pointer == null ? "" : pointer);
      assertThat(fault.string("reason")).startsWith(reason.replace("\\\"", "\""));
    });
    assertThat(called).isEmpty();
  }

  @Test
  void aSchemaWithoutTargetFitsEveryValueAndIsReportedOnce() throws Exception {
    OpenRpc document = OpenRpc.lenient(json("""
        {'methods':[{'name':'place','params':[
          {'name':'a','schema':{'items':{'$ref':'#/components/schemas/Missing'}}},
          {'name':'b','schema':{'type':'integer'}}],
        'result':{'name':'r','schema':{'$ref':'#/components/schemas/Missing'}}}]}\
        """));
    Options options = Options.builder()
        .layer(OpenRpcLayer.builder(document).listener(listener).build())
        .listener(listener)
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service(), options);
        Peer peer = Repartee.connect(server.endpoint().toString())) {
      assertThat(peer.request("place").params(json("[[5],1]")).call(int.class)).isEqualTo(7);
      assertThat(peer.request("place").params(json("{'a':'x'}")).call(int.class))
          .isEqualTo(7);
      assertThatThrownBy(() -> peer.request("place").params(json("[[5],'b']")).call(int.class))
          .isInstanceOf(RpcException.class)
          .hasMessageContaining("Invalid params");
    }
    assertThat(notices)
        .containsExactly(
            "calls of 'place' are not checked as a whole: /methods/0/params/0/schema/items: the"
                + " reference '#/components/schemas/Missing' has no target",
            "calls of 'place' are not checked as a whole: /methods/0/result/schema: the reference"
                + " '#/components/schemas/Missing' has no target");
  }

  @Test
  void aSchemaOfALenientDocumentThatRefersToItselfEndsTheCheck() throws Exception {
    OpenRpc document = OpenRpc.lenient(json("""
        {'methods':[{'name':'place','params':[
          {'name':'a','schema':{'$ref':'#/components/schemas/A'}},
          {'name':'b','schema':{'items':{'$ref':'#/components/schemas/A'}}}]}],
        'components':{'schemas':{'A':{'$ref':'#/components/schemas/B'},
          'B':{'$ref':'#/components/schemas/A'}}}}\
        """));
    Options options = Options.builder()
        .layer(OpenRpcLayer.builder(document).listener(listener).build())
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service(), options);
        Peer peer = Repartee.connect(server.endpoint().toString())) {
      assertThat(peer.request("place").params(json("[5]")).call(int.class)).isEqualTo(7);
      assertThatThrownBy(() -> peer.request("place").params(json("[5,[6]]")).call(int.class))
          .isInstanceOf(RpcException.class)
          .hasMessageContaining("Invalid params");
    }
  }

  @Test
  void aCallWithoutParamsIsChecked() throws Exception {
    Options options = Options.builder()
        .layer(layer(OpenRpcLayer.Results.REPORTED))
        .listener(listener)
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service(), options);
        Peer peer = Repartee.connect(server.endpoint().toString())) {
      assertThat(peer.request("named").call(int.class)).isEqualTo(7);
      assertThatThrownBy(() -> peer.request("place").call(int.class))
          .isInstanceOf(RpcException.class);
      peer.request("place").params(json("[1]")).sendNotification(); // dropped
      peer.request("named").sendNotification();
      assertThat(called.take()).isEqualTo("named");
      assertThat(called.take()).isEqualTo("named");
    }
  }

  @Test
  void aResultThatDoesNotFitIsReported() throws Exception {
    assertThat(call("wrong", "[]")).isEqualTo(json("[1,'two']"));
    assertThat(notices.take())
        .startsWith("the result of 'wrong' does not fit its schema: /1: Value is [string]");
  }

  @Test
  void aResultThatDoesNotFitIsRefusedByOption() {
    assertThatThrownBy(() -> call(OpenRpcLayer.Results.REFUSED, "wrong", "[]"))
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(e.code()).isEqualTo(RpcError.INTERNAL_ERROR));
    assertThat(failures).singleElement().asString().contains("/1: Value is [string]");
    assertThat(notices).isEmpty();
  }

  /** Other tools write documents without the extension x-stream. */
  @ParameterizedTest
  @EnumSource
  void aStreamThatIsNotDocumentedAsOneIsServed(OpenRpcLayer.Results results) throws Exception {
    Service service = Service.builder()
        .add(RpcMethod.builder("wrong")
            .streamHandler(
                Json.class, Integer.class, (params, call) -> List.of(1, 2).iterator()))
        .build();
    Options options = Options.builder().layer(layer(results)).listener(listener).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service, options);
        Peer peer = Repartee.connect(server.endpoint().toString())) {
      BlockingQueue<Integer> items = new LinkedBlockingQueue<>();
      assertThat(peer.request("wrong").stream(Integer.class).forEach(items::add))
          .succeedsWithin(Duration.ofSeconds(60));
      assertThat(items).containsExactly(1, 2);
    }
    assertThat(notices).isEmpty();
  }

  @Test
  void resultsAreUncheckedByOption() throws Exception {
    assertThat(call(OpenRpcLayer.Results.UNCHECKED, "wrong", "[]")).isEqualTo(json("[1,'two']"));
    assertThat(notices).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aClientChecksItsCalls(boolean refuses) throws Exception {
    Options options = Options.builder()
        .callLayer(layer(refuses ? OpenRpcLayer.Results.REFUSED : OpenRpcLayer.Results.REPORTED))
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service(), Options.DEFAULT);
        Peer peer = Repartee.connect(server.endpoint().toString(), Service.NONE, options)) {
      assertThatThrownBy(() -> peer.request("place").params(json("[5]")).call(int.class))
          .isInstanceOf(RpcException.class);
      assertThatThrownBy(() -> peer.request("place").params(json("[5]")).sendNotification())
          .isInstanceOf(RpcException.class);
      assertThat(called).isEmpty();
      assertThat(peer.request("place").params(json("[{'name':'a'}]")).call(int.class))
          .isEqualTo(7);
      if (refuses) {
        assertThatThrownBy(() -> peer.call("wrong", Json.class))
            .isInstanceOf(ProtocolException.class)
            .hasMessageContaining("/1: Value is [string]");
      } else {
        assertThat(peer.call("wrong", Json.class)).isEqualTo(json("[1,'two']"));
        assertThat(notices.take()).contains("/1: Value is [string]");
      }
    }
  }
}
