package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.TypeToken;
import dev.repartee.json.UnknownMembers;
import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import dev.repartee.transport.ChannelPair;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Members and named params that the Java types do not have. */
@NullMarked
class UnknownMembersTest {
  record Point(int x, int y) {}

  record Line(Point from, Optional<List<Point>> via) {}

  @UnknownMembers.Policy(UnknownMembers.IGNORE)
  record Loose(int x) {}

  @UnknownMembers.Policy(UnknownMembers.REFUSE)
  record Tight(int x) {}

  @SuppressWarnings("unused") // called by reflection
  static class Methods {
    @Rpc
    public int sum(Point point, int more) {
      return point.x() + point.y() + more;
    }

    @Rpc
    public int loose(Loose value) {
      return value.x();
    }

    @Rpc(paramsObject = true)
    public int whole(Point params) {
      return params.x();
    }
  }

  private static final Service SERVICE = Service.builder()
      .all(Service.of(new Methods()))
      .method("lambda", Point.class, Integer.class, (point, call) -> point.x())
      .method("line", call -> Json.parse("""
          {"new":[{}],"from":{"x":1,"z":{"x":[1]},"y":2},"via":[{"x":3,"y":4,"w":null}]}"""))
      .method("point", call -> Json.parse("{\"x\":1,\"z\":3}"))
      .build();

  private static final String NAMED = """
      {"unknown":{"a":[1,2]},"point":{"x":1,"y":2,"z":3},"more":4,"last":"}"}""";

  private final List<Peer> peers = new ArrayList<>();

  @AfterEach
  void close() {
    peers.forEach(Peer::close);
  }

  private Peer connect(Service service, Options server, Options client) {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    peers.add(Peer.open(pair.server(), service, server));
    Peer peer = Peer.open(pair.client(), Service.NONE, client);
    peers.add(peer);
    return peer;
  }

  private static Options ignoring() {
    return Options.builder().unknownParams(UnknownMembers.IGNORE).build();
  }

  private static void refused(Peer peer, String method, String params, String data) {
    assertThatExceptionOfType(RpcException.class)
        .isThrownBy(() -> peer.request(method).params(Json.parse(params)).call(int.class))
        .satisfies(e -> assertThat(e.code()).isEqualTo(RpcError.INVALID_PARAMS))
        .satisfies(e -> assertThat(e.data()).isEqualTo(Json.of(data)));
  }

  @Test
  void unknownMembersOfResultsAreIgnoredByDefault() {
    Peer peer = connect(SERVICE, Options.DEFAULT, Options.DEFAULT);
    Line line = new Line(new Point(1, 2), Optional.of(List.of(new Point(3, 4))));
    assertThat(peer.call("line", Line.class)).isEqualTo(line);
    assertThat(peer.call("line", new TypeToken<Map<String, Json>>() {})).containsKey("new");
    assertThatThrownBy(() -> peer.call("point", Tight.class))
        .as("the record states its own treatment")
        .isInstanceOf(JsonException.class)
        .hasMessageContaining("unknown member 'z'; known are x");
  }

  @Test
  void unknownMembersOfResultsAreRefusedOnRequest() {
    Options strict = Options.builder().unknownResults(UnknownMembers.REFUSE).build();
    Peer peer = connect(SERVICE, Options.DEFAULT, strict);
    assertThatThrownBy(() -> peer.call("line", Line.class))
        .isInstanceOf(JsonException.class)
        .hasMessage("the result of 'line': unknown member 'new'; known are from, via");
    assertThat(peer.call("point", Loose.class)).isEqualTo(new Loose(1));
  }

  @Test
  void unknownParamsAreRefusedByDefault() {
    Peer peer = connect(SERVICE, Options.DEFAULT, Options.DEFAULT);
    refused(peer, "sum", NAMED, "unknown parameter 'unknown'; known are point, more");
    refused(
        peer, "sum", "[{\"x\":1,\"y\":2,\"z\":3},4]", "point: unknown member 'z'; known are x, y");
    refused(peer, "whole", "{\"x\":1,\"y\":2,\"z\":3}", "unknown member 'z'; known are x, y");
    refused(peer, "lambda", "{\"x\":1,\"y\":2,\"z\":3}", "unknown member 'z'; known are x, y");
    assertThat(peer.request("loose").params(Json.parse("{\"x\":5,\"z\":3}")).call(int.class))
        .isEqualTo(5);
  }

  @Test
  void unknownParamsAreIgnoredWhereTheEndpointOrTheServiceSaysSo() {
    Options layered =
        ignoring().toBuilder().layer((call, next) -> next.handle(call)).build();
    for (Peer peer : List.of(
        connect(SERVICE, ignoring(), Options.DEFAULT),
        connect(SERVICE, layered, Options.DEFAULT),
        connect(SERVICE.unknownParams(UnknownMembers.IGNORE), Options.DEFAULT, Options.DEFAULT))) {
      assertThat(peer.request("sum").params(Json.parse(NAMED)).call(int.class)).isEqualTo(7);
      for (String method : List.of("whole", "lambda")) {
        assertThat(peer.request(method)
                .params(Json.parse("{\"z\":{\"x\":9},\"x\":1,\"y\":2}"))
                .call(int.class))
            .isEqualTo(1);
      }
    }
  }

  @Test
  void aServiceStatesItsOwnTreatment() {
    Peer peer = connect(SERVICE.unknownParams(UnknownMembers.REFUSE), ignoring(), Options.DEFAULT);
    refused(peer, "sum", NAMED, "unknown parameter 'unknown'; known are point, more");
  }

  @Test
  void theSchemaOfALooseRecordAllowsFurtherMembers() {
    assertThat(Json.schemaOf(Loose.class).get("additionalProperties")).isNull();
    assertThat(Json.schemaOf(Tight.class).get("additionalProperties")).isEqualTo(Json.FALSE);
  }
}
