/** OAuth 2.1 for clients of the Model Context Protocol over HTTP. */
@SuppressWarnings("requires-automatic") // the OAuth library has no descriptor
module dev.repartee.mcp.oauth {
  requires transitive dev.repartee.mcp;
  requires static transitive org.jspecify;
  requires dev.repartee.security;
  requires com.nimbusds.jose.jwt;
  requires java.net.http;
  requires oauth2.oidc.sdk;

  exports dev.repartee.mcp.oauth;
}
