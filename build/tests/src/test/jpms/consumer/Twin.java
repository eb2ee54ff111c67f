package consumer;

import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.util.Map;
import java.util.Set;

/** A transport that opens {@code twin:NAME} as {@code mem:NAME}. */
public final class Twin implements Transport {
  @Override
  public Set<String> schemes() {
    return Set.of("twin");
  }

  @Override
  public Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
    Endpoint memory = memory(endpoint);
    return Transport.of(memory).connect(memory, limits, headers);
  }

  @Override
  public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) throws IOException {
    Endpoint memory = memory(endpoint);
    Listening listening = Transport.of(memory).listen(memory, limits, acceptor);
    return new Listening() {
      @Override
      public Endpoint endpoint() {
        return endpoint;
      }

      @Override
      public void close() {
        listening.close();
      }
    };
  }

  private static Endpoint memory(Endpoint twin) {
    return new Endpoint("mem", twin.address(), Map.of());
  }
}
