package io.millrace.cluster.keys;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.tls.InternalTls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.time.Duration;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * A TLS connection to the RPC port of the JobManager, to tell the user of a bundle before a process
 * starts why it would be refused. Both sides verify each other's certificate; nothing is sent.
 */
public final class JobManagerContact {
  private final String host;
  private final int port;
  private final InternalTls tls;

  private JobManagerContact(String host, int port, InternalTls tls) {
    this.host = host;
    this.port = port;
    this.tls = tls;
  }

  /** With the address and the key of a TaskManager. */
  public static JobManagerContact of(Configuration taskManager) {
    return new JobManagerContact(
        taskManager.get(JobManagerOptions.ADDRESS),
        taskManager.get(JobManagerOptions.PORT).single().orElseThrow(),
        InternalTls.of(taskManager).orElseThrow());
  }

  /**
   * Connects and closes again.
   *
   * @return the address of this machine on the way to the JobManager
   */
  public InetAddress verify(Duration timeout) {
    int millis = (int) timeout.toMillis();
    try (Socket plain = new Socket()) {
      plain.connect(new InetSocketAddress(host, port), millis);
      plain.setSoTimeout(millis);
      try (SSLSocket socket =
          (SSLSocket)
              tls.contextWithJobManagers()
                  .getSocketFactory()
                  .createSocket(plain, host, port, true)) {
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setProtocols(new String[] {tls.protocol()});
        parameters.setApplicationProtocols(new String[] {"h2"});
        if (!tls.ciphers().isEmpty()) {
          parameters.setCipherSuites(tls.ciphers().toArray(String[]::new));
        }
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        // In TLS 1.3 the server verifies the certificate of the client after the handshake of the
        // client has ended. Its first byte, of the settings of HTTP/2, shows that it accepts it.
        if (socket.getInputStream().read() < 0) {
          throw new MillraceException(
              ErrorKind.EXTERNAL, at() + " closed the connection without a reason. See its log.");
        }
        return plain.getLocalAddress();
      }
    } catch (SSLException e) {
      throw new MillraceException(ErrorKind.USER, reason(e), e);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          at()
              + " cannot be reached: "
              + Failure.sentence(e)
              + ". Check that the cluster runs, that it was started with `cluster start --bind`, and"
              + " that no firewall is between the machines.",
          e);
    }
  }

  private String reason(SSLException failure) {
    Throwable cause = failure;
    while (cause.getCause() != null && !(cause instanceof CertificateException)) {
      cause = cause.getCause();
    }
    if (cause instanceof CertificateException) {
      return at()
          + " does not belong to the cluster of this bundle: "
          + cause.getMessage()
          + ". Write a bundle with `millrace cluster bundle` in the cluster that runs there now.";
    }
    return at()
        + " does not accept the key of this bundle ("
        + failure.getMessage()
        + "). It has expired, or belongs to another cluster. Write a new bundle with `millrace cluster"
        + " bundle` there.";
  }

  private String at() {
    return "The JobManager at " + host + ":" + port;
  }
}
