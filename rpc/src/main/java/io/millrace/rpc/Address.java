package io.millrace.rpc;

/**
 * Where an endpoint lives.
 *
 * @param process how the transport reaches its process, such as {@code 127.0.0.1:6123}
 * @param endpoint its name there
 */
public record Address(String process, String endpoint) {
  public Address {
    if (process.isBlank() || endpoint.isBlank()) {
      throw new IllegalArgumentException("An address has a process and an endpoint");
    }
  }

  /** The machine of the process. */
  public String host() {
    int port = process.lastIndexOf(':');
    return port < 0 ? process : process.substring(0, port);
  }

  @Override
  public String toString() {
    return process + "/" + endpoint;
  }
}
