package io.millrace.rpc.grpc;

import io.grpc.netty.GrpcSslContexts;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.tls.InternalTls;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import javax.net.ssl.SSLException;

/**
 * What encrypts connections, on either side of them.
 *
 * @param caller for those that this process makes
 * @param called for those that others make
 */
record Tls(SslContext caller, SslContext called) {
  static Tls of(InternalTls tls) {
    try {
      return new Tls(
          configured(SslContextBuilder.forClient().keyManager(tls.key()), tls).build(),
          configured(SslContextBuilder.forServer(tls.key()), tls)
              .clientAuth(ClientAuth.REQUIRE)
              .build());
    } catch (SSLException e) {
      throw new MillraceException(
          ErrorKind.USER, "TLS cannot be set up for RPC: " + e.getMessage(), e);
    }
  }

  private static SslContextBuilder configured(SslContextBuilder builder, InternalTls tls) {
    SslContextBuilder configured =
        GrpcSslContexts.configure(builder, SslProvider.JDK)
            .trustManager(tls.trust())
            .protocols(tls.protocol());
    // gRPC's own choice is for HTTP/2 only, so it stays where nothing is said.
    return tls.ciphers().isEmpty() ? configured : configured.ciphers(tls.ciphers());
  }
}
