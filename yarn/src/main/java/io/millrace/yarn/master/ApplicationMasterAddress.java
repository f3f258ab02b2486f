package io.millrace.yarn.master;

import java.util.Objects;

/**
 * The addresses of this JobManager that YARN publishes.
 *
 * @param port for RPC
 * @param trackingUrl of its web page
 */
record ApplicationMasterAddress(String host, int port, String trackingUrl) {
  ApplicationMasterAddress {
    Objects.requireNonNull(host);
    Objects.requireNonNull(trackingUrl);
  }
}
