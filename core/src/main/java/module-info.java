/** JSON-RPC 2.0 for Java: one peer, both roles, every transport that the JDK alone can carry. */
module dev.repartee {
  requires static transitive org.jspecify;

  exports dev.repartee;

  uses dev.repartee.Binder;
  uses dev.repartee.Transport;
}
