package io.millrace.connector.kafka;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigException;

/** The brokers of a source or a sink, and the properties of their clients. */
final class KafkaConnection implements Serializable {
  private static final long serialVersionUID = 1L;

  /** The time that Kafka's clients have by default for a call. */
  private static final int DEFAULT_API_TIMEOUT_MILLIS = 60_000;

  private final String servers;

  /** May hold secrets: never printed. */
  private final TreeMap<String, String> properties;

  private KafkaConnection(String servers, Map<String, String> properties) {
    this.servers = servers;
    this.properties = new TreeMap<>(properties);
  }

  static KafkaConnection to(String servers) {
    if (servers.isBlank()) {
      throw new MillraceException(
          ErrorKind.USER, "The address of Kafka is empty. Name brokers: host:port,host:port");
    }
    return new KafkaConnection(servers, Map.of());
  }

  /**
   * @param own the properties that the connector sets itself
   */
  KafkaConnection with(String name, String value, Set<String> own) {
    if (own.contains(name) || name.equals(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG)) {
      throw new MillraceException(
          ErrorKind.USER,
          "The property '"
              + name
              + "' of Kafka's client is set by the connector. Remove it, and use the method of the"
              + " source or sink that is there for it.");
    }
    Map<String, String> more = new TreeMap<>(properties);
    more.put(name, value);
    return new KafkaConnection(servers, more);
  }

  String servers() {
    return servers;
  }

  /** A property that the program has set, or a default. */
  String property(String name, String otherwise) {
    return properties.getOrDefault(name, otherwise);
  }

  /** How long calls wait for an answer of the brokers. */
  Duration apiTimeout() {
    String millis = properties.get(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG);
    try {
      return Duration.ofMillis(
          millis == null ? DEFAULT_API_TIMEOUT_MILLIS : Long.parseLong(millis.trim()));
    } catch (NumberFormatException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The property 'default.api.timeout.ms' of Kafka's client is no number: " + millis,
          e);
    }
  }

  /** The properties of a consumer or producer, with those of the connector. */
  Map<String, Object> client(Map<String, Object> own) {
    Map<String, Object> all = new HashMap<>(properties);
    all.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, servers);
    all.putAll(own);
    return all;
  }

  /** Those of the program's properties that an administrative client knows. */
  Map<String, Object> adminProperties() {
    Map<String, Object> known = new HashMap<>();
    properties.forEach(
        (name, value) -> {
          if (AdminClientConfig.configNames().contains(name)) {
            known.put(name, value);
          }
        });
    known.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, servers);
    // A consumer may have a shorter one, which an administrative client would refuse.
    int request =
        Math.toIntExact(Math.min(apiTimeout().toMillis(), DEFAULT_API_TIMEOUT_MILLIS / 2));
    known.putIfAbsent(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, request);
    return known;
  }

  Admin admin() {
    return opened(() -> Admin.create(adminProperties()));
  }

  /** Opens a client of Kafka. */
  interface Opening<C> {
    C open();
  }

  <C> C opened(Opening<C> opening) {
    try {
      return opening.open();
    } catch (ConfigException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Kafka's client refuses its properties: " + e.getMessage() + ". Correct them.",
          e);
    } catch (org.apache.kafka.common.KafkaException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "A client of Kafka at "
              + servers
              + " cannot be opened: "
              + Failure.sentence(e.getCause() == null ? e : e.getCause()),
          e);
    }
  }

  /**
   * The result of an administrative call, or the exception of Kafka that made it fail.
   *
   * @param what what is asked for, as in "The partitions of topic 'a'"
   */
  <V> V await(KafkaFuture<V> future, String what) throws InterruptedException {
    try {
      // The client has the same time; the double covers what it does before and after.
      return future.get(apiTimeout().multipliedBy(2).toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof org.apache.kafka.common.errors.TimeoutException) {
        throw unreachable(what, e.getCause());
      }
      if (e.getCause() instanceof RuntimeException known) {
        throw known;
      }
      throw new MillraceException(
          ErrorKind.EXTERNAL, what + " cannot be learned: " + Failure.sentence(e.getCause()), e);
    } catch (TimeoutException e) {
      throw unreachable(what, e);
    }
  }

  MillraceException unreachable(String what, Throwable cause) {
    return new MillraceException(
        ErrorKind.EXTERNAL,
        what
            + " cannot be learned: Kafka at "
            + servers
            + " did not answer within "
            + apiTimeout().toMillis()
            + " ms (default.api.timeout.ms). Check that the brokers run and can be reached from"
            + " every TaskManager.",
        cause);
  }
}
