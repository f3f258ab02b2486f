package io.millrace.yarn.master;

import java.util.Objects;

/**
 * Where this JobManager is, as YARN tells others.
 *
 * @param port of its RPC
 * @param trackingUrl its page
 */
record ApplicationMasterAddress(String host, int port, String trackingUrl) {
  ApplicationMasterAddress {
    Objects.requireNonNull(host);
    Objects.requireNonNull(trackingUrl);
  }
}
