package io.millrace.core.tls;

import io.millrace.core.OrderedCopies;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * The content of the certificate of a process.
 *
 * @param name the common name of its subject; of a TaskManager its worker id
 * @param hosts the host names and IP addresses that clients of REST compare with the one they use
 * @param until the end of its validity
 */
public record ProcessCertificate(String name, List<String> hosts, Instant until) {
  public ProcessCertificate {
    Objects.requireNonNull(name);
    hosts = OrderedCopies.list(hosts);
    Objects.requireNonNull(until);
  }
}
