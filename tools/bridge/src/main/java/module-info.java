/** Forwards messages between any two transports and message formats. */
module dev.repartee.bridge {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;

  exports dev.repartee.bridge;
}
