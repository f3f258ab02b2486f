package io.millrace.ha.zookeeper;

import io.millrace.core.config.Option;
import java.time.Duration;
import java.util.List;

/** Options of high availability through ZooKeeper. */
public final class ZooKeeperOptions {
  public static final Option<String> QUORUM =
      Option.text(
              "high-availability.zookeeper.quorum",
              "Addresses of the ZooKeeper servers, separated by commas, such as"
                  + " one:2181,two:2181,three:2181.")
          .perCommand();
  public static final Option<String> ROOT =
      Option.text(
              "high-availability.zookeeper.path.root",
              "/millrace",
              "The node of ZooKeeper below which each cluster has a node, named by"
                  + " high-availability.cluster-id.")
          .perCommand();
  public static final Option<Duration> SESSION_TIMEOUT =
      Option.duration(
              "high-availability.zookeeper.client.session-timeout",
              "60 s",
              "Time after which ZooKeeper ends the session of a process that it does not hear from,"
                  + " and another JobManager takes over. The servers limit it, by default to 20"
                  + " times their tickTime.")
          .atLeast("100 ms")
          .perCommand();
  public static final Option<Duration> CONNECTION_TIMEOUT =
      Option.duration(
              "high-availability.zookeeper.client.connection-timeout",
              "15 s",
              "Time within which a process that starts must reach ZooKeeper.")
          .atLeast("100 ms")
          .perCommand();
  public static final Option<Duration> RETRY_WAIT =
      Option.duration(
              "high-availability.zookeeper.client.retry-wait",
              "5 s",
              "Pause before an operation is tried again after the connection was lost; it grows with"
                  + " each attempt.")
          .atLeast("1 ms")
          .perCommand();
  public static final Option<Integer> MAX_RETRY_ATTEMPTS =
      Option.integer(
              "high-availability.zookeeper.client.max-retry-attempts",
              3,
              "How often an operation is tried again after the connection was lost.")
          .between(0, 29)
          .perCommand();
  public static final Option<ZooKeeperAcl> ACL =
      Option.choice(
              "high-availability.zookeeper.client.acl",
              ZooKeeperAcl.class,
              ZooKeeperAcl.OPEN,
              "Who may read and change the nodes of a cluster: everybody, or only the user as whom its"
                  + " processes are authenticated.")
          .perCommand();
  public static final Option<Boolean> ENSEMBLE_TRACKER =
      Option.flag(
              "high-availability.zookeeper.client.ensemble-tracker",
              true,
              "Follow changes of the ensemble of servers. Disable it if the servers publish addresses"
                  + " that the processes cannot reach.")
          .perCommand();
  public static final Option<Boolean> FAILOVER_ENABLED =
      Option.flag(
          "high-availability.zookeeper.failover.enabled",
          true,
          "Whether a standby takes over from a JobManager that is dead before the session of that"
              + " one has ended: its connection to the JobManager breaks, and the RPC port of the"
              + " JobManager refuses new connections.");
  public static final Option<Integer> FAILOVER_REFUSALS =
      Option.integer(
              "high-availability.zookeeper.failover.refusals",
              3,
              "How many connections in a row the RPC port of a JobManager must refuse before a"
                  + " standby takes the JobManager for dead.")
          .between(1, 1000);
  public static final Option<Duration> FAILOVER_INTERVAL =
      Option.duration(
              "high-availability.zookeeper.failover.interval",
              "100 ms",
              "Pause between two of these connections.")
          .atLeast("1 ms");
  public static final Option<Duration> FAILOVER_TIMEOUT =
      Option.duration(
              "high-availability.zookeeper.failover.connection-timeout",
              "2 s",
              "Time after which an unanswered connection to another JobManager is given up. No"
                  + " answer is no refusal: the session of that JobManager decides then.")
          .atLeast("1 ms");

  public static final Option<List<String>> AUTHORIZATION =
      Option.list(
              "high-availability.zookeeper.client.authorization",
              "",
              "Credentials that processes present to the servers, each a scheme, a colon and what the"
                  + " scheme requires, such as digest:user:password.")
          .perCommand();

  // --- SASL
  public static final Option<Boolean> SASL_DISABLED =
      Option.flag(
              "zookeeper.sasl.disable",
              false,
              "Whether processes do not authenticate by SASL although their login context is"
                  + " configured.")
          .perCommand();
  public static final Option<String> SASL_SERVICE =
      Option.text(
              "zookeeper.sasl.service-name",
              "zookeeper",
              "The first part of the Kerberos principal of the servers; the second one is the name of"
                  + " the host.")
          .perCommand();
  public static final Option<String> SASL_CONTEXT =
      Option.text(
              "zookeeper.sasl.login-context-name",
              "Client",
              "The JAAS login context with which processes authenticate by SASL. It gets the Kerberos"
                  + " login if security.kerberos.login.contexts names it.")
          .perCommand();

  // --- TLS
  public static final Option<Boolean> TLS =
      Option.flag(
              "high-availability.zookeeper.client.ssl.enabled",
              false,
              "Whether connections to the servers use TLS. The addresses are then those of their secure"
                  + " ports. The trust store is required.")
          .perCommand();
  public static final Option<String> TLS_TRUSTSTORE =
      Option.text(
              "high-availability.zookeeper.client.ssl.truststore",
              "File with the certificates of the servers or their issuers, PKCS12 or JKS.")
          .perCommand();
  public static final Option<String> TLS_TRUSTSTORE_PASSWORD =
      Option.text(
              "high-availability.zookeeper.client.ssl.truststore-password",
              "Password of the trust store.")
          .perCommand();
  public static final Option<String> TLS_TRUSTSTORE_TYPE =
      Option.text(
              "high-availability.zookeeper.client.ssl.truststore-type",
              "Type of the trust store; detected by default (PKCS12 or JKS).")
          .perCommand();
  public static final Option<String> TLS_KEYSTORE =
      Option.text(
              "high-availability.zookeeper.client.ssl.keystore",
              "File with the key and certificate of the processes, PKCS12 or JKS, for servers that ask"
                  + " for one.")
          .perCommand();
  public static final Option<String> TLS_KEYSTORE_PASSWORD =
      Option.text(
              "high-availability.zookeeper.client.ssl.keystore-password",
              "Password of the key store and of its key.")
          .perCommand();
  public static final Option<String> TLS_KEYSTORE_TYPE =
      Option.text(
              "high-availability.zookeeper.client.ssl.keystore-type",
              "Type of the key store; detected by default (PKCS12 or JKS).")
          .perCommand();
  public static final Option<Boolean> TLS_VERIFY_HOSTNAME =
      Option.flag(
              "high-availability.zookeeper.client.ssl.verify-hostname",
              true,
              "Whether processes verify that the certificate of a server matches its host name.")
          .perCommand();

  private ZooKeeperOptions() {}
}
