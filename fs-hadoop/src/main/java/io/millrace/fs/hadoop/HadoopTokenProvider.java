package io.millrace.fs.hadoop;

import io.millrace.core.Bytes;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.security.DelegationToken;
import io.millrace.core.security.DelegationTokenProvider;
import io.millrace.core.security.KerberosLogin;
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
 * Gets delegation tokens of the file systems of a secure Hadoop, so that only one process logs in.
 */
public final class HadoopTokenProvider implements DelegationTokenProvider {
  /** What its options and messages call it. */
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

  /** Nothing without a secure Hadoop, and then nothing of Hadoop is loaded for it. */
  @Override
  public Optional<DelegationToken> obtain(io.millrace.core.config.Configuration configuration)
      throws IOException {
    if (!HadoopSettings.isNamed(environment)) {
      return Optional.empty();
    }
    Configuration hadoop = HadoopSettings.of(environment);
    if (!HadoopSettings.isSecure(hadoop)) {
      return Optional.empty();
    }
    Optional<UserGroupInformation> user = freshLogin(KerberosLogin.in(configuration));
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
   * Not that of the process, which has taken earlier tokens: its connections present those, and a
   * service gives a token only to whoever comes with a ticket.
   *
   * @return nothing for a process that was given tokens instead of a login
   */
  private Optional<UserGroupInformation> freshLogin(Optional<KerberosLogin> login)
      throws IOException {
    if (login.isPresent()) {
      try {
        return Optional.of(
            UserGroupInformation.loginUserFromKeytabAndReturnUGI(
                login.get().principal(), login.get().keytab().toString()));
      } catch (IOException e) {
        throw KerberosErrors.loginFailure(login.get(), e);
      }
    }
    boolean given = environment.containsKey(UserGroupInformation.HADOOP_TOKEN_FILE_LOCATION);
    return !given && UserGroupInformation.getLoginUser().hasKerberosCredentials()
        ? Optional.of(UserGroupInformation.getUGIFromTicketCache(null, null))
        : Optional.empty();
  }

  private static Optional<DelegationToken> obtain(
      Configuration hadoop, List<String> others, String user) throws IOException {
    List<URI> places = new ArrayList<>(List.of(FileSystem.getDefaultUri(hadoop)));
    others.forEach(other -> places.add(URI.create(other)));
    Credentials credentials = new Credentials();
    for (URI place : places) {
      // One of its own: the shared ones stay open as long as the process.
      try (FileSystem system = FileSystem.newInstance(place, hadoop)) {
        // Ourselves as renewer, so that the first renewal tells when the token ends.
        system.addDelegationTokens(user, credentials);
      }
    }
    if (credentials.numberOfTokens() == 0) {
      return Optional.empty();
    }
    Optional<Instant> until = Optional.empty();
    for (Token<? extends TokenIdentifier> token : credentials.getAllTokens()) {
      Instant end = end(token, hadoop);
      until = Optional.of(until.filter(earlier -> earlier.isBefore(end)).orElse(end));
    }
    return Optional.of(new DelegationToken(content(credentials), until));
  }

  /** When it has to be renewed, or is over for good. */
  private static Instant end(Token<? extends TokenIdentifier> token, Configuration hadoop)
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
