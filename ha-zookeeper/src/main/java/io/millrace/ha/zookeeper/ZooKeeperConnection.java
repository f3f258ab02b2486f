package io.millrace.ha.zookeeper;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Durations;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.AuthInfo;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.state.SessionConnectionStateErrorPolicy;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.curator.utils.DefaultZookeeperFactory;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.ClientInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens a session at ZooKeeper, authenticated and encrypted as configured. */
final class ZooKeeperConnection {
  private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperConnection.class);
  private static final int POLL_MILLIS = 100;

  private final Configuration configuration;
  private final String quorum;
  private final Optional<ZooKeeperSasl> sasl;
  private final Optional<ZooKeeperTls> tls;
  private volatile boolean authenticationFailed;

  private ZooKeeperConnection(Configuration configuration) {
    this.configuration = configuration;
    this.quorum = quorum(configuration);
    this.sasl = ZooKeeperSasl.of(configuration);
    this.tls = ZooKeeperTls.of(configuration);
  }

  /**
   * Connects within {@code high-availability.zookeeper.client.connection-timeout}. Throws a
   * sentence that names the option if the servers cannot be reached or refuse this process. Blocks.
   */
  static CuratorFramework open(Configuration configuration) {
    ZooKeeperConnection connection = new ZooKeeperConnection(configuration);
    CuratorFramework client = connection.client();
    try {
      client.start();
      connection.awaitConnected(client);
      connection.checkAuthenticated(client);
      return client;
    } catch (InterruptedException e) {
      client.close();
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorKind.EXTERNAL, "Interrupted while connecting.", e);
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  static String quorum(Configuration configuration) {
    return configuration
        .find(ZooKeeperOptions.QUORUM)
        .filter(servers -> !servers.isBlank())
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    HighAvailabilityOptions.HA_MODE.key()
                        + " is zookeeper, which needs the addresses of servers: set "
                        + ZooKeeperOptions.QUORUM.key()
                        + ", for example to one:2181,two:2181,three:2181."));
  }

  static List<ACL> acl(Configuration configuration) {
    return configuration.get(ZooKeeperOptions.ACL) == ZooKeeperAcl.CREATOR
        ? ZooDefs.Ids.CREATOR_ALL_ACL
        : ZooDefs.Ids.OPEN_ACL_UNSAFE;
  }

  private CuratorFramework client() {
    List<ACL> acl = acl(configuration);
    ZKClientConfig settings = new ZKClientConfig();
    settings.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
    sasl.ifPresent(used -> used.configure(settings));
    tls.ifPresent(used -> used.configure(settings));
    CuratorFrameworkFactory.Builder builder =
        CuratorFrameworkFactory.builder()
            .connectString(quorum)
            .sessionTimeoutMs(millis(configuration.get(ZooKeeperOptions.SESSION_TIMEOUT)))
            .connectionTimeoutMs(millis(configuration.get(ZooKeeperOptions.CONNECTION_TIMEOUT)))
            .retryPolicy(
                new ExponentialBackoffRetry(
                    millis(configuration.get(ZooKeeperOptions.RETRY_WAIT)),
                    configuration.get(ZooKeeperOptions.MAX_RETRY_ATTEMPTS)))
            .ensembleTracker(configuration.get(ZooKeeperOptions.ENSEMBLE_TRACKER))
            // A suspended connection keeps the latch until the session has ended.
            .connectionStateErrorPolicy(new SessionConnectionStateErrorPolicy())
            .dontUseContainerParents()
            .zkClientConfig(settings)
            .zookeeperFactory(new WatchedSessions())
            .aclProvider(
                new ACLProvider() {
                  @Override
                  public List<ACL> getDefaultAcl() {
                    return acl;
                  }

                  @Override
                  public List<ACL> getAclForPath(String path) {
                    return acl;
                  }
                });
    List<AuthInfo> credentials =
        configuration.get(ZooKeeperOptions.AUTHORIZATION).stream()
            .map(ZooKeeperConnection::credentials)
            .toList();
    if (!credentials.isEmpty()) {
      builder.authorization(credentials);
    }
    return builder.build();
  }

  private static AuthInfo credentials(String text) {
    int colon = text.indexOf(':');
    if (colon < 1) {
      throw new MillraceException(
          ErrorKind.USER,
          ZooKeeperOptions.AUTHORIZATION.key()
              + " has an entry without a scheme. An entry is a scheme, a colon and what the scheme"
              + " requires, such as digest:user:password.");
    }
    return new AuthInfo(
        text.substring(0, colon), text.substring(colon + 1).getBytes(StandardCharsets.UTF_8));
  }

  private static int millis(Duration time) {
    return (int) Math.min(Integer.MAX_VALUE, time.toMillis());
  }

  /** Notices that the servers have refused the credentials. Curator only logs that. */
  private final class WatchedSessions implements ZookeeperFactory {
    private final ZookeeperFactory sessions = new DefaultZookeeperFactory();

    @Override
    public ZooKeeper newZooKeeper(
        String servers, int sessionTimeout, Watcher watcher, boolean readOnly) throws Exception {
      return sessions.newZooKeeper(servers, sessionTimeout, watched(watcher), readOnly);
    }

    @Override
    public ZooKeeper newZooKeeper(
        String servers,
        int sessionTimeout,
        Watcher watcher,
        boolean readOnly,
        ZKClientConfig settings)
        throws Exception {
      return sessions.newZooKeeper(servers, sessionTimeout, watched(watcher), readOnly, settings);
    }

    private Watcher watched(Watcher watcher) {
      return event -> {
        if (event.getState() == Watcher.Event.KeeperState.AuthFailed) {
          authenticationFailed = true;
        }
        watcher.process(event);
      };
    }
  }

  private void awaitConnected(CuratorFramework client) throws InterruptedException {
    Duration timeout = configuration.get(ZooKeeperOptions.CONNECTION_TIMEOUT);
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      int wait = (int) Math.max(1, Math.min(POLL_MILLIS, left));
      if (client.blockUntilConnected(wait, TimeUnit.MILLISECONDS)) {
        return;
      }
      if (authenticationFailed) {
        throw refused();
      }
      if (left <= 0) {
        throw new MillraceException(
            ErrorKind.EXTERNAL,
            "ZooKeeper at "
                + quorum
                + " ("
                + ZooKeeperOptions.QUORUM.key()
                + ") does not answer within "
                + Durations.readable(timeout)
                + ": "
                + QuorumDiagnosis.reasons(quorum, tls)
                + ". Check the addresses, and that a majority of the servers runs.");
      }
    }
  }

  /** Waits for the first answer: a session is open before the servers have authenticated it. */
  private void checkAuthenticated(CuratorFramework client) {
    List<ClientInfo> identities =
        ZooKeeperErrors.call(
            "authenticate",
            () -> {
              try {
                client.checkExists().forPath("/");
                // Nothing from servers that do not know this request.
                return Optional.ofNullable(client.getZookeeperClient().getZooKeeper().whoAmI())
                    .orElse(List.of());
              } catch (KeeperException.AuthFailedException e) {
                throw refused();
              }
            });
    LOG.info(
        "Connected to ZooKeeper at {}{} as {}",
        quorum,
        tls.isPresent() ? " with TLS" : "",
        identities.stream().map(who -> who.getAuthScheme() + ":" + who.getUser()).toList());
    if (sasl.isPresent()
        && !identities.isEmpty()
        && identities.stream().noneMatch(who -> who.getAuthScheme().equals("sasl"))) {
      LOG.warn(
          "The servers of ZooKeeper do not authenticate by SASL. Set {} to true if this is"
              + " intended.",
          ZooKeeperOptions.SASL_DISABLED.key());
    }
  }

  private MillraceException refused() {
    return new MillraceException(
        ErrorKind.USER,
        "ZooKeeper at "
            + quorum
            + " refuses the credentials of this process. "
            + sasl.map(ZooKeeperSasl::advice)
                .orElseGet(() -> "Check " + ZooKeeperOptions.AUTHORIZATION.key() + "."));
  }
}
