package io.millrace.ha.zookeeper;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.security.KerberosLogin;
import io.millrace.core.security.KerberosLoginErrors;
import java.util.List;
import java.util.Optional;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.apache.zookeeper.client.ZKClientConfig;

/** Authentication by SASL. It is used if its JAAS login context is configured. */
final class ZooKeeperSasl {
  private final String context;
  private final String service;
  private final boolean kerberos;

  private ZooKeeperSasl(String context, String service, boolean kerberos) {
    this.context = context;
    this.service = service;
    this.kerberos = kerberos;
  }

  /** Empty if this process does not authenticate by SASL. Throws if it cannot log in. */
  static Optional<ZooKeeperSasl> of(Configuration configuration) {
    String context = configuration.get(ZooKeeperOptions.SASL_CONTEXT);
    if (configuration.get(ZooKeeperOptions.SASL_DISABLED)) {
      return Optional.empty();
    }
    List<AppConfigurationEntry> modules = modules(context);
    if (modules.isEmpty()) {
      return Optional.empty();
    }
    logIn(context, configuration);
    return Optional.of(
        new ZooKeeperSasl(
            context,
            configuration.get(ZooKeeperOptions.SASL_SERVICE),
            modules.stream().anyMatch(module -> module.getLoginModuleName().contains("Krb5"))));
  }

  /** The modules of a login context; none if it is not configured. */
  private static List<AppConfigurationEntry> modules(String context) {
    try {
      AppConfigurationEntry[] found =
          javax.security.auth.login.Configuration.getConfiguration()
              .getAppConfigurationEntry(context);
      return found == null ? List.of() : List.of(found);
    } catch (SecurityException none) {
      // The JVM has no configuration of login contexts.
      return List.of();
    }
  }

  /** ZooKeeper's client would continue without authentication after a failed login. */
  private static void logIn(String context, Configuration configuration) {
    try {
      LoginContext trial = new LoginContext(context);
      trial.login();
      trial.logout();
    } catch (LoginException | SecurityException e) {
      Optional<KerberosLogin> login = KerberosLogin.in(configuration);
      if (login.isPresent()
          && configuration.get(SecurityOptions.KERBEROS_CONTEXTS).contains(context)) {
        throw KerberosLoginErrors.loginFailure(login.get(), e);
      }
      throw new MillraceException(
          ErrorKind.USER,
          "The login to ZooKeeper with the login context '"
              + context
              + "' ("
              + ZooKeeperOptions.SASL_CONTEXT.key()
              + ") failed: "
              + KerberosLoginErrors.describeKdcFailure(e).orElseGet(() -> firstLine(e))
              + ". Run kinit, or set "
              + SecurityOptions.KERBEROS_KEYTAB.key()
              + " and "
              + SecurityOptions.KERBEROS_PRINCIPAL.key()
              + ".",
          e);
    }
  }

  private static String firstLine(Exception e) {
    return Failure.sentence(e).lines().findFirst().orElse("");
  }

  /** What to do if the servers do not accept the login. */
  String advice() {
    if (kerberos) {
      return "Check "
          + SecurityOptions.KERBEROS_PRINCIPAL.key()
          + ", and that the servers have the principal "
          + service
          + "/<their host name> ("
          + ZooKeeperOptions.SASL_SERVICE.key()
          + ").";
    }
    return "Check the login context '"
        + context
        + "' ("
        + ZooKeeperOptions.SASL_CONTEXT.key()
        + "). With user and password the client of ZooKeeper authenticates only if its JVM has"
        + " -Dzookeeper.fips-mode=false (env.java.opts.all).";
  }

  /** Writes the settings of ZooKeeper's client. */
  void configure(ZKClientConfig client) {
    client.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "true");
    client.setProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY, context);
    client.setProperty(ZKClientConfig.ZK_SASL_CLIENT_USERNAME, service);
  }
}
