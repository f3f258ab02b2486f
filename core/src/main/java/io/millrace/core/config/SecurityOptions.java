package io.millrace.core.config;

import java.time.Duration;
import java.util.List;

/** The options about logins, and about the tokens that take their place elsewhere. */
public final class SecurityOptions {
  public static final Option<String> CLUSTER_SECRET_FILE =
      Option.text(
          "security.cluster-secret.file",
          "File with the secret by which processes of this cluster know each other; only its owner may"
              + " read it.");
  public static final Option<String> KERBEROS_KEYTAB =
      Option.text(
              "security.kerberos.login.keytab",
              "File with which a process logs in to Kerberos before its services start.")
          .perCommand();
  public static final Option<String> KERBEROS_PRINCIPAL =
      Option.text("security.kerberos.login.principal", "As whom a process logs in with the keytab.")
          .perCommand();
  public static final Option<String> KERBEROS_CONFIGURATION =
      Option.text(
              "security.kerberos.krb5-conf.path",
              "File that says where the Kerberos servers are, in place of the machine's own krb5.conf;"
                  + " on YARN it goes to all containers.")
          .perCommand();
  public static final Option<List<String>> HADOOP_FILE_SYSTEMS =
      Option.list(
              "security.kerberos.access.hadoopFileSystems",
              "",
              "Secure file systems of Hadoop that jobs use besides the default one, as URIs; tokens are"
                  + " obtained for them, too.")
          .perCommand();
  public static final Option<Boolean> DELEGATION_TOKENS =
      Option.flag("security.delegation.tokens.enabled", true, "Whether delegation tokens are used.")
          .perCommand();
  public static final Option<Double> DELEGATION_TOKEN_RENEWAL_RATIO =
      Option.decimal(
              "security.delegation.tokens.renewal.time-ratio",
              0.75,
              "After which part of a delegation token's life another one is obtained.")
          .moreThan(0)
          .lessThan(1);
  public static final Option<Duration> DELEGATION_TOKEN_RETRY_BACKOFF =
      Option.duration(
              "security.delegation.tokens.renewal.retry.backoff",
              "1 h",
              "Time to the next try after a failed renewal; less where the token ends before.")
          .atLeast("1 ms");
  public static final Option<Boolean> DELEGATION_TOKEN_PROVIDER =
      Option.flag(
              "security.delegation.token.provider.<service>.enabled",
              true,
              "Whether delegation tokens of the service are used. Setting it for any service lets"
                  + " providers and receivers be found on the class path, too.")
          .perCommand();
  public static final Option<String> DELEGATION_TOKEN_PARAMETER =
      Option.text(
              "security.delegation.token.provider.<service>.<parameter>",
              "What the provider of a service wants to know; see its own pages.")
          .perCommand();

  // --- REST
  public static final Option<RestAuthentication> REST_AUTHENTICATION =
      Option.choice(
          "security.rest.authentication",
          RestAuthentication.class,
          "Whom REST serves: peer, on loopback, connections whose socket belongs to the user that"
              + " runs the JobManager, and others with the token; token, those who present the"
              + " token; mtls, those who show a certificate, over TLS; none, on loopback,"
              + " everybody.");
  public static final Option<String> REST_TOKEN_FILE =
      Option.text(
              "security.rest.token-file",
              "File with the token that clients of REST present as `Authorization: Bearer TOKEN`. Only"
                  + " its owner may read it. The command line sends it. `cluster start` makes one where"
                  + " unset; a JobManager that listens beyond loopback needs one, or mtls.")
          .perCommand();
  public static final Option<List<String>> REST_READ_ONLY_HOSTS =
      Option.list(
          "security.rest.read-only-hosts",
          "",
          "Hosts whose GET requests need no token: proxies that know their users themselves.");

  private SecurityOptions() {}
}
