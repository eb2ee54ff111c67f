package dev.repartee.spring;

import dev.repartee.PeerFactory;

/** A protocol on top of JSON-RPC at a path of the web server. */
record RpcRoute(String path, PeerFactory peers) {}
