package io.millrace.core.tls;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import javax.security.auth.x500.X500Principal;

/**
 * What a process needs to talk to others of its cluster over TLS. Each side of a connection shows
 * its certificate; host names do not count, because workers come and go under names that nobody
 * knows beforehand.
 *
 * @param key who this process is
 * @param trust whom it takes for a process of its cluster
 * @param jobManagers whom it takes for a JobManager
 * @param protocol the version of TLS
 * @param ciphers those that may be used, empty for the JVM's own choice
 */
public record InternalTls(
    KeyManager key,
    TrustManager trust,
    TrustManager jobManagers,
    String protocol,
    List<String> ciphers) {
  /** What to tell people when one side has TLS and the other has not; part of a sentence. */
  public static final String DIFFERS =
      TlsOptions.INTERNAL_ENABLED.key() + " has to be the same in all processes of a cluster";

  public InternalTls {
    Objects.requireNonNull(key);
    Objects.requireNonNull(trust);
    Objects.requireNonNull(jobManagers);
    Objects.requireNonNull(protocol);
    ciphers = List.copyOf(ciphers);
  }

  /** What the configuration says; empty if it does not ask for TLS. */
  public static Optional<InternalTls> of(Configuration configuration) {
    return configuration.get(TlsOptions.INTERNAL_ENABLED)
        ? Optional.of(read(configuration))
        : Optional.empty();
  }

  private static InternalTls read(Configuration configuration) {
    String protocol = configuration.get(TlsOptions.PROTOCOL);
    List<String> ciphers = configuration.get(TlsOptions.ALGORITHMS);
    checkKnown(protocol, ciphers);
    Optional<Fingerprint> fingerprint =
        configuration.find(TlsOptions.FINGERPRINT).map(Fingerprint::parse);
    Optional<X500Principal> subject =
        configuration.find(TlsOptions.JOB_MANAGER_SUBJECT).map(InternalTls::subject);
    X509TrustManager store = trust(configuration);
    return new InternalTls(
        key(configuration),
        new ClusterTrust(store, fingerprint, Optional.empty()),
        new ClusterTrust(store, fingerprint, subject),
        protocol,
        ciphers);
  }

  private static X500Principal subject(String text) {
    try {
      return new X500Principal(text);
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "'"
              + text
              + "' is no subject of a certificate ("
              + TlsOptions.JOB_MANAGER_SUBJECT.key()
              + "): one looks like CN=jobmanager, as keytool -list -v shows it.",
          e);
    }
  }

  /** For connections in either direction. */
  public SSLContext context() {
    return context(new KeyManager[] {key}, new TrustManager[] {trust});
  }

  /** For connections in either direction with a JobManager. */
  public SSLContext contextWithJobManagers() {
    return context(new KeyManager[] {key}, new TrustManager[] {jobManagers});
  }

  private static SSLContext context(KeyManager[] keys, TrustManager[] trust) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, trust, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new MillraceException(ErrorKind.EXTERNAL, "This JVM has no TLS: " + e.getMessage(), e);
    }
  }

  private static void checkKnown(String protocol, List<String> ciphers) {
    // Not the default one, which would read all the certificates that the JVM comes with.
    SSLParameters known =
        context(new KeyManager[0], new TrustManager[0]).getSupportedSSLParameters();
    if (!List.of(known.getProtocols()).contains(protocol)) {
      throw unknown(TlsOptions.PROTOCOL, protocol, known.getProtocols());
    }
    for (String cipher : ciphers) {
      if (!List.of(known.getCipherSuites()).contains(cipher)) {
        throw unknown(TlsOptions.ALGORITHMS, cipher, known.getCipherSuites());
      }
    }
  }

  private static MillraceException unknown(Option<?> option, String value, String[] known) {
    return new MillraceException(
        ErrorKind.USER,
        "This JVM does not know '"
            + value
            + "' ("
            + option.key()
            + "). It knows: "
            + String.join(", ", known));
  }

  private static KeyManager key(Configuration configuration) {
    String password = required(configuration, TlsOptions.KEYSTORE_PASSWORD);
    KeyStore store = load(configuration, TlsOptions.KEYSTORE, password, TlsOptions.KEYSTORE_TYPE);
    try {
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      String keyPassword = configuration.find(TlsOptions.KEY_PASSWORD).orElse(password);
      keys.init(store, keyPassword.toCharArray());
      if (!hasKey(store)) {
        throw new MillraceException(
            ErrorKind.USER,
            "There is no key in "
                + configuration.get(TlsOptions.KEYSTORE)
                + " ("
                + TlsOptions.KEYSTORE.key()
                + "), so this process could not show who it is.");
      }
      return keys.getKeyManagers()[0];
    } catch (GeneralSecurityException e) {
      throw unreadable(configuration, TlsOptions.KEYSTORE, TlsOptions.KEY_PASSWORD, e);
    }
  }

  private static boolean hasKey(KeyStore store) throws GeneralSecurityException {
    var aliases = store.aliases();
    while (aliases.hasMoreElements()) {
      if (store.isKeyEntry(aliases.nextElement())) {
        return true;
      }
    }
    return false;
  }

  private static X509TrustManager trust(Configuration configuration) {
    KeyStore store =
        load(
            configuration,
            TlsOptions.TRUSTSTORE,
            required(configuration, TlsOptions.TRUSTSTORE_PASSWORD),
            TlsOptions.TRUSTSTORE_TYPE);
    try {
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      return (X509TrustManager) trust.getTrustManagers()[0];
    } catch (GeneralSecurityException e) {
      throw unreadable(configuration, TlsOptions.TRUSTSTORE, TlsOptions.TRUSTSTORE_PASSWORD, e);
    }
  }

  private static KeyStore load(
      Configuration configuration, Option<String> file, String password, Option<String> type) {
    Path path = Path.of(required(configuration, file));
    if (!Files.isReadable(path)) {
      throw new MillraceException(
          ErrorKind.USER, "The file " + path + " (" + file.key() + ") cannot be read.");
    }
    try {
      Optional<String> said = configuration.find(type);
      if (said.isEmpty()) {
        return KeyStore.getInstance(path.toFile(), password.toCharArray());
      }
      KeyStore store = KeyStore.getInstance(said.get());
      try (var in = Files.newInputStream(path)) {
        store.load(in, password.toCharArray());
      }
      return store;
    } catch (GeneralSecurityException | IOException e) {
      throw unreadable(configuration, file, type, e);
    }
  }

  private static String required(Configuration configuration, Option<String> option) {
    return configuration
        .find(option)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    TlsOptions.INTERNAL_ENABLED.key()
                        + " needs "
                        + option.key()
                        + ", which is not set."));
  }

  private static MillraceException unreadable(
      Configuration configuration, Option<String> file, Option<String> beside, Exception cause) {
    return new MillraceException(
        ErrorKind.USER,
        "The store "
            + new File(configuration.get(file))
            + " ("
            + file.key()
            + ") cannot be opened: "
            + Failure.sentence(cause)
            + ". Are its password and "
            + beside.key()
            + " right?",
        cause);
  }

  /** Without the key. */
  @Override
  public String toString() {
    return protocol;
  }
}
