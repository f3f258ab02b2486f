package io.millrace.yarn.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.security.KerberosConfiguration;
import io.millrace.core.security.KerberosLogin;
import io.millrace.fs.hadoop.HadoopSecurityModule;
import io.millrace.fs.hadoop.HadoopSettings;
import io.millrace.fs.hadoop.HadoopTokenProvider;
import io.millrace.fs.hadoop.KerberosServiceErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.yarn.client.util.YarnClientUtils;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.security.client.RMDelegationTokenIdentifier;
import org.apache.hadoop.yarn.webapp.util.WebAppUtils;

/**
 * Hadoop's settings, with a login if the configuration has one.
 *
 * @param environment the variables that name the configuration files
 */
record HadoopContext(YarnConfiguration settings, Map<String, String> environment) {
  HadoopContext {
    Objects.requireNonNull(settings);
    Objects.requireNonNull(environment);
  }

  static HadoopContext of(Configuration configuration, Map<String, String> environment) {
    if (HadoopSettings.files(environment).isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "The address of YARN is unknown: Hadoop's configuration is missing. Set HADOOP_CONF_DIR to"
              + " the directory that has core-site.xml and yarn-site.xml of the cluster.");
    }
    KerberosConfiguration.use(configuration);
    HadoopContext access =
        new HadoopContext(HadoopSettings.ofYarn(environment, configuration), environment);
    access.logIn(configuration);
    return access;
  }

  boolean isSecure() {
    return HadoopSettings.isSecure(settings);
  }

  private void logIn(Configuration configuration) {
    Optional<KerberosLogin> login = KerberosLogin.in(configuration);
    try {
      if (login.isPresent()) {
        new HadoopSecurityModule().login(login.get(), configuration);
      } else if (isSecure() && !UserGroupInformation.getCurrentUser().hasKerberosCredentials()) {
        throw new MillraceException(
            ErrorKind.USER,
            "This Hadoop requires Kerberos, and there is no ticket, or it has expired. Run kinit,"
                + " or set "
                + SecurityOptions.KERBEROS_KEYTAB.key()
                + " and "
                + SecurityOptions.KERBEROS_PRINCIPAL.key()
                + ".");
      }
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "Hadoop's client cannot log in by Kerberos: "
              + YarnResourceManagerClient.firstLine(e)
              + ".",
          e);
    }
  }

  /** The configuration of processes in containers. */
  Configuration in(Configuration configuration) {
    return withTokenProvider(withWebProxies(configuration));
  }

  /**
   * Names the hosts of YARN's web proxy, which authenticates its users and only reads. The
   * JobManager would find them in the same settings, but reading these delays its start.
   */
  private Configuration withWebProxies(Configuration configuration) {
    Set<String> hosts = new TreeSet<>(configuration.get(SecurityOptions.REST_READ_ONLY_HOSTS));
    for (String proxy : WebAppUtils.getProxyHostsAndPortsForAmFilter(settings)) {
      hosts.add(proxy.substring(0, Math.max(proxy.lastIndexOf(':'), 0)));
    }
    hosts.remove("");
    return configuration.with(SecurityOptions.REST_READ_ONLY_HOSTS, hosts);
  }

  private Configuration withTokenProvider(Configuration configuration) {
    Option<Boolean> provider =
        SecurityOptions.DELEGATION_TOKEN_PROVIDER.named(HadoopTokenProvider.SERVICE);
    // In containers Hadoop's client is on the class path, where providers must be named.
    return isSecure() && !configuration.contains(provider)
        ? configuration.with(provider, true)
        : configuration;
  }

  /** The submitting user, for containers of a Hadoop without authentication. */
  Optional<String> user() {
    return isSecure() ? Optional.empty() : Optional.of(userName());
  }

  static String userName() {
    try {
      return UserGroupInformation.getCurrentUser().getShortUserName();
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "Hadoop cannot determine the user: " + YarnResourceManagerClient.firstLine(e),
          e);
    }
  }

  /**
   * Tokens for the JobManager: for file systems until it obtains its own, and for queries of YARN's
   * status. Empty without authentication.
   *
   * @param staging the directory of its files
   */
  ByteBuffer tokens(Configuration configuration, Path staging, YarnResourceManagerClient yarn) {
    if (!isSecure()) {
      return ByteBuffer.allocate(0);
    }
    try {
      // YARN renews them as long as the application runs.
      String renewer = YarnClientUtils.getRmPrincipal(settings);
      Credentials credentials = new Credentials();
      for (Path root : fileSystems(configuration, staging)) {
        root.getFileSystem(settings).addDelegationTokens(renewer, credentials);
      }
      if (KerberosLogin.in(configuration).isEmpty()) {
        Token<RMDelegationTokenIdentifier> token = yarn.token(renewer);
        credentials.addToken(token.getService(), token);
      }
      DataOutputBuffer bytes = new DataOutputBuffer();
      credentials.writeTokenStorageToStream(bytes);
      return ByteBuffer.wrap(bytes.getData(), 0, bytes.getLength());
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "Hadoop's file system gave no delegation token: "
              + KerberosServiceErrors.describeServiceFailure(e)
                  .orElseGet(() -> YarnResourceManagerClient.firstLine(e) + "."),
          e);
    }
  }

  private List<Path> fileSystems(Configuration configuration, Path staging) {
    List<Path> roots = new ArrayList<>();
    roots.add(staging);
    roots.add(new Path(FileSystem.getDefaultUri(settings)));
    configuration.get(SecurityOptions.HADOOP_FILE_SYSTEMS).stream()
        .map(Path::new)
        .forEach(roots::add);
    return roots;
  }
}
