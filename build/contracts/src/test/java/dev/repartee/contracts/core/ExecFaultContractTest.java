package dev.repartee.contracts.core;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.testkit.contract.FaultContract;
import dev.repartee.testkit.fault.FaultProxy;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.util.List;

/** A child process that forwards its pipes through a proxy, so that the faults affect the pipes. */
class ExecFaultContractTest extends FaultContract {
  private static final String RELAY =
      "exec 2>/dev/null 3<>/dev/tcp/127.0.0.1/$0; (cat; kill $$) <&0 >&3 & exec cat <&3";

  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse("tcp://127.0.0.1:0");
  }

  @Override
  protected Peer connect(FaultProxy proxy, Service service) throws IOException {
    String port = proxy.endpoint().address().replaceAll(".*:", "");
    String uri = "exec:" + Json.of(List.of("bash", "-c", RELAY, port));
    return Repartee.connect(uri, service, Options.DEFAULT);
  }
}
