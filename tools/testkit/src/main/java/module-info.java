/** Test support for clients, servers, framings and transports. */
module dev.repartee.testkit {
  requires transitive dev.repartee;
  requires transitive dev.repartee.conformance;
  requires transitive org.junit.jupiter.api;
  requires transitive org.junit.jupiter.params;
  requires java.management;
  requires static org.assertj.core; // for the contracts only
  requires static transitive org.jspecify;

  exports dev.repartee.testkit;
  exports dev.repartee.testkit.attack;
  exports dev.repartee.testkit.contract;
  exports dev.repartee.testkit.examples;
  exports dev.repartee.testkit.fault;
  exports dev.repartee.testkit.memory;
}
