package io.millrace.format.registry;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where a schema registry is, and how to speak to it. Travels with the job.
 *
 * <pre>{@code
 * SchemaRegistry registry =
 *     SchemaRegistry.at("https://host:8081")
 *         .login("billing", Files.readString(Path.of("/etc/registry-password")).strip())
 *         .withoutRegistration();
 * KafkaSource<Order> source =
 *     KafkaSource.of(
 *         "host:9092",
 *         KafkaTopics.named("orders"),
 *         AvroFormat.of(Order.class).withRegistry(registry, "orders-value"));
 * }</pre>
 */
public final class SchemaRegistry implements Serializable {
  private static final long serialVersionUID = 1L;

  private final String url;
  private final LinkedHashMap<String, String> headers;
  private final Duration timeout;
  private final boolean registers;

  private SchemaRegistry(
      String url, Map<String, String> headers, Duration timeout, boolean registers) {
    this.url = url;
    this.headers = new LinkedHashMap<>(headers);
    this.timeout = timeout;
    this.registers = registers;
  }

  /**
   * @param url as {@code https://host:8081}
   */
  public static SchemaRegistry at(String url) {
    if (!url.startsWith("http://") && !url.startsWith("https://")) {
      throw new MillraceException(
          ErrorKind.USER,
          "The address of a schema registry starts with http:// or https://, not '" + url + "'.");
    }
    return new SchemaRegistry(
        url.endsWith("/") ? url.substring(0, url.length() - 1) : url,
        Map.of(),
        Duration.ofSeconds(30),
        true);
  }

  /** Logs in with HTTP Basic. */
  public SchemaRegistry login(String user, String password) {
    String credentials =
        Base64.getEncoder()
            .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    return header("Authorization", "Basic " + credentials);
  }

  /** Sends a header with each request, for example one with a token. */
  public SchemaRegistry header(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new SchemaRegistry(url, more, timeout, registers);
  }

  /** How long a request may take; 30 seconds by default. */
  public SchemaRegistry timeout(Duration timeout) {
    if (timeout.toMillis() < 1) {
      throw new MillraceException(
          ErrorKind.USER, "A request to the registry takes at least a millisecond.");
    }
    return new SchemaRegistry(url, headers, timeout, registers);
  }

  /** Sinks do not register their schema: a schema that the registry does not have is an error. */
  public SchemaRegistry withoutRegistration() {
    return new SchemaRegistry(url, headers, timeout, false);
  }

  String url() {
    return url;
  }

  Map<String, String> headers() {
    return headers;
  }

  Duration timeout() {
    return timeout;
  }

  boolean registers() {
    return registers;
  }
}
