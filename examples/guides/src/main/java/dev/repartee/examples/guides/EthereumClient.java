package dev.repartee.examples.guides;

import dev.repartee.*;
import dev.repartee.stream.RemoteStream;
import dev.repartee.stream.Streaming;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

public final class EthereumClient {
  private EthereumClient() {}

  record Block(Quantity number, String hash, String parentHash, List<String> transactions) {}

  record Transaction(String from, String to, Quantity value, Optional<Quantity> gas) {}

  interface Eth {
    @Rpc("eth_chainId")
    Quantity chainId();

    @Rpc("eth_blockNumber")
    Quantity blockNumber();

    @Rpc("eth_accounts")
    List<String> accounts();

    @Rpc("eth_getBalance")
    Quantity balance(String address, String block);

    @Rpc("eth_getBlockByNumber")
    Optional<Block> block(Quantity number, boolean withTransactions);

    @Rpc("eth_sendTransaction")
    String send(Transaction transaction);
  }

  static Peer connect(String uri) throws IOException {
    return Repartee.connect(uri, Options.builder().binder(Quantity.HEX).build());
  }

  static List<Block> blocks(Peer node, long from, int count) {
    Batch batch = node.batch();
    List<CallFuture<Block>> blocks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      blocks.add(
          batch.callAsync("eth_getBlockByNumber", Block.class, Quantity.of(from + i), false));
    }
    batch.send();
    return blocks.stream().map(CallFuture::await).toList();
  }

  static String send(Eth eth, Transaction transaction) {
    try {
      return "sent as " + eth.send(transaction);
    } catch (RpcException e) {
      return "refused with " + e.code() + ": " + e.error().message();
    }
  }

  record Head(Quantity number, String hash) {}

  static RemoteStream<Head> heads(Peer node) {
    Streaming eth = Streaming.subscription("eth_subscription", "eth_unsubscribe");
    return node.request("eth_subscribe").args("newHeads").streaming(eth).stream(Head.class);
  }
}
