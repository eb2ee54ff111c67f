/** JSON-RPC over HTTP and WebSocket in a servlet container. */
module dev.repartee.servlet {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;
  requires transitive jakarta.servlet;
  requires static jakarta.websocket;
  requires static jakarta.websocket.client;

  exports dev.repartee.servlet;
}
