package dev.repartee.build.snippets;

import dev.repartee.Call;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.envelopes.Dap;
import java.util.Map;

/** The code of protocols/envelopes/README.md. */
final class EnvelopesTour {
  private EnvelopesTour() {}

  static int subtract(Service service) throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0#envelope=jsonrpc-1.0", service);
        Peer client = Repartee.connect(server.endpoint())) {
      return client.call("subtract", int.class, 42, 23);
    }
  }

  static Options options() {
    Options options = Options.builder().dialect(new Dap()).build();
    return options;
  }

  record NextArguments(int threadId) {}

  static final class Adapter {
    @Rpc(paramsObject = true)
    public Map<String, Integer> next(NextArguments arguments, Call call) {
      call.peer().request("stopped").arg("reason", "step").sendNotification();
      return Map.of();
    }
  }
}
