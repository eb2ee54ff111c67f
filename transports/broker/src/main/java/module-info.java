/** The common parts of transports over message brokers. */
module dev.repartee.broker {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;

  exports dev.repartee.broker;
}
