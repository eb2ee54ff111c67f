package dev.repartee.openrpc.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.json.JsonTypes;
import dev.repartee.openrpc.MethodDescriptor;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.generate.Generation.Form;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compiles generated Java without warnings, and calls a service with it. */
@SuppressWarnings("try") // the server is only closed
class GeneratedJavaTest {
  @TempDir
  private Path classes;

  private ClassLoader compile(OpenRpc document) throws IOException {
    Map<String, String> files = new Generation(Form.JAVA, null, "org.example").files(document);
    return JavaSources.compile(files, classes);
  }

  private static Object call(Object api, String name, Object... arguments) throws Exception {
    for (Method method : api.getClass().getInterfaces()[0].getMethods()) {
      if (method.getName().equals(name)) {
        return method.invoke(api, arguments);
      }
    }
    throw new AssertionError("no method " + name);
  }

  @Test
  void aProxyCallsAService() throws Exception {
    ClassLoader loader = compile(GenerationTest.shop());
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    Service service = Service.builder()
        .method("orders.find", call -> {
          received.add(String.valueOf(call.params()));
          return Json.parse("""
              [{"id":"1","state":"in-transit","parts":[{"name":"p","price-in-cents":5}],
                "note":null,"payment":{"kind":"cash","amount":2.5},
                "replaces":{"id":"0","state":"done","parts":[],"note":"n"}}]""");
        })
        .method("order", call -> {
          received.add(String.valueOf(call.params()));
          return null;
        })
        .method("pay", call -> {
          received.add(String.valueOf(call.params()));
          return null;
        })
        .method("log", call -> {
          received.add(String.valueOf(call.params()));
          return null;
        })
        .build();
    try (Server server = Repartee.listen("mem:generated", service);
        Peer peer = Repartee.connect("mem:generated")) {
      Object shop = peer.proxy(loader.loadClass("org.example.Shop"));
      Class<?> state = loader.loadClass("org.example.State");
      Object found = call(shop, "ordersFind", state.getEnumConstants()[1], Optional.empty());
      assertThat(received.take()).isEqualTo("[\"in-transit\"]");
      assertThat(found)
          .hasToString("[Order[id=1, state=IN_TRANSIT,"
              + " parts=[OrderPartsItem[name=p, priceInCents=Optional[5]]], note=null,"
              + " payment=Optional[PaymentCash[amount=Optional[2.5]]],"
              + " replaces=Optional[Order[id=0, state=DONE, parts=[], note=n,"
              + " payment=Optional.empty, replaces=Optional.empty, class_=Optional.empty,"
              + " labels=Optional.empty]], class_=Optional.empty, labels=Optional.empty]]");

      assertThat(call(shop, "order", "7")).isEqualTo(Optional.empty());
      assertThat(received.take()).isEqualTo("{\"order-id\":\"7\"}");

      Object card =
          loader.loadClass("org.example.Card").getConstructor(String.class).newInstance("4111");
      call(shop, "pay", "7", card);
      assertThat(received.take()).isEqualTo("[\"7\",{\"kind\":\"card\",\"number\":\"4111\"}]");

      Object level =
          loader.loadClass("org.example.LogClass$Level").getConstructors()[0].newInstance(3L);
      call(shop, "log", level);
      assertThat(received.take()).isEqualTo("[3]");
    }
  }

  @Test
  void aClientServesTheNotificationsOfTheServer() throws Exception {
    ClassLoader loader = compile(GenerationTest.shop());
    Class<Object> sent = cast(loader.loadClass("org.example.ShopNotifications"));
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    Object receiver =
        Proxy.newProxyInstance(loader, new Class<?>[] {sent}, (proxy, method, args) -> {
          received.add(method.getName() + Arrays.deepToString(args));
          return null;
        });
    Service service = Service.builder()
        .method("send", call -> {
          Object client = call.peer().proxy(sent);
          call(client, "prices", new long[] {5, 7});
          call(client, "closing");
          call.peer()
              .request("order/changed")
              .params(Json.parse("{\"order\":{\"id\":\"9\",\"state\":\"done\",\"parts\":[],"
                  + "\"note\":null},\"old-state\":\"open\"}"))
              .sendNotification();
          return null;
        })
        .build();
    try (Server server = Repartee.listen("mem:sent", service.sends(sent));
        Peer peer = Repartee.connect("mem:sent", Service.of(sent, receiver), Options.DEFAULT)) {
      OpenRpc document = OpenRpc.of(peer.call("rpc.discover", Json.class));
      assertThat(document.notifications())
          .extracting(MethodDescriptor::name)
          .containsExactlyInAnyOrder("order/changed", "prices", "closing");
      peer.call("send", Json.class);
      assertThat(received.take()).isEqualTo("prices[[5, 7]]");
      assertThat(received.take()).isEqualTo("closingnull");
      assertThat(received.take())
          .startsWith("orderChanged[Order[id=9, state=DONE,")
          .endsWith("Optional[OPEN]]");
    }
  }

  @Test
  void theDocumentOfGeneratedJavaGivesTheSameTypes() throws Exception {
    Class<Object> shop = cast(compile(GenerationTest.shop()).loadClass("org.example.Shop"));
    Object implementation = Proxy.newProxyInstance(
        shop.getClassLoader(), new Class<?>[] {shop}, (proxy, method, arguments) -> null);
    Service service = Service.of(shop, implementation);
    OpenRpc document;
    try (Server server = Repartee.listen("mem:generated", service);
        Peer peer = Repartee.connect("mem:generated")) {
      document = OpenRpc.of(peer.call("rpc.discover", Json.class));
    }
    assertThat(types(document)).isEqualTo(types(GenerationTest.shop()));
  }

  /** Returns the generated types without comments. */
  private static Map<String, String> types(OpenRpc document) {
    Map<String, String> files =
        new TreeMap<>(new Generation(Form.JAVA, "Shop", "org.example").files(document));
    assertThat(files.remove("org/example/Shop.java")).contains("interface Shop");
    files.remove("org/example/ShopNotifications.java");
    files.replaceAll((file, text) -> text.replaceAll("(?m)^ *(//|/\\*\\*| \\*).*\n", ""));
    return files;
  }

  @ParameterizedTest
  @MethodSource("dev.repartee.openrpc.generate.Documents#all")
  void namesAndTypesCompileAndBind(OpenRpc document) throws Exception {
    ClassLoader loader = compile(document);
    Map<String, String> files = new Generation(Form.JAVA, null, "org.example").files(document);
    try (Server server = Repartee.listen("mem:generated", Service.builder().build());
        Peer peer = Repartee.connect("mem:generated")) {
      for (String file : files.keySet()) {
        Class<?> type = loader.loadClass(file.replace('/', '.').replaceAll("\\.java$", ""));
        if (type.isInterface() && !type.isSealed()) {
          assertThat(peer.<Object>proxy(cast(type))).isNotNull();
        } else {
          assertThat(JsonTypes.standard().of(type)).isNotNull();
        }
      }
    }
  }

  @SuppressWarnings("unchecked") // the proxy is used as an object only
  private static Class<Object> cast(Class<?> type) {
    return (Class<Object>) type;
  }
}
