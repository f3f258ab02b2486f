package io.millrace.yarn.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.yarn.YarnOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hadoop.io.DataOutputBuffer;

/**
 * The part of the client's Hadoop configuration with which YARN's ResourceManager renews the
 * delegation tokens of an application. It needs the addresses of nameservices that its own
 * configuration does not have.
 */
final class TokenRenewalSettings {
  private TokenRenewalSettings() {}

  /** The bytes for the launch context; empty without authentication or without the option. */
  static Optional<ByteBuffer> of(Configuration configuration, HadoopContext hadoop) {
    Optional<Pattern> pattern = configuration.find(YarnOptions.TOKENS_CONF);
    if (pattern.isEmpty() || !hadoop.isSecure()) {
      return Optional.empty();
    }
    return Optional.of(bytes(select(hadoop.settings(), pattern.get())));
  }

  static org.apache.hadoop.conf.Configuration select(
      org.apache.hadoop.conf.Configuration settings, Pattern pattern) {
    org.apache.hadoop.conf.Configuration selected = new org.apache.hadoop.conf.Configuration(false);
    for (Map.Entry<String, String> property : settings) {
      if (pattern.matcher(property.getKey()).matches()) {
        // With variables replaced: the ResourceManager does not get the properties they name.
        selected.set(property.getKey(), settings.get(property.getKey()));
      }
    }
    if (selected.size() == 0) {
      throw new MillraceException(
          ErrorKind.USER,
          YarnOptions.TOKENS_CONF.key()
              + " is '"
              + pattern
              + "', which matches no property of the Hadoop configuration. Correct it or remove"
              + " it.");
    }
    return selected;
  }

  private static ByteBuffer bytes(org.apache.hadoop.conf.Configuration selected) {
    try (DataOutputBuffer bytes = new DataOutputBuffer()) {
      selected.write(bytes);
      return ByteBuffer.wrap(bytes.getData(), 0, bytes.getLength());
    } catch (IOException e) {
      throw new IllegalStateException("A buffer in memory cannot be written", e);
    }
  }
}
