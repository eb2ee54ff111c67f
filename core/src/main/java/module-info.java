/** JSON-RPC 2.0 for Java: symmetric peers and every transport that needs only the JDK. */
module dev.repartee {
  requires static transitive org.jspecify;

  exports dev.repartee;

  uses dev.repartee.Binder;
  uses dev.repartee.Transport;
}
