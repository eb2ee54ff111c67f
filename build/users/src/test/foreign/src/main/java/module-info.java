/** A module of a user. */
module foreign {
  requires dev.repartee;
  requires dev.repartee.jackson;
  requires dev.repartee.netty;
  requires dev.repartee.testkit;

  opens foreign to
      dev.repartee,
      tools.jackson.databind;
}
