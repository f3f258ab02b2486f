package io.millrace.yarn.master;

import java.util.Objects;

/**
 * Where this JobManager is, as YARN tells others.
 *
 * @param port of its RPC
 * @param trackingUrl its page
 */
record MasterAddress(String host, int port, String trackingUrl) {
  MasterAddress {
    Objects.requireNonNull(host);
    Objects.requireNonNull(trackingUrl);
  }
}
