/**
 * TLS between the processes of a cluster, and between REST and its clients. {@link
 * io.millrace.core.tls.InternalTls}, {@link io.millrace.core.tls.RestServerTls} and {@link
 * io.millrace.core.tls.RestClientTls} read the options and their key stores; the transports use
 * them for connections. No other package handles keys or passwords. {@link
 * io.millrace.core.tls.ClusterCertificateAuthority} creates key stores for a cluster that has none.
 */
package io.millrace.core.tls;
