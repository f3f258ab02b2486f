package io.millrace.cli.log;

import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.RolloverFailure;
import ch.qos.logback.core.rolling.helper.CompressionMode;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Renames a log file to {@code NAME.1}, that one to {@code NAME.2} and so on, and deletes the last
 * one. The policies of Logback treat the name as a pattern: they parse it at each start and misread
 * a directory with a percent sign.
 */
final class NumberedRollingPolicy extends ContextAwareBase implements RollingPolicy {
  private final Path file;
  private final int kept;
  private boolean started;

  NumberedRollingPolicy(Path file, int kept) {
    this.file = file;
    this.kept = kept;
  }

  @Override
  public void rollover() {
    try {
      for (int number = kept - 1; number >= 1; number--) {
        if (Files.exists(numbered(number))) {
          Files.move(numbered(number), numbered(number + 1), StandardCopyOption.REPLACE_EXISTING);
        }
      }
      Files.move(file, numbered(1), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new RolloverFailure("The log file " + file + " cannot be renamed", e);
    }
  }

  private Path numbered(int number) {
    return file.resolveSibling(file.getFileName() + "." + number);
  }

  @Override
  public String getActiveFileName() {
    return file.toString();
  }

  @Override
  public CompressionMode getCompressionMode() {
    return CompressionMode.NONE;
  }

  @Override
  public void setParent(FileAppender<?> appender) {}

  @Override
  public void start() {
    started = true;
  }

  @Override
  public void stop() {
    started = false;
  }

  @Override
  public boolean isStarted() {
    return started;
  }
}
