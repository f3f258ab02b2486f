/**
 * TLS between the processes of a cluster, and between REST and its clients. {@link
 * io.millrace.core.tls.InternalTls}, {@link io.millrace.core.tls.RestServerTls} and {@link
 * io.millrace.core.tls.RestClientTls} read the options and the stores that they name; the
 * transports use them for connections. No other class knows keys or passwords. {@link
 * io.millrace.core.tls.ClusterCertificateAuthority} creates stores for a cluster that has none.
 */
package io.millrace.core.tls;
