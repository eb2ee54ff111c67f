package dev.repartee.build.snippets;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.*;
import java.io.IOException;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/** The code of transports/netty/README.md and docs/security.md. */
final class NettyTour {
  private NettyTour() {}

  record TokenLayer(String token) implements Layer {
    @Override
    public @Nullable Object handle(Call call, Handler next) throws Exception {
      String given = call.header("Authorization");
      byte[] expected = ("Bearer " + token).getBytes(UTF_8);
      if (given == null || !MessageDigest.isEqual(given.getBytes(UTF_8), expected)) {
        throw new RpcException(401, "Unauthorized");
      }
      return next.handle(call);
    }
  }

  static Server serve(String uri, String token) throws IOException {
    Options guarded = Options.builder().layer(new TokenLayer(token)).build();
    return Repartee.listen(uri, Service.of(new CalculatorServer()), guarded);
  }

  static int call(Service service, String token) throws IOException {
    Options options =
        Options.builder().header("Authorization", "Bearer " + token).build();

    try (Server server = Repartee.listen("http://127.0.0.1:0/", service);
        Peer peer = Repartee.connect(server.endpoint(), options)) {
      return peer.call("subtract", int.class, 42, 23);
    }
  }
}
