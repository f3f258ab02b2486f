package io.millrace.fs.hadoop;

import io.millrace.core.Bytes;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.security.DelegationToken;
import io.millrace.core.security.DelegationTokenProvider;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.URI;
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
  static final String SERVICE = "hadoopfs";

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
    return HadoopSettings.isNamed(environment)
        ? obtain(
            HadoopSettings.of(environment), configuration.get(SecurityOptions.HADOOP_FILE_SYSTEMS))
        : Optional.empty();
  }

  private static Optional<DelegationToken> obtain(Configuration hadoop, List<String> others)
      throws IOException {
    if (!HadoopSettings.isSecure(hadoop)
        || !UserGroupInformation.getCurrentUser().hasKerberosCredentials()) {
      return Optional.empty();
    }
    List<FileSystem> systems = new ArrayList<>(List.of(FileSystem.get(hadoop)));
    for (String other : others) {
      systems.add(FileSystem.get(URI.create(other), hadoop));
    }
    Credentials credentials = new Credentials();
    // Ourselves, so that the first renewal tells when the token ends.
    String renewer = UserGroupInformation.getCurrentUser().getShortUserName();
    for (FileSystem system : systems) {
      system.addDelegationTokens(renewer, credentials);
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
