/** JSON-RPC over NATS, as service and as client. */
@SuppressWarnings("requires-automatic") // jnats has a module name, but no module descriptor
module dev.repartee.nats {
  requires dev.repartee.broker;
  requires io.nats.jnats;
  requires static transitive org.jspecify;

  provides dev.repartee.transport.Transport with
      dev.repartee.nats.NatsTransport;
}
