package io.millrace.fs.hadoop;

import io.millrace.core.Bytes;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.security.DelegationToken;
import io.millrace.core.security.DelegationTokenProvider;
import io.millrace.core.security.KerberosLogin;
import io.millrace.core.security.KerberosLoginErrors;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.security.token.delegation.AbstractDelegationTokenIdentifier;

/**
 * Obtains delegation tokens of the file systems of a secure Hadoop, so that only one process of a
 * cluster needs a login.
 */
public final class HadoopTokenProvider implements DelegationTokenProvider {
  /** The name in options and messages. */
  public static final String SERVICE = "hadoopfs";

  private final Map<String, String> environment;

  public HadoopTokenProvider() {
    this(System.getenv());
  }

  HadoopTokenProvider(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public String serviceName() {
    return SERVICE;
  }

  /** Empty without a secure Hadoop; then no class of Hadoop is loaded. */
  @Override
  public Optional<DelegationToken> obtain(io.millrace.core.config.Configuration configuration)
      throws IOException {
    if (!HadoopSettings.isConfigured(environment)) {
      return Optional.empty();
    }
    Configuration hadoop = HadoopSettings.of(environment, configuration);
    if (!HadoopSettings.isSecure(hadoop)) {
      return Optional.empty();
    }
    Optional<KerberosLogin> login = KerberosLogin.in(configuration);
    Optional<UserGroupInformation> user =
        login.isPresent() ? Optional.of(loginWith(login.get())) : ticketCacheUser();
    if (user.isEmpty()) {
      return Optional.empty();
    }
    List<String> others = configuration.get(SecurityOptions.HADOOP_FILE_SYSTEMS);
    try {
      return user.get()
          .doAs(
              (PrivilegedExceptionAction<Optional<DelegationToken>>)
                  () -> obtain(hadoop, others, user.get().getShortUserName()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while a delegation token was obtained", e);
    }
  }

  /**
   * A login besides that of the process. The connections of the process present the tokens that it
   * has received, and services issue tokens only to clients with a ticket.
   */
  private static UserGroupInformation loginWith(KerberosLogin login) throws IOException {
    try {
      return UserGroupInformation.loginUserFromKeytabAndReturnUGI(
          login.principal(), login.keytab().toString());
    } catch (IOException e) {
      throw KerberosLoginErrors.loginFailure(login, e);
    }
  }

  /** Empty for a process that has tokens instead of a ticket. */
  private Optional<UserGroupInformation> ticketCacheUser() throws IOException {
    boolean hasTokens = environment.containsKey(UserGroupInformation.HADOOP_TOKEN_FILE_LOCATION);
    return !hasTokens && UserGroupInformation.getLoginUser().hasKerberosCredentials()
        ? Optional.of(UserGroupInformation.getUGIFromTicketCache(null, null))
        : Optional.empty();
  }

  private static Optional<DelegationToken> obtain(
      Configuration hadoop, List<String> others, String user) throws IOException {
    List<URI> fileSystems = new ArrayList<>(List.of(FileSystem.getDefaultUri(hadoop)));
    others.forEach(other -> fileSystems.add(URI.create(other)));
    Credentials credentials = new Credentials();
    for (URI uri : fileSystems) {
      // A separate instance, because the shared ones stay open as long as the process.
      try (FileSystem system = FileSystem.newInstance(uri, hadoop)) {
        // This user is the renewer, because a renewal returns the expiry time.
        system.addDelegationTokens(user, credentials);
      }
    }
    if (credentials.numberOfTokens() == 0) {
      return Optional.empty();
    }
    Optional<Instant> expiry = Optional.empty();
    for (Token<? extends TokenIdentifier> token : credentials.getAllTokens()) {
      Instant end = expiry(token, hadoop);
      expiry = Optional.of(expiry.filter(earlier -> earlier.isBefore(end)).orElse(end));
    }
    return Optional.of(new DelegationToken(content(credentials), expiry));
  }

  /** The time of the next renewal or of the final expiry, whichever is earlier. */
  private static Instant expiry(Token<? extends TokenIdentifier> token, Configuration hadoop)
      throws IOException {
    try {
      long renewed = token.renew(hadoop);
      return token.decodeIdentifier() instanceof AbstractDelegationTokenIdentifier known
          ? Instant.ofEpochMilli(Math.min(renewed, known.getMaxDate()))
          : Instant.ofEpochMilli(renewed);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while a delegation token was renewed", e);
    }
  }

  private static Bytes content(Credentials credentials) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      credentials.writeTokenStorageToStream(out);
    }
    return Bytes.wrap(bytes.toByteArray());
  }
}
