package dev.repartee.spring;

import dev.repartee.RpcMethod;
import dev.repartee.Server;
import dev.repartee.limits.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** The endpoint {@code /actuator/repartee}: the served methods, the connections, the limits. */
@Endpoint(id = "repartee")
final class ReparteeEndpoint {
  private final RpcServices services;
  private final RpcServers servers;

  ReparteeEndpoint(RpcServices services, RpcServers servers) {
    this.services = services;
    this.servers = servers;
  }

  /** Returns the present state. */
  @ReadOperation
  Report report() {
    Map<String, List<String>> methods = new TreeMap<>();
    services
        .byPath()
        .forEach((path, service) -> methods.put(
            path, service.methods().stream().map(RpcMethod::name).sorted().toList()));
    List<Connections> connections = new ArrayList<>();
    for (Server server : servers.all()) {
      connections.add(new Connections(server.endpoint().shown(), server.peers().size()));
    }
    Limits limits = services.options().limits();
    return new Report(
        methods,
        connections,
        new LimitValues(
            limits.frameBytes(),
            limits.runningCalls(),
            limits.connections(),
            limits.handlerTimeout()));
  }

  /**
   * The answer.
   *
   * @param methods the names of the methods by path
   */
  record Report(Map<String, List<String>> methods, List<Connections> servers, LimitValues limits) {}

  /** A server and the number of its connections that are open. */
  record Connections(String endpoint, int connections) {}

  /** The limits of each connection. */
  record LimitValues(
      int messageBytes, int runningCalls, int connections, Duration handlerTimeout) {}
}
