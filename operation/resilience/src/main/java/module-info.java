/** Retries, hedging, circuit breakers, bulkheads and fallbacks for outgoing calls. */
module dev.repartee.resilience {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;

  exports dev.repartee.resilience;
}
