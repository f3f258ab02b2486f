package io.millrace.core.tls;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;

/**
 * A key store or trust store file and the options that describe it.
 *
 * @param neededBy the option that requires the file
 */
public record KeyStoreFile(
    Option<Boolean> neededBy, Option<String> file, Option<String> password, Option<String> type) {

  /**
   * @param ownPassword the password of the key, if it differs from that of the file
   */
  public X509KeyManager key(Configuration configuration, Option<String> ownPassword) {
    KeyStore store = load(configuration);
    String opens = configuration.get(password);
    try {
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, configuration.find(ownPassword).orElse(opens).toCharArray());
      if (!hasKey(store)) {
        throw new MillraceException(
            ErrorKind.USER,
            "No key in "
                + configuration.get(file)
                + " ("
                + file.key()
                + "). A process needs a key to authenticate.");
      }
      return (X509KeyManager) keys.getKeyManagers()[0];
    } catch (GeneralSecurityException e) {
      throw unreadable(configuration, ownPassword, e);
    }
  }

  /** The certificate of the key in the file. */
  X509Certificate certificate(Configuration configuration) {
    KeyStore store = load(configuration);
    try {
      for (String alias : Collections.list(store.aliases())) {
        if (store.isKeyEntry(alias)
            && store.getCertificate(alias) instanceof X509Certificate certificate) {
          return certificate;
        }
      }
    } catch (GeneralSecurityException e) {
      throw unreadable(configuration, password, e);
    }
    throw new MillraceException(
        ErrorKind.USER, "No key in " + configuration.get(file) + " (" + file.key() + ").");
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

  public X509TrustManager trust(Configuration configuration) {
    KeyStore store = load(configuration);
    try {
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      return (X509TrustManager) trust.getTrustManagers()[0];
    } catch (GeneralSecurityException e) {
      throw unreadable(configuration, password, e);
    }
  }

  /** The type of the file, configured or detected. */
  public String type(Configuration configuration) {
    return load(configuration).getType();
  }

  private KeyStore load(Configuration configuration) {
    Path path = Path.of(required(configuration, file));
    char[] opens = required(configuration, password).toCharArray();
    if (!Files.isReadable(path)) {
      throw new MillraceException(
          ErrorKind.USER, "The file " + path + " (" + file.key() + ") cannot be read.");
    }
    try {
      Optional<String> configured = configuration.find(type);
      if (configured.isEmpty()) {
        return KeyStore.getInstance(path.toFile(), opens);
      }
      KeyStore store = KeyStore.getInstance(configured.get());
      try (var in = Files.newInputStream(path)) {
        store.load(in, opens);
      }
      return store;
    } catch (GeneralSecurityException | IOException e) {
      throw unreadable(configuration, type, e);
    }
  }

  private String required(Configuration configuration, Option<String> option) {
    return configuration
        .find(option)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    neededBy.key() + " needs " + option.key() + ", which is not set."));
  }

  private MillraceException unreadable(
      Configuration configuration, Option<String> beside, Exception cause) {
    return new MillraceException(
        ErrorKind.USER,
        "The store "
            + new File(configuration.get(file))
            + " ("
            + file.key()
            + ") cannot be opened: "
            + Failure.sentence(cause)
            + ". Check its password and "
            + beside.key()
            + ".",
        cause);
  }
}
