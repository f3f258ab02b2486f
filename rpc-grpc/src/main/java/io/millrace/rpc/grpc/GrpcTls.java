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
 * What encrypts connections, on either side of them.
 *
 * @param caller for those that this process makes
 * @param called for those that others make
 */
record GrpcTls(SslContext caller, SslContext called) {
  private static final ApplicationProtocolConfig HTTP_2 =
      new ApplicationProtocolConfig(
          ApplicationProtocolConfig.Protocol.ALPN,
          ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
          ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
          ApplicationProtocolNames.HTTP_2);

  /** A TaskManager's only peers are JobManagers: others of its cluster have nothing to tell it. */
  static GrpcTls of(InternalTls tls, GrpcSettings.Role role) {
    SSLContext context =
        switch (role) {
          case JOB_MANAGER -> tls.context();
          case TASK_MANAGER -> tls.contextWithJobManagers();
        };
    return new GrpcTls(
        configured(context, tls, true, ClientAuth.NONE),
        configured(context, tls, false, ClientAuth.REQUIRE));
  }

  /**
   * Without gRPC's builder and Netty's: to see what the JVM is capable of they make a key store and
   * read all the certificates that it comes with, which takes a third of a second of every start.
   */
  private static SslContext configured(
      SSLContext context, InternalTls tls, boolean caller, ClientAuth auth) {
    // Where nothing is said, only those that HTTP/2 allows.
    boolean said = !tls.ciphers().isEmpty();
    return new JdkSslContext(
        context,
        caller,
        said ? tls.ciphers() : Http2SecurityUtil.CIPHERS,
        said ? IdentityCipherSuiteFilter.INSTANCE : SupportedCipherSuiteFilter.INSTANCE,
        HTTP_2,
        auth,
        new String[] {tls.protocol()},
        false);
  }
}
