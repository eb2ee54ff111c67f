package dev.repartee.openrpc.generate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WordsTest {
  @ParameterizedTest
  @CsvSource({
    "eth_getBlockByNumber,EthGetBlockByNumber,ethGetBlockByNumber,eth_get_block_by_number",
    "block hash,BlockHash,blockHash,block_hash",
    "JSON-RPC Error,JsonRpcError,jsonRpcError,json_rpc_error",
    "RPCError,RPCError,rpcError,rpc_error",
    "EIP-7928 list,Eip7928List,eip7928List,eip_7928_list",
    "customer's order,CustomersOrder,customersOrder,customers_order",
    "textDocument/didOpen,TextDocumentDidOpen,textDocumentDidOpen,text_document_did_open",
    "Größe,Größe,größe,größe",
    "ﬁle,File,file,file",
    "$ref,Ref,ref,ref",
    "?!,'','',''",
  })
  void wordsAreJoinedInTheStyleOfALanguage(
      String name, String upperCamel, String lowerCamel, String snake) {
    assertThat(Words.upperCamel(name)).isEqualTo(upperCamel);
    assertThat(Words.lowerCamel(name)).isEqualTo(lowerCamel);
    assertThat(Words.snake(name)).isEqualTo(snake);
  }

  @Test
  void constantsAndFilesHaveTheirStyles() {
    assertThat(Words.upperSnake("in-transit")).isEqualTo("IN_TRANSIT");
    assertThat(Words.kebab("Ethereum JSON-RPC")).isEqualTo("ethereum-json-rpc");
  }
}
