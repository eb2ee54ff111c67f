package dev.repartee.conformance;

import dev.repartee.FrameResponder;
import dev.repartee.Options;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.transport.ChannelInfo;

/** A service with the methods that the corpus calls. */
final class OwnServers {
  static final Service SERVICE = Service.of(new Methods());
  static final FrameResponder RESPONDER =
      FrameResponder.of(SERVICE, Options.DEFAULT, new ChannelInfo("test", "", "message"));

  private OwnServers() {}

  /** Public because services consist of public methods. */
  public static final class Methods {
    public long subtract(long minuend, long subtrahend) {
      return minuend - subtrahend;
    }

    public long sum(long... values) {
      return java.util.stream.LongStream.of(values).sum();
    }

    @dev.repartee.Rpc("get_data")
    public Json data() {
      return Json.parse("[\"hello\",5]");
    }

    public Json echo(Json value) {
      return value;
    }
  }
}
