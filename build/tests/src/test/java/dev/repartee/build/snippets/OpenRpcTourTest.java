package dev.repartee.build.snippets;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Param;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.message.RpcError;
import dev.repartee.openrpc.Change;
import dev.repartee.openrpc.OpenRpc;
import org.junit.jupiter.api.Test;

/** Runs the code of protocols/openrpc/README.md. */
class OpenRpcTourTest {
  private static final byte[] RELEASED = """
      {"openrpc":"1.4.1","info":{"title":"Shop","version":"1"},"methods":[
        {"name":"price",
         "params":[{"name":"item","required":true,"schema":{"type":"string","maxLength":9}}],
         "result":{"name":"result","schema":{"type":"integer"}}},
        {"name":"gone","params":[],"result":{"name":"result","schema":true}}]}\
      """.getBytes(UTF_8);

  public static final class Shop {
    public long price(@Param("item") String item) {
      return item.length();
    }
  }

  private final Service shop = Service.of(new Shop());

  @Test
  void aServiceIsComparedWithAFile() throws Exception {
    try (Server server = Repartee.listen("mem:*", shop)) {
      assertThat(OpenRpcTour.compare(RELEASED, server.endpoint().toString()))
          .filteredOn(Change::breaks)
          .extracting(Change::method)
          .containsExactly("gone");
    }
  }

  @Test
  void aServerChecksItsCalls() throws Exception {
    try (Server server = OpenRpcTour.checked("mem:*", shop, OpenRpc.parse(RELEASED));
        Peer peer = Repartee.connect(server.endpoint().toString())) {
      assertThat(peer.call("price", long.class, "tea")).isEqualTo(3);
      assertThatThrownBy(() -> peer.call("price", long.class, "a long name"))
          .isInstanceOfSatisfying(
              RpcException.class, e -> assertThat(e.code()).isEqualTo(RpcError.INVALID_PARAMS));
    }
  }
}
