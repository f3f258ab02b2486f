package io.millrace.connector.kafka;

import java.io.IOException;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.DefaultHostResolver;
import org.apache.kafka.clients.ManualMetadataUpdater;
import org.apache.kafka.clients.NetworkClient;
import org.apache.kafka.clients.NetworkClientUtils;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.EndTxnRequest;
import org.apache.kafka.common.requests.EndTxnResponse;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;

/**
 * Sends the request that ends a transaction. Kafka's producer only ends transactions that it has
 * begun itself; after a restart another process has to.
 */
final class TransactionEndRequest implements AutoCloseable {
  private static final String NAME = "millrace-transaction-end";

  private final Metrics metrics = new Metrics();
  private final Time time = Time.SYSTEM;
  private final NetworkClient client;
  private final int timeoutMillis;

  TransactionEndRequest(KafkaConnection connection) {
    AdminClientConfig config = new AdminClientConfig(connection.adminProperties());
    timeoutMillis = config.getInt(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG);
    client =
        ClientUtils.createNetworkClient(
            config,
            NAME,
            metrics,
            NAME,
            new LogContext(),
            new ApiVersions(),
            time,
            1,
            timeoutMillis,
            null,
            new ManualMetadataUpdater(),
            new DefaultHostResolver(),
            null,
            null);
  }

  /**
   * @param epochPerTransaction whether brokers end transactions by the newer protocol
   */
  Errors commit(KafkaTransaction transaction, Node coordinator, boolean epochPerTransaction)
      throws IOException {
    if (!NetworkClientUtils.awaitReady(client, coordinator, time, timeoutMillis)) {
      return Errors.COORDINATOR_NOT_AVAILABLE;
    }
    EndTxnRequest.Builder request =
        new EndTxnRequest.Builder(
            new EndTxnRequestData()
                .setTransactionalId(transaction.transactionalId())
                .setProducerId(transaction.producerId())
                .setProducerEpoch((short) transaction.epoch())
                .setCommitted(true),
            epochPerTransaction);
    ClientRequest sent =
        client.newClientRequest(
            coordinator.idString(), request, time.milliseconds(), true, timeoutMillis, null);
    ClientResponse answer = NetworkClientUtils.sendAndReceive(client, sent, time);
    return ((EndTxnResponse) answer.responseBody()).error();
  }

  @Override
  public void close() {
    client.close();
    metrics.close();
  }
}
