package io.millrace.core.config;

import java.time.Duration;
import java.util.List;

/** Options of authentication: the cluster secret, Kerberos, delegation tokens and REST. */
public final class SecurityOptions {
  public static final Option<String> CLUSTER_SECRET_FILE =
      Option.text(
          "security.cluster-secret.file",
          "File with the shared secret that authenticates the processes of the"
              + " cluster; only its owner may read it.");
  public static final Option<String> KERBEROS_KEYTAB =
      Option.text(
              "security.kerberos.login.keytab",
              "Keytab with which a process logs in to Kerberos before its services" + " start.")
          .perCommand();
  public static final Option<String> KERBEROS_PRINCIPAL =
      Option.text("security.kerberos.login.principal", "Kerberos principal of the keytab.")
          .perCommand();
  public static final Option<List<String>> KERBEROS_CONTEXTS =
      Option.list(
              "security.kerberos.login.contexts",
              "",
              "JAAS login contexts that get the credentials of the Kerberos login, for clients that"
                  + " log in by themselves: Client for that of ZooKeeper.")
          .perCommand();
  public static final Option<Boolean> KERBEROS_TICKET_CACHE =
      Option.flag(
              "security.kerberos.login.use-ticket-cache",
              true,
              "Whether login contexts use the ticket cache of the user if no keytab is configured.")
          .perCommand();
  public static final Option<String> KERBEROS_CONFIGURATION =
      Option.text(
              "security.kerberos.krb5-conf.path",
              "Kerberos configuration file instead of the machine's krb5.conf; a plugin that starts"
                  + " containers sends it to all of them.")
          .perCommand();
  public static final Option<List<String>> HADOOP_FILE_SYSTEMS =
      Option.list(
              "security.kerberos.access.hadoopFileSystems",
              "",
              "URIs of secure Hadoop file systems, in addition to the default one,"
                  + " for which delegation tokens are obtained.")
          .perCommand();
  public static final Option<Boolean> DELEGATION_TOKENS =
      Option.flag(
              "security.delegation.tokens.enabled",
              true,
              "Whether delegation tokens are obtained and distributed.")
          .perCommand();
  public static final Option<Double> DELEGATION_TOKEN_RENEWAL_RATIO =
      Option.decimal(
              "security.delegation.tokens.renewal.time-ratio",
              0.75,
              "Fraction of the lifetime of a delegation token after which a new one"
                  + " is obtained.")
          .moreThan(0)
          .lessThan(1);
  public static final Option<Duration> DELEGATION_TOKEN_RETRY_BACKOFF =
      Option.duration(
              "security.delegation.tokens.renewal.retry.backoff",
              "1 h",
              "Delay of the next attempt after a failed renewal; shorter if the token"
                  + " expires before.")
          .atLeast("1 ms");
  public static final Option<Boolean> DELEGATION_TOKEN_PROVIDER =
      Option.flag(
              "security.delegation.token.provider.<service>.enabled",
              true,
              "Whether delegation tokens of the service are used. If it is set for"
                  + " any service, providers and receivers on the class path are used, too.")
          .perCommand();
  public static final Option<String> DELEGATION_TOKEN_PARAMETER =
      Option.text(
              "security.delegation.token.provider.<service>.<parameter>",
              "Parameter of the token provider of a service; see the documentation of"
                  + " the provider.")
          .perCommand();

  // --- REST
  public static final Option<RestAuthentication> REST_AUTHENTICATION =
      Option.choice(
          "security.rest.authentication",
          RestAuthentication.class,
          "Authentication of REST requests: peer (loopback only: connections whose"
              + " socket belongs to the user that runs the JobManager, or the token), token,"
              + " mtls (client certificates over TLS), or none (loopback only).");
  public static final Option<String> REST_TOKEN_FILE =
      Option.text(
              "security.rest.token-file",
              "File with the token that clients of REST send as `Authorization:"
                  + " Bearer TOKEN`. Only its owner may read it. The command line sends the"
                  + " token. `cluster start` creates the file by default; a JobManager that"
                  + " listens beyond loopback needs it, or mtls.")
          .perCommand();
  public static final Option<String> REST_READER_TOKEN_FILE =
      Option.text(
          "security.rest.reader-token-file",
          "File with a token for clients of REST that may read but change nothing. Only its owner"
              + " may read it. Such a client names a copy of it as security.rest.token-file.");
  public static final Option<List<String>> REST_READ_ONLY_HOSTS =
      Option.list(
          "security.rest.read-only-hosts",
          "",
          "Hosts whose GET requests need no token: proxies that authenticate their" + " users.");

  private SecurityOptions() {}
}
