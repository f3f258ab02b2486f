package io.millrace.rpc;

/**
 * The address of an endpoint.
 *
 * @param process the address of its process, such as {@code 127.0.0.1:6123}
 * @param endpoint the name of the endpoint in that process
 */
public record Address(String process, String endpoint) {
  public Address {
    if (process.isBlank() || endpoint.isBlank()) {
      throw new IllegalArgumentException("An address needs a process and an endpoint");
    }
  }

  /** The host part of {@link #process}. */
  public String host() {
    int port = process.lastIndexOf(':');
    return port < 0 ? process : process.substring(0, port);
  }

  @Override
  public String toString() {
    return process + "/" + endpoint;
  }
}
