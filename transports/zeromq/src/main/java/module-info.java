/** JSON-RPC over ZeroMQ. */
module dev.repartee.zeromq {
  requires dev.repartee.broker;
  requires org.zeromq.jeromq;
  requires static transitive org.jspecify;

  provides dev.repartee.transport.Transport with
      dev.repartee.zeromq.ZmqTransport;
}
