package io.millrace.ha.zookeeper;

import io.millrace.core.tls.TlsVersion;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.apache.zookeeper.client.ConnectStringParser;

/** Finds out why no server of ZooKeeper could be used. ZooKeeper's client only logs the reasons. */
final class QuorumDiagnosis {
  private static final int TIMEOUT_MILLIS = 2_000;

  private QuorumDiagnosis() {}

  /** The reasons, for each server, as parts of a sentence. Blocks for some seconds at most. */
  static String reasons(String quorum, Optional<ZooKeeperTls> tls) {
    List<InetSocketAddress> servers = new ConnectStringParser(quorum).getServerAddresses();
    return servers.stream()
        .parallel()
        .map(server -> server.getHostString() + ":" + server.getPort() + " " + reason(server, tls))
        .collect(Collectors.joining(", "));
  }

  private static String reason(InetSocketAddress server, Optional<ZooKeeperTls> tls) {
    try (Socket connection = open(server)) {
      if (tls.isPresent()) {
        return handshake(connection, server, tls.get());
      }
    } catch (UnknownHostException e) {
      return "is not a known host";
    } catch (SocketTimeoutException e) {
      return "cannot be reached";
    } catch (IOException e) {
      return "cannot be reached (" + e.getMessage() + ")";
    }
    return requiresTls(server)
        ? "requires TLS (" + ZooKeeperOptions.TLS.key() + ")"
        : "accepts connections, but does not answer";
  }

  private static Socket open(InetSocketAddress server) throws IOException {
    Socket connection = new Socket();
    connection.setSoTimeout(TIMEOUT_MILLIS);
    connection.connect(
        new InetSocketAddress(server.getHostString(), server.getPort()), TIMEOUT_MILLIS);
    return connection;
  }

  private static String handshake(Socket connection, InetSocketAddress server, ZooKeeperTls tls) {
    try (SSLSocket encrypted = tls.over(connection, server.getHostString(), server.getPort())) {
      // With TLS 1.3 a server refuses the certificate of a client after the handshake.
      encrypted.getInputStream().read();
      return "accepts connections, but does not answer";
    } catch (SSLHandshakeException e) {
      return refused(e);
    } catch (SocketTimeoutException e) {
      return "accepts connections, but does not answer";
    } catch (SSLException e) {
      return isAlert(e) ? refused(e) : noTls(e);
    } catch (IOException e) {
      return noTls(e);
    }
  }

  private static boolean isAlert(SSLException e) {
    return String.valueOf(e.getMessage()).contains("alert");
  }

  private static String refused(SSLException e) {
    if (isAlert(e)) {
      return "refuses this client: "
          + e.getMessage()
          + " ("
          + ZooKeeperOptions.TLS_KEYSTORE.key()
          + ")";
    }
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertPathBuilderException) {
        return "has a certificate that the trust store does not trust ("
            + ZooKeeperOptions.TLS_TRUSTSTORE.key()
            + ")";
      }
    }
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateException) {
        return "has a certificate that is not valid: "
            + cause.getMessage()
            + " ("
            + ZooKeeperOptions.TLS_VERIFY_HOSTNAME.key()
            + ", "
            + ZooKeeperOptions.TLS_TRUSTSTORE.key()
            + ")";
      }
    }
    return noTls(e);
  }

  private static String noTls(IOException e) {
    return "does not use TLS at this port (" + ZooKeeperOptions.TLS.key() + "): " + e.getMessage();
  }

  /** Whether the server shows a certificate. No certificate is trusted, and nothing is sent. */
  private static boolean requiresTls(InetSocketAddress server) {
    AtomicBoolean shown = new AtomicBoolean();
    TrustManager[] none = {
      new X509TrustManager() {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
          throw new CertificateException("none is trusted");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
          shown.set(true);
          throw new CertificateException("none is trusted");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
          return new X509Certificate[0];
        }
      }
    };
    try (Socket connection = open(server);
        SSLSocket encrypted =
            (SSLSocket)
                TlsVersion.context(new KeyManager[0], none)
                    .getSocketFactory()
                    .createSocket(connection, server.getHostString(), server.getPort(), true)) {
      encrypted.startHandshake();
      return true;
    } catch (IOException expected) {
      return shown.get();
    }
  }
}
