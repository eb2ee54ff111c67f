package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.build.snippets.TypesTour.Block;
import dev.repartee.build.snippets.TypesTour.Quantity;
import dev.repartee.json.Json;
import org.junit.jupiter.api.Test;

/** Runs the code of the pages on the types of an endpoint. */
class TypesTourTest {
  @Test
  void aClientReadsAndWritesTheTypesOfItsEndpoint() throws Exception {
    Service chain = Service.builder()
        .method("latest", call -> {
          assertThat(call.params()).hasToString("[\"0x1f\"]");
          return Json.parse("{\"block_number\":\"0x1f\",\"extra_data\":\"AQI=\"}");
        })
        .build();
    try (Server server = Repartee.listen("mem:*", chain)) {
      Block latest = TypesTour.latest(server.endpoint().toString());
      assertThat(latest.blockNumber()).isEqualTo(new Quantity(31));
      assertThat(latest.extraData()).containsExactly(1, 2);
    }
  }

  @Test
  void twoEndpointsHaveTheirOwnMappers() throws Exception {
    Service echo =
        Service.builder().method("create", call -> call.params().at(0)).build();
    try (Server one = Repartee.listen("mem:*", echo);
        Server other = Repartee.listen("mem:*", echo)) {
      assertThat(TypesTour.create(one.endpoint().toString(), other.endpoint().toString()))
          .containsExactly(Json.parse("{\"owner_name\":\"\"}"), Json.parse("{\"ownerName\":\"\"}"));
    }
  }
}
