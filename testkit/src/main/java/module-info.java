/** What tests of JSON-RPC programs are made of. */
module dev.repartee.testkit {
  requires transitive dev.repartee;
  requires transitive org.junit.jupiter.api;
  requires org.assertj.core;
  requires static transitive org.jspecify;

  exports dev.repartee.testkit;

  opens dev.repartee.testkit to
      org.junit.platform.commons;
}
