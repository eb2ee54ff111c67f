/** Authentication and quotas for servers. */
// The library of bcrypt has no descriptor, and the module of the qualified export is compiled
// later.
@SuppressWarnings({"requires-automatic", "module"})
module dev.repartee.security {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;
  requires bcrypt;
  requires com.nimbusds.jose.jwt;
  requires java.net.http;

  exports dev.repartee.security;
  exports dev.repartee.security.http to
      dev.repartee.mcp.oauth;
}
