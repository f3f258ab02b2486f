package io.millrace.rpc.grpc;

import io.millrace.core.tls.InternalTls;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import javax.net.ssl.SSLContext;

/**
 * The TLS contexts of a process.
 *
 * @param caller for connections that this process makes
 * @param called for connections that other processes make
 */
record GrpcTls(SslContext caller, SslContext called) {
  private static final ApplicationProtocolConfig HTTP_2 =
      new ApplicationProtocolConfig(
          ApplicationProtocolConfig.Protocol.ALPN,
          ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
          ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
          ApplicationProtocolNames.HTTP_2);

  /** A TaskManager accepts and calls JobManagers only. */
  static GrpcTls of(InternalTls tls, GrpcSettings.Role role) {
    SSLContext context =
        switch (role) {
          case JOB_MANAGER -> tls.context();
          case TASK_MANAGER -> tls.contextWithJobManagers();
        };
    return new GrpcTls(
        sslContext(context, tls, true, ClientAuth.NONE),
        sslContext(context, tls, false, ClientAuth.REQUIRE));
  }

  /**
   * Avoids the builders of gRPC and Netty: they create a key store and read all certificates of the
   * JVM to detect its capabilities, which adds 0.3 s to every start.
   */
  private static SslContext sslContext(
      SSLContext context, InternalTls tls, boolean caller, ClientAuth auth) {
    // Without configured ciphers, those that HTTP/2 allows.
    boolean configured = !tls.ciphers().isEmpty();
    return new JdkSslContext(
        context,
        caller,
        configured ? tls.ciphers() : Http2SecurityUtil.CIPHERS,
        configured ? IdentityCipherSuiteFilter.INSTANCE : SupportedCipherSuiteFilter.INSTANCE,
        HTTP_2,
        auth,
        new String[] {tls.protocol()},
        false);
  }
}
