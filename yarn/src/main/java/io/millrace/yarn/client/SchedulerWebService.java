package io.millrace.yarn.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authentication.client.AuthenticatedURL;
import org.apache.hadoop.security.authentication.client.KerberosAuthenticator;
import org.apache.hadoop.yarn.webapp.util.WebAppUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The web service of YARN's ResourceManager, for what its other protocol does not tell: whether the
 * scheduler creates queues.
 */
final class SchedulerWebService {
  private static final Logger LOG = LoggerFactory.getLogger(SchedulerWebService.class);
  private static final String PATH = "/ws/v1/cluster/scheduler";
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final Configuration hadoop;

  SchedulerWebService(Configuration hadoop) {
    this.hadoop = hadoop;
  }

  /**
   * Whether the scheduler creates a queue that does not exist. Unknown if the service does not
   * answer: the submission decides then.
   */
  QueueCreation creationOf(String wanted) {
    try {
      return WebAppUtils.execOnActiveRM(hadoop, this::ask, wanted);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return QueueCreation.unknown(e);
    } catch (Exception e) {
      // The method of the library declares no narrower type.
      LOG.info("YARN's web service does not describe its scheduler", e);
      return QueueCreation.unknown(e);
    }
  }

  private QueueCreation ask(String address, String wanted) throws Exception {
    URL url = URI.create(address + PATH).toURL();
    return UserGroupInformation.getCurrentUser()
        .doAs((PrivilegedExceptionAction<QueueCreation>) () -> ask(url, wanted));
  }

  private QueueCreation ask(URL url, String wanted) throws Exception {
    HttpURLConnection connection =
        UserGroupInformation.isSecurityEnabled()
            ? new AuthenticatedURL(new KerberosAuthenticator(), SchedulerWebService::bounded)
                .openConnection(url, new AuthenticatedURL.Token())
            : bounded((HttpURLConnection) url.openConnection());
    connection.setRequestProperty("Accept", "application/xml");
    try (InputStream answer = connection.getInputStream()) {
      return QueueCreation.read(answer, wanted);
    } finally {
      connection.disconnect();
    }
  }

  private static HttpURLConnection bounded(HttpURLConnection connection) throws IOException {
    connection.setConnectTimeout((int) TIMEOUT.toMillis());
    connection.setReadTimeout((int) TIMEOUT.toMillis());
    return connection;
  }
}
